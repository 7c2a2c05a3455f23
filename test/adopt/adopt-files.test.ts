/** Bytes of a source become files of the records: none is lost, and each is what it was. */
import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { CommandHome } from './command.ts'
import { makeSource } from './sources.ts'

const home = new CommandHome()
afterAll(() => home[Symbol.dispose]())

const PNG = '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489'
const JPEG = 'ffd8ffe000104a46494600010100000100010000'
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n').toString('hex')
const LONG_BYTES = 9_000_000

const FILES = `
CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT, picture BLOB, sheet BLOB, digest BLOB,
  code BINARY(16) NOT NULL);
INSERT INTO product VALUES
  (1, 'Pen', x'${PNG}', x'${PDF}', x'0011', x'00112233445566778899aabbccddeeff'),
  (2, 'Ink', x'${JPEG}', NULL, NULL, x'00'), (3, 'Cap', x'', NULL, x'fe', x'01'),
  (4, 'Box', NULL, zeroblob(${LONG_BYTES}), x'', x'02');
CREATE TABLE attachments (box TEXT, slot INTEGER, file_name TEXT, body BLOB, checked BLOB,
  PRIMARY KEY (box, slot)) WITHOUT ROWID;
INSERT INTO attachments VALUES ('a', 1, '../offer 2021.pdf', x'${PDF}', NULL),
  ('a', 2, ' ', x'${PDF}', NULL), ('b', 1, 'photo', x'${JPEG}', NULL);
CREATE TABLE loose (title TEXT, data BLOB); CREATE INDEX loose_data ON loose (data);
INSERT INTO loose VALUES ('plan.txt', CAST(printf('%.*c', 100, 'x') AS BLOB));
`

interface StoredFile {
  Entity: string
  RecordKey: string
  Field: string
  FileName: string
  ContentType: string
  Size: number
  Sha256: string
}

const listFiles = (data: string): StoredFile[] =>
  home.read(
    data,
    `SELECT Entity, RecordKey, Field, FileName, ContentType, Size, Sha256 FROM svc_files
     ORDER BY Entity, Field, RecordKey`,
  ) as StoredFile[]

test('columns of bytes are files, named and typed by their content', async () => {
  makeSource(home.path('files.db'), FILES)
  const dry = await home.run('adopt', 'files.db', '--dry-run', '--data', 'files')
  expect([dry.exitCode, existsSync(home.path('files'))]).toEqual([0, false])
  const adopted = await home.run('adopt', 'files.db', '--data', 'files')
  expect([adopted.exitCode, adopted.err]).toEqual([0, ''])
  expect(listFiles('files').map((file) => Object.values(file).slice(0, 6).join(' | '))).toEqual([
    'Attachment | ["a",1] | body | offer 2021.pdf | application/pdf | 15',
    'Attachment | ["a",2] | body | body-a-2.pdf | application/pdf | 15',
    'Attachment | ["b",1] | body | photo.jpg | image/jpeg | 20',
    'Loose | [1] | data | plan.txt | text/plain | 100',
    'Product | [1] | picture | picture-1.png | image/png | 33',
    'Product | [2] | picture | picture-2.jpg | image/jpeg | 20',
    'Product | [1] | sheet | sheet-1.pdf | application/pdf | 15',
    `Product | [4] | sheet | sheet-4.bin | application/octet-stream | ${LONG_BYTES}`,
  ])
  for (const line of [
    'changed  product.picture: is a File: 3 values, 53 bytes in total',
    'changed  product.digest: is a Text: its bytes in hexadecimal (3 values, 3 bytes in total)',
    'left     loose: the index loose_data: it has a column of files',
  ]) {
    expect(adopted.lines).toContain(line)
    expect(dry.lines).toContain(line)
  }
  expect(home.read('files', 'SELECT id, digest, code FROM product WHERE id < 3')).toEqual([
    { id: 1, digest: '0011', code: '00112233445566778899aabbccddeeff' },
    { id: 2, digest: null, code: '00' },
  ])
})

test('files are whole, belong to their records, and pass the checks', async () => {
  const long = createHash('sha256').update(Buffer.alloc(LONG_BYTES)).digest('hex')
  expect(listFiles('files').find(({ Size }) => Size === LONG_BYTES)?.Sha256).toBe(long)
  const [{ picture }] = home.read('files', 'SELECT picture FROM product WHERE id = 1') as [
    { picture: string },
  ]
  const [{ Path }] = JSON.parse(picture) as [{ Path: string }]
  expect(readFileSync(home.path('files', 'files', Path)).toString('hex')).toBe(PNG)
  for (const words of [['--data', 'files'], ['files-model']]) {
    const checked = await home.run('check', ...words)
    expect([checked.exitCode, checked.err]).toEqual([0, ''])
  }
})

test('an adoption that fails amid the rows leaves no file', async () => {
  makeSource(
    home.path('large.db'),
    `CREATE TABLE a (id INTEGER PRIMARY KEY, picture BLOB);
     INSERT INTO a VALUES (1, x'${PNG}');
     CREATE TABLE b (x TEXT); INSERT INTO b (rowid, x) VALUES (${2n ** 60n}, 'x');`,
  )
  const failed = await home.run('adopt', 'large.db', '--data', 'large')
  expect([failed.exitCode, failed.out]).toEqual([1, ''])
  expect(failed.err).toContain('b: a row has a number that is too large for a key')
  expect(readdirSync(home.path('large', 'files'))).toEqual([])
  expect(listFiles('large')).toEqual([])
})
