/** Mentions in the text of a comment: found while they are typed, put in, and found again. */
import { expect, test } from 'bun:test'
import {
  findMentionQuery,
  insertMention,
  listMentioned,
  splitMentions,
} from '../../src/client/web/state/mention-text.ts'

const SALLY = { Id: 1, DisplayName: 'Sally' }
const MANAGER = { Id: 2, DisplayName: 'Sally Manager' }
const ZOE = { Id: 3, DisplayName: 'Zoë' }

/** The name before the caret `|` of a text. */
function queryOf(marked: string) {
  const caret = marked.indexOf('|')
  return findMentionQuery(marked.replace('|', ''), caret)?.search
}

test.each([
  ['@|', ''],
  ['Ask @sa|', 'sa'],
  ['Ask @sales man| now', 'sales man'],
  ['(@zo|)', 'zo'],
  ['mail@exa|', undefined],
  ['@ sa|', undefined],
  ['@sa  now|', undefined],
  ['@sa\n|', undefined],
  ['no name|', undefined],
  [`@${'x'.repeat(41)}|`, undefined],
])('in %j the name is %j', (marked, search) => {
  expect(queryOf(marked)).toBe(search)
})

test('a chosen name takes the place of what was typed of it', () => {
  const query = { at: 4, search: 'zo' }
  expect(insertMention('Ask @zo', query, ZOE)).toEqual({ text: 'Ask @Zoë ', caret: 9 })
  expect(insertMention('Ask @zo now', query, ZOE)).toEqual({ text: 'Ask @Zoë now', caret: 8 })
})

test('of two names that begin alike the longer one is meant, and a name without @ is none', () => {
  const people = [SALLY, MANAGER, ZOE]
  expect(splitMentions('@Sally Manager, @Sally: Zoë? @Bo', people)).toEqual([
    { text: '@Sally Manager', person: MANAGER },
    { text: ', ' },
    { text: '@Sally', person: SALLY },
    { text: ': Zoë? @Bo' },
  ])
  expect(listMentioned('@Zoë @Zoë and Sally', [...people, ZOE])).toEqual([ZOE])
  expect(splitMentions('', people)).toEqual([])
})
