/**
 * `bun run format [FILE …]`: imports in their order (`sort-imports.ts`), then Prettier; without
 * names all files. Files that are in order are not written.
 */
import { Glob } from 'bun'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sortImports } from './sort-imports.ts'

const ROOT = join(import.meta.dir, '..')

const listSources = (): string[] =>
  ['src', 'data/demo', 'data/starter', 'test', 'scripts'].flatMap((folder) =>
    [...new Glob('**/*.{ts,tsx}').scanSync(join(ROOT, folder))].map((name) => `${folder}/${name}`),
  )

/** The text but for how Prettier breaks its lines. */
const withoutLayout = (text: string): string => text.replace(/\s+/g, '').replaceAll(',}', '}')

const named = process.argv.slice(2)

for (const path of named.length > 0
  ? named.filter((name) => /\.tsx?$/.test(name))
  : listSources()) {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const sorted = await sortImports(path, text)
  if (withoutLayout(sorted) !== withoutLayout(text)) writeFileSync(join(ROOT, path), sorted)
}

const words = ['prettier', '--write', '--log-level=warn', '--cache', '--cache-strategy=content']
const prettier = Bun.spawn(
  [process.execPath, 'x', '--no-install', ...words, ...(named.length > 0 ? named : ['.'])],
  { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] },
)
process.exit(await prettier.exited)
