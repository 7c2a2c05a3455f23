/** Types of files, detected by their bytes, an archive's names, and a text's words. */
import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { utils, write } from 'xlsx'
import { explainWrite } from '../../src/kernel/disk-failure.ts'
import { detectType, isAccepted, isInline } from '../../src/engine/files/content-type.ts'
import { requireRoom } from '../../src/engine/files/disk-reserve.ts'
import { cleanFileName, planFileName } from '../../src/engine/files/file-name.ts'
import { temporaryFolder } from '../support/executable.ts'

const home = temporaryFolder()
afterAll(() => home[Symbol.dispose]())

function detect(content: string | Uint8Array, fileName = 'x'): Promise<string> {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content
  const path = join(home.path, 'file')
  writeFileSync(path, bytes)
  return detectType({ path, head: bytes.subarray(0, 4100), fileName })
}

test('binary files by their first bytes, whatever they are called', async () => {
  expect(await detect('\xff\xd8\xff\xe0\0\x10JFIF\0\x01', 'a.txt')).toBe('image/jpeg')
  expect(await detect('GIF89a<script>', 'a.html')).toBe('image/gif')
  expect(await detect('%PDF-1.7\n', 'a.txt')).toBe('application/pdf')
  expect(await detect('MZ\x90\0', 'a.pdf')).toBe('application/x-msdownload')
  expect(await detect('\0\x01\x02', 'a.png')).toBe('application/octet-stream')
})

test('text by what it says, then by its name', async () => {
  expect(await detect('words')).toBe('text/plain')
  expect(await detect('')).toBe('text/plain')
  expect(await detect('gr\xfc\xdfe')).toBe('text/plain')
  expect(await detect('\xff\xfeh\0i\0')).toBe('text/plain')
  expect(await detect('a,b', 'a.CSV')).toBe('text/csv')
  expect(await detect('{}', 'a.json')).toBe('application/json')
  expect(await detect(' <svg/>', 'a.txt')).toBe('image/svg+xml')
  expect(await detect('\xef\xbb\xbf<!DOCTYPE html>', 'a.txt')).toBe('text/html')
  expect(await detect('words <SCRIPT >', 'a.txt')).toBe('text/html')
  expect(await detect('words', 'a.html')).toBe('text/html')
  for (const name of ['a.constructor', 'a.__proto__', 'a.toString'])
    expect(await detect('words', name)).toBe('text/plain')
  expect(await detect('<?xml version="1.0"?>\n<!-- x --><svg>')).toBe('image/svg+xml')
  expect(await detect('<?xml version="1.0"?><note/>')).toBe('application/xml')
})

test('endless comments are one pass', async () => {
  expect(await detect('<!---->'.repeat(500))).toBe('text/plain')
  expect(await detect(`${'<!--x-->'.repeat(100)}<svg>`)).toBe('image/svg+xml')
  expect(await detect(`<?xml ${'<!--x--> '.repeat(400)}`)).toBe('application/xml')
})

test('Office documents by the names of what is in them', async () => {
  const book = utils.book_new()
  utils.book_append_sheet(book, utils.aoa_to_sheet([['a']]), 'One')
  const xlsx = write(book, { type: 'buffer', bookType: 'xlsx' }) as Uint8Array
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  expect(await detect(xlsx, 'a.zip')).toBe(type)
  expect(await detect(xlsx.subarray(0, xlsx.length - 30), 'a.xlsx')).toContain('application/')
  expect(await detect('PK\x03\x04 and nothing more', 'a.docx')).toBe('application/zip')
})

test('no bytes break it', async () => {
  const starts = ['PK\x03\x04', '\x30\x26\xb2\x75', 'RIFF', '<?xml', '\0\0\0\x18ftyp', '%PDF', '']
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 300 }), (start, more) =>
      detect(Buffer.concat([Buffer.from(start, 'latin1'), more])).then((type) =>
        expect(type).toMatch(/^[a-z]+\/[\w.+-]+/),
      ),
    ),
    { numRuns: 200 },
  )
})

test('what a column takes, and what is shown in place', () => {
  expect(isAccepted('image/png', ['application/pdf', 'image/*'])).toBe(true)
  expect(isAccepted('image/png', ['application/pdf'])).toBe(false)
  expect(isAccepted('imagery/png', ['image/*'])).toBe(false)
  expect(isAccepted('text/html', [])).toBe(true)
  expect(['image/svg+xml', 'text/html', 'text/csv', 'application/xml'].some(isInline)).toBe(false)
})

test('any name becomes one that can be shown and saved', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (given) => {
      const name = cleanFileName(given)
      expect(name).not.toMatch(/[/\\\p{Cc}\p{Cf}]|^\.|^$/u)
      expect([...name].length).toBeLessThanOrEqual(200)
      expect(cleanFileName(name)).toBe(name)
    }),
  )
})

test('a title becomes a name of a file that any file system takes, with its mark whole', () => {
  expect(planFileName('Open orders', '2026-11-28')).toBe('Open orders 2026-11-28')
  expect(planFileName('Ein/Aus: "größte"', 'A\\B')).toBe("Ein-Aus - 'größte' A-B")
  expect(planFileName('', '')).toBe('file')
  expect(planFileName('CON', '')).toBe('_CON')
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.nat(), (title, number) => {
      const name = planFileName(title, String(number))
      expect(name).not.toMatch(/[/\\\p{Cc}\p{Cf}:*?"<>|]|^\.|^$/u)
      expect(Buffer.byteLength(`${name}.xlsx`)).toBeLessThanOrEqual(255)
      expect(name).toEndWith(String(number))
    }),
  )
})

test('files leave the database its room, and a full disk is told as one', async () => {
  await requireRoom(home.path, 0)
  const refused = await requireRoom(home.path, Number.MAX_SAFE_INTEGER).catch((e: unknown) => e)
  expect(refused).toMatchObject({ kind: 'unavailable', headers: { 'Retry-After': '60' } })
  const full = await open('/dev/full', 'w')
  const error = await full.writeFile('x').catch((e: unknown) => e)
  await full.close()
  expect(explainWrite(error)).toMatchObject({ kind: 'unavailable' })
  const other = new Error('other')
  expect(explainWrite(other)).toBe(other)
})
