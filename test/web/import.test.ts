/** Choices of an import in a browser: columns, what is missed, the fields of its form. */
import { describe, expect, test } from 'bun:test'
import {
  cutHead,
  findFaultCells,
  findsRecords,
  type ImportChoice,
  listMissing,
  mapColumn,
  planForm,
  proposeNames,
} from '../../src/client/web/parts/import/plan-import.ts'

const field = (Name: string, more: object = {}) => ({
  Name,
  Field: Name.replace('__Label', ''),
  Label: Name,
  Required: false,
  Key: false,
  ...more,
})

const PREVIEW = {
  Sheets: ['A', 'B'],
  Sheet: 'B',
  Columns: [
    { Head: 'Id', Name: 'Id' },
    { Head: 'Title', Name: null },
    { Head: 'Group', Name: 'Group__Label' },
    { Head: '', Name: null },
  ],
  Rows: [],
  Fields: [
    field('Id', { Key: true }),
    field('Name', { Required: true }),
    field('Group__Label', { Required: true }),
    field('Group', { Required: true }),
  ],
}

const choose = (more: Partial<ImportChoice>): ImportChoice => ({
  mode: 'insert',
  names: [null, null, 'Group__Label', null],
  keyFields: [],
  skips: false,
  culture: '',
  ...more,
})

describe('columns become fields', () => {
  test('as their heads say, a key only where stored records are found', () => {
    expect(proposeNames(PREVIEW, 'insert')).toEqual([null, null, 'Group__Label', null])
    expect(proposeNames(PREVIEW, 'upsert')).toEqual(['Id', null, 'Group__Label', null])
  })

  test('each field of one column alone', () => {
    expect(mapColumn(['A', 'B', null], 2, 'A')).toEqual([null, 'B', 'A'])
    expect(mapColumn(['A', 'B', null], 1, null)).toEqual(['A', null, null])
  })

  test('what new records need and no column brings is told once, by key or label', () => {
    const labels = (choice: ImportChoice) => listMissing(PREVIEW, choice).map(({ Name }) => Name)
    expect(labels(choose({}))).toEqual(['Name'])
    expect(labels(choose({ names: [null, 'Name', 'Group', null] }))).toEqual([])
    expect(labels(choose({ names: [null, 'Name', null, null] }))).toEqual(['Group__Label'])
    expect(labels(choose({ mode: 'update' }))).toEqual([])
  })

  test('stored records are found by the key, or by fields that columns bring', () => {
    const finds = (more: Partial<ImportChoice>) => findsRecords(PREVIEW, choose(more), ['Id'])
    expect(finds({})).toBe(true)
    expect(finds({ mode: 'update' })).toBe(false)
    expect(finds({ mode: 'update', names: ['Id', null, null, null] })).toBe(true)
    expect(finds({ mode: 'upsert', keyFields: ['Name'] })).toBe(false)
    expect(finds({ mode: 'upsert', keyFields: ['Group'] })).toBe(true)
  })
})

test('the form has the mapping by heads, the sheet, and mended cells by line and head', () => {
  const cells = new Map([[3, new Map([[2, 'Tools']])]])
  const more = { mode: 'upsert' as const, keyFields: ['Group'], culture: 'de-DE' }
  const form = planForm('products', PREVIEW, { ...choose(more), sheet: 'B', cells })
  expect(form).toEqual({
    objectName: 'products',
    mode: 'upsert',
    mapping: JSON.stringify({ Id: null, Title: null, Group: 'Group__Label' }),
    keyFields: '["Group"]',
    culture: 'de-DE',
    sheet: 'B',
    cells: '{"3":{"Group":"Tools"}}',
  })
})

test('a fault marks the cell of its field, one of the row marks all that are read', () => {
  const names = ['Id', null, 'Group__Label', null]
  expect([...findFaultCells(PREVIEW, names, { Group: 'No such group' })]).toEqual([2])
  expect([...findFaultCells(PREVIEW, names, { '': 'Too many cells' })]).toEqual([0, 2])
})

test('of a long text whole lines of its beginning are sent, other files as a whole', async () => {
  const line = `${'x'.repeat(99)}\n`
  const long = new File([line.repeat(20_000)], 'long.csv')
  const head = await cutHead(long)
  expect(head.size).toBeLessThan(600_000)
  expect((await head.text()).endsWith('x\n')).toBe(true)
  const book = new File([`PK${line.repeat(20_000)}`], 'long.xlsx')
  expect(await cutHead(book)).toBe(book)
  const short = new File([line], 'short.csv')
  expect(await cutHead(short)).toBe(short)
})
