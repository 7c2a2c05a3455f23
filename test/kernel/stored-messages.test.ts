/** Stored sentences: read in the reader's language, and other texts as they were written. */
import { expect, test } from 'bun:test'
import { learnTranslations, noun, plain, say } from '../../src/kernel/messages.ts'
import { renderStored, storeMessage } from '../../src/kernel/stored-messages.ts'

learnTranslations({
  de: [
    ['Removed by {0}: {1}', 'Entfernt von {0}: {1}'],
    ['The {0} is used up', 'Verbraucht: {0}'],
    ['Ticket', 'Marke'],
  ],
})

const label = noun(say`Ticket`)
const message = say`Removed by ${'{1}'}: ${say`The ${label} is used up`}`

test.each([
  [undefined, 'Removed by {1}: The ticket is used up'],
  ['de-AT', 'Entfernt von {1}: Verbraucht: Marke'],
  ['fr', 'Removed by {1}: The ticket is used up'],
])('a stored sentence is read in %p', (language, text) => {
  expect(renderStored(storeMessage(message), language)).toBe(text)
})

test.each([
  'an error of the database',
  '',
  '{"say":',
  '{"say":"Ticket"}',
  '{"say":"Ticket","with":[null]}',
  '{"say":"Ticket","with":[]}',
])('a text of others is read as it was stored: %p', (text) => {
  expect(renderStored(storeMessage(text), 'de')).toBe(text)
  expect(renderStored(storeMessage(plain(text)), 'de')).toBe(text)
})

test('what an earlier version stored is read as it is', () => {
  expect(renderStored('Deleted by ana', 'de')).toBe('Deleted by ana')
  expect(renderStored('{"say":"Ticket","with":[', 'de')).toBe('{"say":"Ticket","with":[')
})

test('a text over its maximum is cut, and a sentence then stays in English', () => {
  expect(storeMessage('x'.repeat(100), 10)).toBe('x'.repeat(10))
  expect(storeMessage(message, 30)).toBe('Removed by {1}: The ticket is ')
})
