/** Results of a text index about rows that it reads during a search. */
import { expect, test } from 'bun:test'
import type { SearchedText } from '../../src/engine/grid-search/searched-text.ts'
import { TextIndex } from '../../src/engine/grid-search/text-index.ts'

const SOURCE: SearchedText = {
  id: 'letters',
  args: {},
  first: '',
  next: '',
  some: '',
  tables: [],
  own: 'letters',
  referred: new Map(),
}

const hasRoom = (): boolean => true
const isCurrent = (): boolean => true

test('a search that looked before the first page was read leaves all rows to SQL', async () => {
  const index = new TextIndex(SOURCE, 0)
  const findNow = await index.scan('pear', isCurrent)
  expect(findNow?.()).toBeUndefined()
  index.add([[1, 'pear']], hasRoom)
  index.isWhole = true
  expect(findNow?.()).toBeUndefined()
  expect((await index.scan('pear', isCurrent))?.()?.keys).toEqual([1])
})

test('rows of pages that came since it looked are left to SQL', async () => {
  const index = new TextIndex(SOURCE, 0)
  index.add([[1, 'pear']], hasRoom)
  const findNow = await index.scan('pear', isCurrent)
  index.add([[2, 'pear']], hasRoom)
  index.isWhole = true
  expect(findNow?.()).toMatchObject({ keys: [1], readTo: 1 })
})

test('an index of no rows finds none', async () => {
  const index = new TextIndex(SOURCE, 0)
  index.isWhole = true
  expect((await index.scan('pear', isCurrent))?.()).toMatchObject({ keys: [], stale: [] })
})
