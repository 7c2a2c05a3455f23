/** Checks of imports whose client has left: they end, and leave neither rows, files nor a lock. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Imports, startImports } from '../../support/imports.ts'
import { until } from '../../support/until.ts'

const ROWS = 30_000
const FILE = `Code,Value\n${Array.from({ length: ROWS }, (_, at) => `R-${at},${at % 1000}`).join('\n')}\n`

let all: Imports
beforeAll(async () => {
  all = await startImports()
})
afterAll(() => all.app[Symbol.asyncDispose]())
beforeEach(() =>
  all.app.store.write((tx) => tx.run('DELETE FROM readings'), {
    company: 'all',
    because: 'a test',
  }),
)

const uploads = (): string[] => {
  const path = join(all.app.folder, 'uploads')
  return existsSync(path) ? readdirSync(path) : []
}

interface Told {
  Done: number
  Total: number | null
  State: string
}

/** Sends a file, and leaves as soon as a report is as wanted. */
async function leaveAt(
  isTime: (told: Told) => boolean,
  fields: Readonly<Record<string, string>>,
): Promise<{ status: number; told: Told[]; endedAfterMs: number }> {
  const leaving = new AbortController()
  const told: Told[] = []
  let leftAt = 0
  const end = all.app.context.progress.subscribe((_, { Done, Total, State }) => {
    told.push({ Done, Total, State })
    if (leftAt > 0 || !isTime({ Done, Total, State })) return
    leftAt = performance.now()
    leaving.abort()
  })
  const form = new FormData()
  const given = { objectName: 'Readings', operationId: 'check', ...fields }
  for (const [name, value] of Object.entries(given)) form.set(name, value)
  form.set('file', new File([FILE], 'readings.csv'))
  try {
    const answer = await all.app.handle(
      new Request('http://localhost/api/v1/svc/object/import-data', {
        method: 'POST',
        headers: { Authorization: `Bearer ${all.app.tokens.clerk}` },
        body: form,
        signal: leaving.signal,
      }),
    )
    return { status: answer.status, told, endedAfterMs: performance.now() - leftAt }
  } finally {
    end()
  }
}

const PHASES = [
  { name: 'while rows are read', isTime: ({ Done, Total }: Told) => Total === null && Done > 0 },
  { name: 'while they are written', isTime: ({ Done, Total }: Told) => Total !== null && Done > 0 },
]

test.each(PHASES)('a check whose client leaves $name ends at once', async ({ isTime }) => {
  const { status, told, endedAfterMs } = await leaveAt(isTime, {
    dryRun: 'true',
    mode: 'upsert',
    keyFields: 'Code',
  })
  expect(status).toBe(503)
  expect(endedAfterMs).toBeLessThan(1000)
  expect(told.at(-1)?.State).toBe('failed')
  expect(await all.stored('SELECT count(*) AS Count FROM readings')).toEqual([{ Count: 0 }])
  await until(() => uploads().length === 0)
  // The writer is free, and the next check runs to its end.
  await all.save('clerk', 'Readings', { Code: 'next', Value: '1' })
  const next = await all.take('clerk', {
    objectName: 'Readings',
    file: 'Code,Value\nA,1\n',
    fields: { dryRun: 'true' },
  })
  expect(next).toMatchObject({ Inserted: 1, Failed: 0 })
})

test('an import goes on: a repeat under its key finds what it did', async () => {
  const { status } = await leaveAt(({ Total, Done }) => Total === null && Done > 0, {})
  expect(status).toBe(200)
  expect(await all.stored('SELECT count(*) AS Count FROM readings')).toEqual([{ Count: ROWS }])
})
