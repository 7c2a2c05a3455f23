import { expect, test } from 'bun:test'
import { createLog } from '../../src/kernel/log.ts'
import { logRequest } from '../../src/server/request-log.ts'

const CLOCK = { now: () => new Date('2026-11-21T09:00:00Z') }

/** The line of a request that ended with a status. */
function tell(status: number, address: string | undefined): unknown {
  const lines: string[] = []
  const log = createLog(CLOCK, (text) => lines.push(text))
  logRequest(log, CLOCK, {
    ...{ method: 'POST', status, bytes: '12', milliseconds: 1.5 },
    facts: {
      ...{ path: '/api/v1/auth/login', caller: undefined, traceId: 'T' },
      ...{ received: new Request('http://localhost'), finders: { findAddress: () => address } },
    },
  })
  log.flush()
  return JSON.parse(lines.join(''))
}

test.each([401, 429])('a %p tells where it came from', (status) => {
  expect(tell(status, '198.51.100.7')).toEqual({
    ...{ at: '2026-11-21T09:00:00.000Z', level: 'info', message: 'request', method: 'POST' },
    ...{ path: '/api/v1/auth/login', status, ms: 1.5, bytes: 12 },
    ...{ address: '198.51.100.7', traceId: 'T' },
  })
  expect(tell(status, undefined)).not.toHaveProperty('address')
})

test.each([200, 400, 404])('a %p does not', (status) => {
  expect(tell(status, '198.51.100.7')).not.toHaveProperty('address')
})
