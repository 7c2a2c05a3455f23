/** A helper is started for each run of it, so what it need not have is not loaded as it starts. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const ENGINE = resolve(import.meta.dir, '../../src/engine')
const transpiler = new Bun.Transpiler({ loader: 'ts' })

/** Packages that are loaded with a file, by itself or by what it imports in turn. */
function findPackages(file: string, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>()
  if (seen.has(file) || !file.endsWith('.ts')) return packages
  seen.add(file)
  // Imports of types are gone once a file is transpiled.
  for (const { path, kind } of transpiler.scanImports(readFileSync(file))) {
    if (kind !== 'import-statement' || path.startsWith('node:')) continue
    if (!path.startsWith('.')) packages.add(path)
    else for (const name of findPackages(resolve(dirname(file), path), seen)) packages.add(name)
  }
  return packages
}

test.each([
  ['extensions/extension-process.ts', ['croner']],
  ['sheets/read-sheet.ts', []],
  ['versioned-documents/definition-text.ts', ['diff']],
])('%s loads no packages but these: %p', (file, allowed) => {
  expect([...findPackages(resolve(ENGINE, file))].sort()).toEqual(allowed)
})

test('what draws charts and bar codes is loaded by a document that has some', () => {
  const packages = [...findPackages(resolve(ENGINE, 'pdf/draw-for-parent.ts'))]
  expect(packages).toContain('pdfkit')
  expect(packages.filter((name) => /^(?:d3-|bwip-js)/.test(name))).toEqual([])
})
