import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readModelFolder } from '../../src/model/parse/folder.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'folder-'))
  for (const path of ['many/b/c.xml', 'many/a.xml', 'many/b.XML', 'many/readme.md', 'odd/x.xml']) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), `<!-- ${path} -->`)
  }
  writeFileSync(join(folder, 'odd/x.xml'), Buffer.from([0x3c, 0xff, 0x3e]))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('every .xml below the folder, by path and in its order, verbatim', async () => {
  expect(await readModelFolder(join(folder, 'many'))).toEqual([
    { name: 'a.xml', body: '<!-- many/a.xml -->' },
    { name: 'b.XML', body: '<!-- many/b.XML -->' },
    { name: 'b/c.xml', body: '<!-- many/b/c.xml -->' },
  ])
})

const refusals: { path: string; message: string }[] = [
  { path: 'odd', message: 'x.xml is not encoded as UTF-8' },
  { path: 'many/a.xml', message: 'is a file, not a folder' },
  { path: 'none', message: 'There is no folder' },
]
for (const { path, message } of refusals)
  test(`refused: ${message}`, async () => {
    const [outcome] = await Promise.allSettled([readModelFolder(join(folder, path))])
    expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'ModelFolderError' } })
    expect(outcome?.status === 'rejected' && String(outcome.reason)).toContain(message)
  })
