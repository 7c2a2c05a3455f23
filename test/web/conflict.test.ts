/** Conflicts of a save: what is merged by itself, and what is chosen. */
import { expect, test } from 'bun:test'
import type { Schemas } from '../../src/client/web/api/wire.ts'
import { listConflicts, listTheirs } from '../../src/client/web/state/conflict.ts'

const field = (Name: string, LabelField: string | null = null): Schemas['MetadataField'] =>
  ({ Name, LabelField, Stamp: false, Key: false }) as Schemas['MetadataField']

const FIELDS = [field('A'), field('B'), field('C'), field('D'), field('E', 'E__Label'), field('F')]
const before = { A: 1, B: 1, C: 1, D: 1, E: 1, F: null }
const mine = { A: 2, B: 1, C: 2, D: 2, E: 2, F: null }
const theirs = { A: 1, B: 2, C: 2, D: 3, E: 3 }

test('fields of one side merge, the same value of both is none, fields of both come first', () => {
  const found = listConflicts(FIELDS, { before, mine, theirs })
  expect(found.map(({ field: { Name }, by }) => [Name, by])).toEqual([
    ['D', 'both'],
    ['E', 'both'],
    ['A', 'mine'],
    ['B', 'theirs'],
  ])
})

test('what is taken of others are their own fields and the chosen ones, with their labels', () => {
  const found = listConflicts(FIELDS, { before, mine, theirs })
  expect(listTheirs(found, { D: 'mine', E: 'theirs' })).toEqual(new Set(['E', 'E__Label', 'B']))
})
