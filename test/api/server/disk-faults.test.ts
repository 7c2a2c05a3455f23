/** Answers to callers while the database is missing under the server. */
import { expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { startApp } from '../../support/app.ts'

const ORDER = {
  FormName: 'orders',
  Parameters: { CustomerId: 1, Reference: 'disk-faults' },
}

test('while a database is gone changes and readiness are 503, and reads go on', async () => {
  await using app = await startApp()
  await app.context.extensions.load()
  const save = () => app.fetch('/api/v1/svc/object/submit', { as: 'root', body: ORDER })
  const ready = () => app.fetch('/health/ready')
  expect((await ready()).status).toBe(200)
  for (const name of ['engine.db', 'state.db']) {
    const file = join(app.folder, name)
    renameSync(file, `${file}.away`)
    expect(await ready()).toMatchObject({ status: 503, body: { code: 'STORAGE_FAILED' } })
    const isEngine = name === 'engine.db'
    expect((await save()).status).toBe(isEngine ? 503 : 200)
    const table = await app.fetch('/api/v1/svc/object/orders/table', { as: 'root', body: {} })
    expect(table.status).toBe(200)
    renameSync(`${file}.away`, file)
    expect((await ready()).status).toBe(200)
    expect((await save()).status).toBe(200)
  }
  const refused = app.log.filter((line) => line.includes('was removed'))
  expect(refused.length).toBeGreaterThan(0)
})
