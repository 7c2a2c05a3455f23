/** An answer whose file is gone from under it when it is to be sent. */
import { expect, test } from 'bun:test'
import { createLog } from '../../src/kernel/log.ts'
import { refuseLate } from '../../src/server/refusal.ts'

test('a file that the disk refuses when its answer is sent is 503 in the envelope', async () => {
  const lines: string[] = []
  const log = createLog({ now: () => new Date(0) }, (text) => lines.push(text))
  const refused = await Bun.file(`${import.meta.path}/no-folder`)
    .text()
    .catch((error: unknown) => refuseLate(log, error))
  const response = refused as Response
  expect(response.status).toBe(503)
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  const traceId = response.headers.get('x-trace-id')
  expect(await response.json()).toEqual({
    success: false,
    error: 'The server cannot read files right now. Try again later.',
    code: 'STORAGE_FAILED',
    traceId,
  })
  expect(lines.join()).toContain(`"traceId":"${traceId}"`)
})
