/** The floors of the engine, as facts about paths: who stands where and who may import whom. */

/** From the ground up; `engine` has an order of its own inside. */
const FLOORS = [
  'vendor',
  'kernel',
  'store',
  'model',
  'access',
  'engine',
  'server',
  'features',
  'client',
  'outermost',
]

/** Within `engine/` imports go left (src/README.md, Floors). */
export const ENGINE_ORDER: Record<string, number> = {
  process: 0,
  files: 1,
  jobs: 0,
  mail: 1,
  outbound: 1,
  'grid-search': 1,
  'global-search/text-index': 2,
  'own-settings': 0,
  'saved-views': 8,
  comments: 8,
  timeline: 9,
  people: 5,
  'web-push': 2,
  webhooks: 5,
  notifications: 3,
  sheets: 1,
  object: 4,
  pdf: 4,
  access: 5,
  extensions: 5,
  'global-search': 5,
  'object-explorer': 5,
  procedure: 5,
  wizard: 5,
  workflow: 7,
  assistant: 9,
  'versioned-documents': 6,
  'report-pages': 7,
  'printed-reports': 8,
  navbar: 9,
  audit: 1,
  backups: 5,
  upgrades: 6,
}

/**
 * Within `engine/object` too. The files beside are the request: parameters, values, access. Then
 * come reading, forms with their options, records as they are stored, what validates them, what
 * follows from a write, the write itself, whole files in and out, and many records at once.
 */
export const OBJECT_ORDER: Record<string, number> = {
  read: 1,
  form: 2,
  record: 3,
  rules: 4,
  'after-write': 5,
  write: 6,
  export: 7,
  import: 7,
  many: 8,
}

/**
 * The client's own floors: the browser's code from the ground up, below it what Vaadin's build
 * needs. `front/` and `bundle/` are the process around it.
 */
const WEB_FLOORS = ['texts', 'api', 'state', 'fields', 'parts', 'pages']

/** Why a file of the client may not import `to`, or undefined where it may. */
function refuseClientImport(from: string, to: string): string | undefined {
  const isWeb = from.startsWith('src/client/web/')
  if (isWeb && !to.startsWith('src/client/web/'))
    return `${from} imports ${to}: the browser's code stands alone`
  if (!isWeb && !/^src\/(?:client\/(?:front|bundle)|kernel|vendor)\//.test(to))
    return `${from} imports ${to}: the client's process knows the kernel alone`
  const [own, other] = [from, to].map((path) => {
    const at = WEB_FLOORS.indexOf(path.split('/')[3] ?? '')
    return at < 0 ? WEB_FLOORS.length : at
  })
  return isWeb && (other ?? 0) > (own ?? 0)
    ? `${from} imports ${to}, which stands above it`
    : undefined
}

/** The floor that elysia may be used from. */
const SERVER_FLOOR = FLOORS.indexOf('server')

/** The floor of a file of `src/`; main.ts, app.ts and the commands stand outermost. */
export function floorOf(path: string): number {
  const floor = FLOORS.indexOf(path.split('/')[1] ?? '')
  return floor < 0 ? FLOORS.length - 1 : floor
}

/** The part of a floor that a file belongs to: a feature or a part of the engine by its folder. */
const partOf = (path: string): string => path.split('/').slice(0, 3).join('/')

/** A room within a room may have an order of its own: `global-search/text-index`. */
function engineOrder(path: string): number | undefined {
  const [, , room = '', inner = ''] = path.split('/')
  return ENGINE_ORDER[`${room}/${inner}`] ?? ENGINE_ORDER[room]
}

/** The layer of a file within `engine/object`; undefined outside of it. */
const objectOrder = (path: string): number | undefined =>
  path.startsWith('src/engine/object/') ? (OBJECT_ORDER[path.split('/')[3] ?? ''] ?? 0) : undefined

const folderOf = (path: string): string | undefined => path.split('/')[3]

/** Why `from` may not import `to` (both files of `src/`), or undefined where it may. */
export function refuseImport(from: string, to: string): string | undefined {
  const [own, other] = [floorOf(from), floorOf(to)]
  if (from.startsWith('src/client/')) return refuseClientImport(from, to)
  if (other > own) return `${from} imports ${to}, which stands above it`
  if (other < own) return undefined
  const floor = FLOORS[own]
  if (floor === 'features' && partOf(from) !== partOf(to)) {
    return `${from} imports ${to}: features never import each other`
  }
  if (floor === 'engine' && partOf(from) !== partOf(to)) {
    const [left, right] = [engineOrder(to), engineOrder(from)]
    if (left !== undefined && right !== undefined && left >= right) {
      return `${from} imports ${to}: within engine/ imports go left`
    }
  }
  const [layer, below] = [objectOrder(from), objectOrder(to)]
  if (layer !== undefined && below !== undefined && below > layer) {
    return `${from} imports ${to}: the layers of engine/object import downwards`
  }
  if (layer === OBJECT_ORDER.import && below === layer && folderOf(from) !== folderOf(to)) {
    return `${from} imports ${to}: export and import share what stands below both`
  }
  return undefined
}

/** Declarations of tables, as `bun run migrations` reads them. */
const TABLES = /\/(?:engine|state)-db\.ts$|^src\/store\/tables\//

/** Reads and writes rows by these declarations: all else is SQL text. */
const ROWS = 'src/store/rows.ts'

/** Why a file of `src/` may not use a package, or undefined where it may. */
export function refusePackage(from: string, name: string): string | undefined {
  if (/^(elysia|@elysiajs)(\/|$)/.test(name) && floorOf(from) < SERVER_FLOOR) {
    return `${from} imports ${name} below the server's floor`
  }
  if (/^drizzle-orm(\/|$)/.test(name) && !TABLES.test(from) && from !== ROWS) {
    return `${from} imports ${name} outside of declarations of tables and ${ROWS}`
  }
  if (/^libsql(\/|$)/.test(name) && !/^src\/(store|vendor)\//.test(from)) {
    return `${from} imports ${name} outside of src/store and src/vendor`
  }
  return undefined
}
