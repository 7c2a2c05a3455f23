/** Conflicts of detail rows: what merges by itself, and what is chosen by row and field. */
import { expect, test } from 'bun:test'
import type { Schemas } from '../../src/client/web/api/wire.ts'
import {
  compareRows,
  listRowChoices,
  listTheirsOfRow,
} from '../../src/client/web/state/row-conflicts.ts'

const field = (Name: string, ReadOnly = false): Schemas['MetadataField'] =>
  ({
    Name,
    ReadOnly,
    LabelField: null,
    Stamp: false,
    Key: Name === 'Id',
  }) as Schemas['MetadataField']

const FIELDS = [field('Id'), field('A'), field('B'), field('Sum', true)]

const row = (id: number, A: number, B: number) => ({ Id: id, A, B, Sum: A + B })

interface Mine {
  A?: number
  B?: number
  isRemoved?: boolean
  isNew?: boolean
}

const typed = (id: number, { isRemoved = false, isNew = false, ...own }: Mine = {}) => {
  const stored = isNew ? {} : row(id, 1, 1)
  return { id: id + 100, stored, isNew, isRemoved, typed: { ...stored, ...own } }
}

const compare = (mine: ReturnType<typeof typed>[], theirs: ReturnType<typeof row>[]) =>
  compareRows({ keys: ['Id'], fields: FIELDS, mine, theirs })

test('rows of one side merge, and are counted where others alone touched them', () => {
  const mine = [typed(1, { A: 2 }), typed(2), typed(3), typed(4, { isNew: true, A: 9 })]
  const found = compare(mine, [row(1, 1, 1), row(2, 5, 1), row(7, 1, 1)])
  expect(found).toEqual({ rows: [], others: { changed: 1, added: 1, deleted: 1 } })
})

test('cells of both are chosen, those of one side in the same row merge', () => {
  const found = compare(
    [typed(1, { A: 2 }), typed(2, { A: 2, B: 2 })],
    [row(1, 1, 7), row(2, 3, 1)],
  )
  const fields = found.rows.map(({ id, at, kind, fields: all }) => [
    id,
    at,
    kind,
    all.map(({ field: { Name }, by }) => `${Name} ${by}`),
  ])
  expect(fields).toEqual([
    [101, 1, 'changed', ['B theirs']],
    [102, 2, 'changed', ['A both']],
  ])
  expect(listRowChoices(found)).toEqual(['row 102 A'])
  const [first, second] = found.rows
  expect(first && listTheirsOfRow(first, {})).toEqual(new Set(['B']))
  expect(second && listTheirsOfRow(second, { 'row 102 A': 'theirs' })).toEqual(new Set(['A']))
})

test('a row that one side took out and the other changed is chosen as a whole', () => {
  const mine = [typed(1, { A: 2 }), typed(2, { isRemoved: true }), typed(3, { isRemoved: true })]
  const found = compare(mine, [row(2, 5, 1), row(3, 1, 1)])
  expect(found.rows.map(({ id, kind }) => [id, kind])).toEqual([
    [101, 'deleted'],
    [102, 'removed'],
  ])
  expect(listRowChoices(found)).toEqual(['row 101', 'row 102'])
})

test('what both did alike is no conflict', () => {
  const found = compare([typed(1, { A: 5 }), typed(2, { isRemoved: true })], [row(1, 5, 1)])
  expect(found.rows).toEqual([])
})
