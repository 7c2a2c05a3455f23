/** Mail addresses, and the mailboxes that a text names. */
import { expect, test } from 'bun:test'
import { isMailAddress, MAILBOX, MAILTO, parseMailboxes } from '../../src/kernel/mail-address.ts'

const LONG = `${'a'.repeat(64)}@${'b'.repeat(185)}.com`

test.each([
  ['ana@example.com', true],
  ['ana+orders@example.com', true],
  ['o’neill.b@sub.example.com', true],
  ['ana@localhost', true],
  ['änne@münchen.example', true],
  ['ana@xn--mnchen-3ya.example', true],
  [LONG, true],
  [`a${LONG}`, false],
  ['ana@example.com>', false],
  ['<ana@example.com', false],
  ['<ana@example.com>', false],
  ['Ana <ana@example.com>', false],
  ['ana@example.com, bo@example.com', false],
  ['ana@example.com;', false],
  ['ana@@example.com', false],
  ['ana@bo@example.com', false],
  ['ana@example.com (home)', false],
  ['"ana bo"@example.com', false],
  ['mailto:ana@example.com', false],
  ['Team: ana@example.com;', false],
  ['ana@[127.0.0.1]', false],
  ['ana@example..com', false],
  ['.ana@example.com', false],
  ['ana.@example.com', false],
  ['ana@example.com.', false],
  ['ana@', false],
  ['@example.com', false],
  ['', false],
  ['ana bo@example.com', false],
  [' ana@example.com', false],
  ['ana@example.com\n', false],
  ['ana@example.com\r\nBcc: eve@example.com', false],
  ['ana\u200b@example.com', false],
  ['ana\u0000@example.com', false],
])('%j is an address: %p, alone, as a sender and as a URI', (text, is) => {
  expect(isMailAddress(text)).toBe(is)
  expect(MAILTO.test(`mailto:${text}`)).toBe(is || text === `a${LONG}`)
  if (!text.includes('<')) expect(MAILBOX.test(text)).toBe(is || text === `a${LONG}`)
  expect(MAILBOX.test(`Office <${text}>`)).toBe(is || text === `a${LONG}`)
})

test.each([
  ['ana@example.com', [['', 'ana@example.com']]],
  [
    'a@x.example, b@x.example;c@x.example\r\nd@x.example',
    ['a', 'b', 'c', 'd'].map((each) => ['', `${each}@x.example`]),
  ],
  ['Ana Lang <ana@x.example>', [['Ana Lang', 'ana@x.example']]],
  [
    '"Lang, Ana; at home" <ana@x.example>, b@x.example',
    [
      ['Lang, Ana; at home', 'ana@x.example'],
      ['', 'b@x.example'],
    ],
  ],
  ['ana@x.example (at home)', [['at home', 'ana@x.example']]],
  ['"ana@x.example" <ana@x.example>', [['', 'ana@x.example']]],
  ['"ceo@bank.example" <eve@x.example>', []],
  ['Ana <ana@x.example> eve@x.example', []],
  ['Ana ana@x.example', []],
  ['ana@x.example>', []],
  ['<ana@x.example', []],
  ['a@@x.example, nobody, , b@x.example', [['', 'b@x.example']]],
  ['Team: a@x.example, b@x.example;', []],
  ['a@x.example\r\nBcc: eve@x.example', [['', 'a@x.example']]],
  [Array.from({ length: 9 }, (_, at) => `u${at}@x.example`).join(), 5],
] as const)('%j names %j', (text, wanted) => {
  const found = parseMailboxes(text, 5)
  if (typeof wanted === 'number') return expect(found).toHaveLength(wanted)
  expect(found.map(({ name = '', address }) => [name, address])).toEqual(
    wanted.map((each) => [...each]),
  )
})
