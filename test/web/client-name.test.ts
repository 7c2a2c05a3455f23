/** Names of clients by their User-Agent. */
import { expect, test } from 'bun:test'
import { nameClient } from '../../src/client/web/pages/account/client-name.ts'

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

test.each([
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME}`, 'Chrome · Windows'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Edg/141.0.0.0`, 'Edge · Windows'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${CHROME}`, 'Chrome · Android'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox · Linux'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 ' +
      '(KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'Safari · iOS',
  ],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['', undefined],
  [null, undefined],
])('%s is %s', (agent, name) => {
  expect(nameClient(agent)).toBe(name)
})
