import { describe, expect, test } from 'bun:test'
import { ENGINE_ORDER, OBJECT_ORDER, refuseImport, refusePackage } from './floors.ts'
import { type Source, sources } from './source.ts'

const own = sources.filter((source) => source.path.startsWith('src/'))

/** Files on a circle of imports, type imports included; each circle once. */
function findCircles(files: readonly Source[]): string[] {
  const next = new Map(
    files.map(({ path, imports }) => [path, imports.flatMap(({ file }) => file ?? [])]),
  )
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (path: string, trail: string[]): void => {
    const at = trail.indexOf(path)
    if (at >= 0) circles.push([...trail.slice(at), path].join(' -> '))
    if (at >= 0 || done.has(path)) return
    for (const to of next.get(path) ?? []) visit(to, [...trail, path])
    done.add(path)
  }
  for (const path of next.keys()) visit(path, [])
  return circles
}

describe('floors', () => {
  test('imports go down or stay in their own part', () => {
    const refused = own.flatMap(({ path, imports }) =>
      imports.flatMap(({ file }) =>
        file?.startsWith('src/') ? (refuseImport(path, file) ?? []) : [],
      ),
    )
    expect(refused).toEqual([])
  })

  test('packages are used on their floors only', () => {
    const refused = own.flatMap(({ path, imports }) =>
      imports.flatMap(({ file, specifier }) =>
        file === undefined ? (refusePackage(path, specifier) ?? []) : [],
      ),
    )
    expect(refused).toEqual([])
  })

  test('no circles of imports', () => {
    expect(findCircles(own)).toEqual([])
  })

  test('src imports nothing of test or scripts', () => {
    const outward = own.flatMap(({ path, imports }) =>
      imports
        .filter(({ file }) => file?.startsWith('test/') || file?.startsWith('scripts/'))
        .map(({ specifier }) => `${path} imports ${specifier}`),
    )
    expect(outward).toEqual([])
  })
})

/** Names of the folders that stand in a folder. */
const foldersOf = (folder: string): string[] => [
  ...new Set(
    own.flatMap(({ path }) => {
      const [name, file] = path.startsWith(folder) ? path.slice(folder.length).split('/') : []
      return name !== undefined && file !== undefined ? [name] : []
    }),
  ),
]

describe('the rules themselves', () => {
  test.each([
    ['src/engine/', ENGINE_ORDER],
    ['src/engine/object/', OBJECT_ORDER],
  ])('every folder of %s has its row', (folder, order) => {
    const rows = Object.keys(order).filter((name) => !name.includes('/'))
    expect(foldersOf(folder).toSorted()).toEqual(rows.toSorted())
  })

  test.each([
    ['src/store/file/open.ts', 'src/kernel/log.ts', true],
    ['src/kernel/log.ts', 'src/store/file/open.ts', false],
    ['src/vendor/libsql-iterate.ts', 'src/kernel/log.ts', false],
    ['src/features/auth/routes.ts', 'src/features/object/routes.ts', false],
    ['src/features/auth/routes.ts', 'src/features/auth/schema.ts', true],
    ['src/engine/object/read/table.ts', 'src/engine/procedure/run-procedure.ts', false],
    ['src/engine/procedure/run-procedure.ts', 'src/engine/object/read/table.ts', true],
    ['src/engine/object/read/table.ts', 'src/engine/object/write/save.ts', false],
    ['src/engine/object/after-write/compute.ts', 'src/engine/object/write/save.ts', false],
    ['src/engine/object/write/submit.ts', 'src/engine/object/after-write/effects.ts', true],
    ['src/engine/object/rules/conflict.ts', 'src/engine/object/write/save.ts', false],
    ['src/engine/object/schema.ts', 'src/engine/object/read/table.ts', false],
    ['src/engine/object/import/import-save.ts', 'src/engine/object/write/save.ts', true],
    ['src/app.ts', 'src/features/auth/routes.ts', true],
    ['src/features/auth/routes.ts', 'src/app.ts', false],
  ])('%s importing %s is allowed: %p', (from, to, allowed) => {
    expect(refuseImport(from, to) === undefined).toBe(allowed)
  })

  test.each([
    ['src/access/sessions/token.ts', 'elysia', false],
    ['src/server/reply.ts', 'elysia', true],
    ['src/model/deploy/rows.ts', 'libsql/promise', false],
    ['src/store/file/open.ts', 'libsql/promise', true],
    ['src/access/users/users.ts', 'drizzle-orm', false],
    ['src/store/read/reading.ts', 'drizzle-orm', false],
    ['src/vendor/libsql-bundle.ts', 'drizzle-orm', false],
    ['src/store/rows.ts', 'drizzle-orm', true],
    ['src/store/tables/webhooks.ts', 'drizzle-orm', true],
    ['src/access/engine-db.ts', 'drizzle-orm/sqlite-core', true],
  ])('%s using %s is allowed: %p', (from, name, allowed) => {
    expect(refusePackage(from, name) === undefined).toBe(allowed)
  })
})
