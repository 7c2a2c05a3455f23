import { expect, test } from 'bun:test'
import { createLog } from '../../src/kernel/log.ts'
import { logRequest } from '../../src/server/request-log.ts'
import { startApp } from '../support/app.ts'

const CLOCK = { now: () => new Date('2026-11-21T09:00:00Z') }

/** The line of a request that ended with a status. */
function tell(status: number, address: string | undefined): unknown {
  const lines: string[] = []
  const log = createLog(CLOCK, (text) => lines.push(text))
  logRequest(log, CLOCK, {
    method: 'POST',
    status,
    bytes: '12',
    milliseconds: 1.5,
    facts: {
      path: '/api/v1/auth/login',
      caller: undefined,
      traceId: 'T',
      received: new Request('http://localhost'),
      finders: { findAddress: () => address },
    },
  })
  log.flush()
  return JSON.parse(lines.join(''))
}

test.each([401, 429])('a %p tells where it came from', (status) => {
  expect(tell(status, '198.51.100.7')).toEqual({
    at: '2026-11-21T09:00:00.000Z',
    level: 'info',
    message: 'request',
    method: 'POST',
    path: '/api/v1/auth/login',
    status,
    ms: 1.5,
    bytes: 12,
    address: '198.51.100.7',
    traceId: 'T',
  })
  expect(tell(status, undefined)).not.toHaveProperty('address')
})

test.each([200, 400, 404])('a %p does not', (status) => {
  expect(tell(status, '198.51.100.7')).not.toHaveProperty('address')
})

test.each([
  ['warn', []],
  ['info', ['request', 'request']],
  ['debug', ['request', 'request refused', 'request']],
])('at level %p a page and a refusal are told as %p', async (level, messages) => {
  await using app = await startApp({ settings: { 'Svc:Log:Level': level } })
  await app.fetch('/api/v1/svc/object/orders/metadata', { as: 'ana' })
  await app.fetch('/api/v1/svc/object/nothing/metadata?q=canary', { as: 'ana' })
  app.context.log.flush()
  const told = app.log.map((line) => JSON.parse(line))
  expect(told.map(({ message }) => message)).toEqual(messages)
  expect(told.find(({ level: of }) => of === 'debug')?.code).toBe(
    level === 'debug' ? 'OBJECT_NOT_FOUND' : undefined,
  )
  expect(app.log.join()).not.toContain('canary')
})
