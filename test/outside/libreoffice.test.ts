/** LibreOffice opens what was exported and finds in each cell what was meant. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from '../support/executable.ts'
import { type MadeFile, startExportedTypes } from '../support/exported-types.ts'
import { data, type Row } from '../support/objects.ts'

/** Its first start makes a profile. */
const START_MS = 120_000

const SOFFICE = Bun.which('soffice') ?? '/usr/bin/soffice'
const home = temporaryFolder()
let yard: Awaited<ReturnType<typeof startExportedTypes>>

const TEXTS = ['=1+1', '+49 30 1234', '-1', '@SUM(1)', '\t=1', '"=1"', ' kept ', 'é😀', "it's"]

beforeAll(async () => {
  yard = await startExportedTypes({ clock: { now: () => new Date('2026-11-21T09:00:00Z') } })
  for (const [at, Name] of TEXTS.entries()) {
    await yard.save('lead', 'things', {
      Code: `T${at}`,
      Name,
      Amount: 1234.5 + at,
      Count: at,
      Active: at % 2 === 0,
      MadeOn: '2026-05-31',
      SeenAt: '2026-07-01T12:00:00Z',
      OpensAt: '13:45:00',
      Extra: { a: 1 },
    })
  }
})
/** The workbooks that tests look at, opened together: each start of LibreOffice takes long. */
let things: Sheets
let template: Sheets
beforeAll(async () => {
  const answer = await yard.call<{ File: MadeFile }>('lead', '/things/import-template')
  const books = await openIn({
    'things.xlsx': await exportAs('xlsx'),
    'template.xlsx': await yard.fetchBytes('lead', data(answer).File.Url),
  })
  things = books[0] ?? new Map()
  template = books[1] ?? new Map()
}, START_MS)
afterAll(async () => {
  await yard[Symbol.asyncDispose]()
  home[Symbol.dispose]()
})

interface Cell {
  type: string | undefined
  value: string | undefined
  text: string
  formula: string | undefined
}

const attribute = (attributes: string, name: string): string | undefined =>
  new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1]

const unescape = (text: string): string =>
  text
    .replace(/<text:s(?: text:c="(\d+)")?\/>/g, (_, count) => ' '.repeat(Number(count ?? 1)))
    .replace(/<text:tab\/>/g, '\t')
    .replace(/<[^>]+>/g, '')
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => NAMED[name] ?? '')

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

type Sheets = Map<string, Cell[][]>

/** The sheets of each file as LibreOffice reads it, by name: rows of cells. */
async function openIn(files: Record<string, Uint8Array>, filter: string[] = []): Promise<Sheets[]> {
  const folder = join(home.path, crypto.randomUUID())
  mkdirSync(folder)
  const paths = Object.keys(files).map((name) => join(folder, name))
  for (const [at, bytes] of Object.values(files).entries()) writeFileSync(paths[at] ?? '', bytes)
  const profile = `-env:UserInstallation=${pathToFileURL(join(home.path, 'profile')).href}`
  const to = ['--convert-to', 'fods', '--outdir', folder, ...paths]
  const child = Bun.spawn([SOFFICE, profile, '--headless', '--norestore', ...filter, ...to], {
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  expect(await child.exited).toBe(0)
  return paths.map((path) => readSheets(readFileSync(path.replace(/\w+$/, 'fods'), 'utf8')))
}

function readSheets(xml: string): Sheets {
  const sheets: Sheets = new Map()
  for (const [, head = '', body = ''] of xml.matchAll(
    /<table:table ([^>]*)>(.*?)<\/table:table>/gs,
  )) {
    const rows = [...body.matchAll(/<table:table-row[^>]*>(.*?)<\/table:table-row>/gs)]
    sheets.set(
      attribute(` ${head}`, 'table:name') ?? '',
      rows.map(([, row = '']) => readCells(row)),
    )
  }
  return sheets
}

function readCells(row: string): Cell[] {
  const cells = row.matchAll(/<table:table-cell([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)
  return [...cells].flatMap(([, attributes = '', body = '']) => {
    const type = attribute(attributes, 'office:value-type')
    const name = type === 'float' ? 'value' : `${type}-value`
    const cell = {
      type,
      value: attribute(attributes, `office:${name}`),
      text: unescape(/<text:p>(.*)<\/text:p>/s.exec(body)?.[1] ?? ''),
      formula: attribute(attributes, 'table:formula'),
    }
    const times = Number(attribute(attributes, 'table:number-columns-repeated') ?? 1)
    return Array.from({ length: Math.min(times, 100) }, () => cell)
  })
}

/** Rows by their heads. */
function byHead([heads = [], ...rows]: Cell[][]): Record<string, Cell>[] {
  return rows.map((row) =>
    Object.fromEntries(row.slice(0, heads.length).map((cell, at) => [heads[at]?.text ?? '', cell])),
  )
}

/** Without a window nobody picks what the mark says: commas, quotes, UTF-8. */
const UTF8_CSV = '--infilter=Text - txt - csv (StarCalc):44,34,76,1'

const Sort = [{ Field: 'Id' }]

async function exportAs(Format: string, more: Row = {}): Promise<Uint8Array> {
  const answer = await yard.app.fetch<{ data: { File: MadeFile } }>(
    '/api/v1/svc/object/export-data',
    {
      as: 'lead',
      headers: { 'X-TimeZone': 'Europe/Berlin' },
      body: { ObjectName: 'things', Format, Sort, ...more },
    },
  )
  return yard.fetchBytes('lead', answer.body.data.File.Url)
}

test('a workbook: days, instants, times, numbers, booleans and texts, none a formula', () => {
  expect([...things.keys()]).toEqual(['Things'])
  const rows = byHead(things.get('Things') ?? []).slice(0, TEXTS.length)
  // As they are stored: without blanks at their ends.
  expect(rows.map((row) => row.Title?.text)).toEqual(TEXTS.map((text) => text.trim()))
  const first = rows[0] ?? {}
  expect(first.Amount).toMatchObject({ type: 'float', value: '1234.5', text: '1,234.50' })
  expect(first.Count).toMatchObject({ type: 'float', value: '0' })
  // It keeps truth as a formula of its own.
  expect(first.Active).toMatchObject({ value: '1', text: 'TRUE', formula: 'of:=TRUE()' })
  expect(first['Made on']).toMatchObject({
    type: 'date',
    value: '2026-05-31',
    text: '31.05.2026',
  })
  expect(first['Seen at']).toMatchObject({ type: 'date', value: '2026-07-01T14:00:00' })
  expect(first['Opens at']).toMatchObject({ type: 'time', value: 'PT13H45M00S' })
  expect(first.Extra).toMatchObject({ type: 'string', text: '{"a":1}' })
  const formulas = rows.flatMap(({ Active: _, ...row }) => Object.values(row))
  expect(formulas.flatMap(({ formula }) => formula ?? [])).toEqual([])
})

test(
  'csv: UTF-8 by its mark, and no cell is run',
  async () => {
    const [sheets] = await openIn({ 'things.csv': await exportAs('csv') }, [UTF8_CSV])
    const [rows = []] = sheets?.values() ?? []
    const told = byHead(rows).slice(0, TEXTS.length)
    expect(told[7]?.Title?.text).toBe('é😀')
    expect(told[0]?.Title).toMatchObject({ type: 'string', text: "'=1+1" })
    expect(told[0]?.Amount).toMatchObject({ type: 'float', value: '1234.5' })
    expect(rows.flat().flatMap(({ formula }) => formula ?? [])).toEqual([])
  },
  START_MS,
)

test('a template: its heads, and the options on a sheet of their own', () => {
  expect([...template.keys()]).toEqual(['Things', 'Options'])
  const [heads = []] = template.get('Things') ?? []
  expect(heads.map(({ text }) => text)).toContain('State')
  expect((template.get('Options') ?? []).map(([cell]) => cell?.text).slice(0, 2)).toEqual([
    'New',
    'It is done',
  ])
})
