import { expect, test } from 'bun:test'
import { type CallOptions, startApp } from '../../support/app.ts'

const OBJECTS = '/api/v1/svc/object'

/** How long each stage took, by its name. */
function readStages(header: string | null): Map<string, number> {
  const entries = (header ?? '').split(', ').map((entry) => entry.split(';dur='))
  return new Map(entries.map(([name = '', duration]) => [name, Number(duration)]))
}

test.each<[string, CallOptions, string[]]>([
  [`${OBJECTS}/orders/table`, { body: {} }, ['admit', 'gate', 'body', 'plan', 'sql', 'answer']],
  [`${OBJECTS}/orders/metadata`, {}, ['admit', 'gate', 'answer']],
  [
    `${OBJECTS}/submit`,
    { body: { FormName: 'Topics', IsNew: true, Parameters: { Code: 'TIMED', Name: 'Timed' } } },
    ['admit', 'gate', 'body', 'plan', 'write', 'answer'],
  ],
])('%s tells its stages, which add up to less than all of it', async (path, call, stages) => {
  await using app = await startApp({ settings: { 'Svc:Http:ServerTiming': 'true' } })
  const startedAt = performance.now()
  const { status, headers } = await app.fetch(path, { as: 'root', ...call })
  const elapsed = performance.now() - startedAt
  expect(status).toBe(200)
  const told = readStages(headers.get('server-timing'))
  expect([...told.keys()]).toEqual(stages)
  const sum = [...told.values()].reduce((all, one) => all + one, 0)
  expect(sum).toBeGreaterThan(0)
  // Each is rounded to a hundredth.
  expect(sum).toBeLessThan(elapsed + 0.01 * stages.length)
})

test('a refusal has them, too', async () => {
  await using app = await startApp({ settings: { 'Svc:Http:ServerTiming': 'true' } })
  const { status, headers } = await app.fetch(`${OBJECTS}/orders/metadata`)
  expect(status).toBe(401)
  expect([...readStages(headers.get('server-timing')).keys()]).toEqual(['answer'])
})

test('requests side by side have each its own', async () => {
  await using app = await startApp({ settings: { 'Svc:Http:ServerTiming': 'true' } })
  const [page, metadata] = await Promise.all([
    app.fetch(`${OBJECTS}/orders/table`, { as: 'ana', body: {} }),
    app.fetch(`${OBJECTS}/orders/metadata`, { as: 'ana' }),
  ])
  expect(page.headers.get('server-timing')).toContain('sql;dur=')
  expect(metadata.headers.get('server-timing')).not.toContain('sql;dur=')
})

test('where nobody asks for it, nothing is told', async () => {
  await using app = await startApp({ settings: { 'Svc:Http:ServerTiming': 'false' } })
  const { headers } = await app.fetch(`${OBJECTS}/orders/table`, { as: 'ana', body: {} })
  expect(headers.get('server-timing')).toBeNull()
})
