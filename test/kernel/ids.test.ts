import { expect, test } from 'bun:test'
import { findTraceId, newSecret, newTraceId } from '../../src/kernel/ids.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

test('a trace id has 32 hexadecimal digits and comes once', () => {
  const ids = Array.from({ length: 100 }, newTraceId)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/)
  expect(new Set(ids).size).toBe(100)
})

test.each([
  [`00-${TRACE}-${PARENT}-01`],
  [`00-${TRACE}-${PARENT}-00`],
  [`01-${TRACE}-${PARENT}-01-what-a-later-version-adds`],
])('%s continues a trace', (header) => {
  expect(findTraceId(header)).toBe(TRACE)
})

test.each([
  [''],
  [TRACE],
  [`ff-${TRACE}-${PARENT}-01`],
  [`00-${TRACE}-${PARENT}-01-more`],
  [`00-${'0'.repeat(32)}-${PARENT}-01`],
  [`00-${TRACE}-${'0'.repeat(16)}-01`],
  [`00-${TRACE.toUpperCase()}-${PARENT}-01`],
  [`00-${TRACE.slice(1)}-${PARENT}-01`],
])('%s does not', (header) => {
  expect(findTraceId(header)).toBeUndefined()
})

test('a secret is base64url of as many bytes as it was asked for', () => {
  expect(newSecret()).toMatch(/^[\w-]{43}$/)
  expect(newSecret(12)).toMatch(/^[\w-]{16}$/)
})
