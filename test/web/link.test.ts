/** Links of models, notifications and records: which of them the client follows. */
import { describe, expect, test } from 'bun:test'
import { fillLink, findLink, isOwnLink } from '../../src/client/web/state/link.ts'

describe('a link', () => {
  test.each([
    '/object/orders',
    '/object/orders?search=mill',
    '/account',
    'https://example.com/help',
    'HTTP://example.com',
    'mailto:help@example.com',
    'tel:+49301234',
  ])('%s is followed', (text) => expect(findLink(text)).toBe(text))

  test.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'blob:https://example.com/1',
    'file:///etc/passwd',
    '//object/orders',
    '/\\object/orders',
    '\\\\object/orders',
    'example.com',
    '/constructor',
    '/__proto__',
    '/tasks',
    '/',
    '',
  ])('%j is not', (text) => expect(findLink(text)).toBeUndefined())

  test('stays here only by a path of its own', () => {
    const own = ['/object', '//object', '/\\object', 'https://x.example']
    expect(own.map(isOwnLink)).toEqual([true, false, false, false])
  })
})

describe('a link with values of a row', () => {
  const row = {
    City: 'Bad Öls & Co/?#',
    Site: 'https://mill.example/a?b=1',
    Evil: 'javascript:alert(1)',
    Other: '//evil.example',
    No: null,
  }

  test.each<[string, string | undefined]>([
    [
      'https://maps.example/?q={City}',
      'https://maps.example/?q=Bad%20%C3%96ls%20%26%20Co%2F%3F%23',
    ],
    ['/object/orders?search={City}', '/object/orders?search=Bad%20%C3%96ls%20%26%20Co%2F%3F%23'],
    ['{Site}', 'https://mill.example/a?b=1'],
    ['{Evil}', undefined],
    ['{Other}', undefined],
    ['https://maps.example/?q={No}', undefined],
    ['https://maps.example/?q={constructor}', undefined],
    ['/{Site}', undefined],
  ])('%s', (template, address) => expect(fillLink(template, row)).toBe(address as string))
})
