import { expect, test } from 'bun:test'
import {
  areBrowserKeys,
  encryptMessage,
  formatMessage,
  type PushMessage,
} from '../../src/engine/web-push/push-message.ts'
import { Browser } from '../support/push-service.ts'

const MESSAGE: PushMessage = {
  Id: 1,
  Seq: 2,
  Title: 'A',
  Body: 'B',
  Level: 'info',
  Object: 'Notes',
  Keys: { Id: 4 },
  Url: '/a',
  Kind: 'k',
}

test('a message that fits is sent as it is', () => {
  expect(JSON.parse(formatMessage(MESSAGE))).toEqual({ ...MESSAGE })
})

const LONG: [string, Partial<PushMessage>][] = [
  ['a body', { Body: 'x'.repeat(100_000) }],
  ['characters of four bytes', { Body: '😀'.repeat(5000) }],
  ['what JSON writes longer', { Body: '\u0000"\\\n'.repeat(3000) }],
  ['a title', { Title: 'é'.repeat(9000), Body: null }],
  ['all of it', { Title: 'é'.repeat(9000), Body: '語'.repeat(9000), Url: `/${'a'.repeat(9000)}` }],
]

test.each(LONG)('a message that is too long ends early and says so: %s', (_, long) => {
  const message = { ...MESSAGE, ...long }
  const text = formatMessage(message)
  const read = JSON.parse(text) as PushMessage
  const body = encryptMessage(text, new Browser('').subscription.keys)
  expect(body.byteLength).toBeLessThanOrEqual(4096)
  expect(body.byteLength).toBeGreaterThan(long.Body === null ? 1000 : 3900)
  expect(read.IsCut).toBe(true)
  for (const name of ['Title', 'Body'] as const) {
    const whole = message[name]
    const shown = read[name]?.replace(/…$/, '') ?? null
    expect(whole === null ? shown === null : whole.startsWith(shown ?? '-')).toBe(true)
    expect(shown?.isWellFormed() ?? true).toBe(true)
  }
})

test('two messages to one browser have nothing in common', () => {
  const { keys } = new Browser('').subscription
  const [first, second] = [encryptMessage('a', keys), encryptMessage('a', keys)]
  expect(first.subarray(0, 16).equals(second.subarray(0, 16))).toBe(false)
  expect(first.subarray(21, 86).equals(second.subarray(21, 86))).toBe(false)
})

test('keys are a point of the curve and 16 bytes', () => {
  const { keys } = new Browser('').subscription
  expect(areBrowserKeys(keys)).toBe(true)
  expect(areBrowserKeys({ ...keys, auth: 'AAAA' })).toBe(false)
  expect(areBrowserKeys({ ...keys, p256dh: keys.p256dh.replace(/^./, 'A') })).toBe(false)
})
