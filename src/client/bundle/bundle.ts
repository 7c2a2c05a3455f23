/**
 * The client's files for a browser, made of `web/`: scripts in pieces that load when they are
 * needed, styles, fonts, and the page. Runs in the build and, from the sources, at a start.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { planVaadinPlugin } from '../../vendor/vaadin-bundle.ts'

const WEB = join(import.meta.dir, '../web')

/** Where all files but the page stand; their names bear their hash. */
const FOLDER = 'client'

/** The name by which packages ask whether they run in development. */
const NODE_ENV = ['process', 'env', 'NODE_ENV'].join('.')

/** One file of the client. */
export interface ClientFile {
  /** The path of its address, like `/client/main-1x2y.js`. */
  path: string
  bytes: Uint8Array
}

/** The whole client: its files, and what the page's policy has to name. */
export interface ClientBundle {
  files: ClientFile[]
  /** `'sha256-…'` of constant styles, for `style-src`. */
  styleHashes: string[]
}

/** The worker's address: it holds for all places below its own path, and bears no hash. */
const WORKER = '/worker.js'

/** Crawlers of an internal search find the sign-in; all else needs a session. */
const ROBOTS = 'User-agent: *\nDisallow: /api/\nDisallow: /files/\nDisallow: /report/\n'

/** Makes the client. Throws with the bundler's messages. */
export async function bundleClient(): Promise<ClientBundle> {
  const hashes = new Set<string>()
  const scripts = await bundle(['main.tsx', 'early.ts'], hashes)
  const worker = await bundleWorker()
  const styles = extractFonts((await bundle(['styles/main.css'], hashes))[0])
  const files = [...scripts, ...styles]
  const page = readFileSync(join(WEB, 'index.html'), 'utf8').replaceAll(
    /\{\{([\w.-]+)\}\}/g,
    (_, name: string) => findBuilt(files, name),
  )
  return {
    files: [
      ...files,
      worker,
      { path: '/client/icon.svg', bytes: readFileSync(join(WEB, 'icon.svg')) },
      { path: '/robots.txt', bytes: Buffer.from(ROBOTS) },
      { path: '/index.html', bytes: Buffer.from(page) },
    ],
    styleHashes: [...hashes].sort(),
  }
}

/** The service worker, in one piece, as browsers load it that know no modules in workers. */
async function bundleWorker(): Promise<ClientFile> {
  const { success, logs, outputs } = await Bun.build({
    entrypoints: [join(WEB, 'worker.ts')],
    target: 'browser',
    format: 'iife',
    minify: true,
    throw: false,
  })
  const [output] = outputs
  if (!success || !output) throw new Error(logs.map(String).join('\n') || 'No worker was made')
  return { path: WORKER, bytes: new Uint8Array(await output.arrayBuffer()) }
}

async function bundle(entries: readonly string[], hashes: Set<string>): Promise<ClientFile[]> {
  const { success, logs, outputs } = await Bun.build({
    entrypoints: entries.map((entry) => join(WEB, entry)),
    root: WEB,
    target: 'browser',
    format: 'esm',
    minify: true,
    splitting: true,
    naming: {
      entry: '[name]-[hash].[ext]',
      chunk: '[name]-[hash].[ext]',
      asset: '[name]-[hash].[ext]',
    },
    plugins: [planVaadinPlugin(hashes)],
    // Signals and Lit have parts for development that are left out then.
    define: { [NODE_ENV]: '"production"' },
    throw: false,
  })
  if (!success) throw new Error(logs.map(String).join('\n') || 'The client cannot be bundled')
  return Promise.all(
    outputs.map(async (output) => ({
      path: `/${FOLDER}/${output.path.replace(/^[./\\]+/, '').replaceAll('\\', '/')}`,
      bytes: new Uint8Array(await output.arrayBuffer()),
    })),
  )
}

const DATA_FONT = /url\(["']?data:[\w/-]*font[\w/-]*(woff2?)\b[^,]*base64,([\w+/=]+)["']?\)/g

/** The style sheet, with fonts that it holds as text put into files: the policy allows no other. */
function extractFonts(sheet: ClientFile | undefined): ClientFile[] {
  if (!sheet) throw new Error('The client has no style sheet')
  const fonts: ClientFile[] = []
  const text = Buffer.from(sheet.bytes)
    .toString()
    .replace(DATA_FONT, (_, kind: string, base64: string) => {
      const bytes = Buffer.from(base64, 'base64')
      const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8)
      const path = `/${FOLDER}/font-${hash}.${kind}`
      if (!fonts.some((font) => font.path === path)) fonts.push({ path, bytes })
      return `url(${path})`
    })
  return [{ path: sheet.path, bytes: Buffer.from(text) }, ...fonts]
}

/** The address of a built file by its name in `web/`: `main.js` → `/client/main-1x2y.js`. */
function findBuilt(files: readonly ClientFile[], name: string): string {
  const [stem = '', kind = ''] = name.split('.')
  const found = files.find(({ path }) =>
    new RegExp(`^/${FOLDER}/${stem}-[0-9a-z]+\\.${kind}$`).test(path),
  )
  if (!found) throw new Error(`The client has no ${name}`)
  return found.path
}
