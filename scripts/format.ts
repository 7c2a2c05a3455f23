/** `bun run format`: imports in their order (`sort-imports.ts`), then all files by Prettier. */
import { Glob } from 'bun'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sortImports } from './sort-imports.ts'

const ROOT = join(import.meta.dir, '..')

for (const folder of ['src', 'data/demo', 'test', 'scripts'])
  for (const name of new Glob('**/*.ts').scanSync(join(ROOT, folder))) {
    const path = `${folder}/${name}`
    const text = readFileSync(join(ROOT, path), 'utf8')
    const sorted = await sortImports(path, text)
    if (sorted !== text) writeFileSync(join(ROOT, path), sorted)
  }

const prettier = Bun.spawn([process.execPath, 'x', '--no-install', 'prettier', '--write', '.'], {
  cwd: ROOT,
  stdio: ['ignore', 'inherit', 'inherit'],
})
process.exit(await prettier.exited)
