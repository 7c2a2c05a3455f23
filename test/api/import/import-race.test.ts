/** Records that move between the check of a file and its writing. */
import { expect, test } from 'bun:test'
import { startHardImports } from '../../support/hard-imports.ts'
import type { Imports } from '../../support/imports.ts'

const change = (app: Imports, sql: string) =>
  app.app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })

/** Runs `sql` when a file is checked and staged, right before its transaction begins. */
function overtake(app: Imports, sql: string): void {
  const { store } = app.app
  const writeAlone = store.writeAlone.bind(store)
  store.writeAlone = async (work, ...given) => {
    store.writeAlone = writeAlone
    await change(app, sql)
    return writeAlone(work, ...given)
  }
}

async function startDocs(): Promise<Imports> {
  const app = await startHardImports()
  await app.save('clerk', 'Regions', { Code: 'north', IsOpen: true }, { IsNew: true })
  await app.save('clerk', 'Regions', { Code: 'south', IsOpen: false }, { IsNew: true })
  const file = 'Title,Region,Status,Amount\na,north,open,1\nb,north,open,2\n'
  await app.take('clerk', { objectName: 'Docs', file })
  return app
}

/** An update of both records, while the first one moves. */
async function race(app: Imports, sql: string, more: { as?: string; onError?: string } = {}) {
  const { as = 'clerk', onError = 'abort' } = more
  overtake(app, sql)
  const fields = { mode: 'upsert', keyFields: 'Title', onError }
  const file = 'Title,Amount,Status\na,10,seen\nb,20,seen\nnew,30,seen\n'
  const region = as === 'regional' ? file.replaceAll('\n', ',north\n') : file
  const sent = { objectName: 'Docs', file: region.replace('Status,north', 'Status,Region'), fields }
  const { status, body } = await app.send(as, sent)
  return { told: [status, body.code], docs: await listDocs(app) }
}

const listDocs = (app: Imports) =>
  app.stored('SELECT Title, Region, Status, Amount FROM docs ORDER BY Title')

const OVERTAKEN = [409, 'IMPORT_OVERTAKEN']
const SECOND = { Title: 'b', Region: 'north', Status: 'open', Amount: 2 }

test('a record that was approved meanwhile is not overwritten', async () => {
  await using app = await startDocs()
  const moved = `UPDATE docs SET Status = 'approved' WHERE Title = 'a'`
  for (const onError of ['abort', 'skip']) {
    const { told, docs } = await race(app, moved, { onError })
    expect(told).toEqual(OVERTAKEN)
    expect(docs).toEqual([{ ...SECOND, Title: 'a', Status: 'approved', Amount: 1 }, SECOND])
    await change(app, `UPDATE docs SET Status = 'open'`)
  }
})

test('a record that left the caller’s rows meanwhile is not overwritten', async () => {
  await using app = await startDocs()
  const moved = `UPDATE docs SET Region = 'south' WHERE Title = 'a'`
  const { told, docs } = await race(app, moved, { as: 'regional' })
  expect(told).toEqual(OVERTAKEN)
  expect(docs).toEqual([{ ...SECOND, Title: 'a', Region: 'south', Amount: 1 }, SECOND])
})

test('a row filter that asks another table is asked again, too', async () => {
  await using app = await startDocs()
  const { told, docs } = await race(app, `UPDATE regions SET IsOpen = 0`, { as: 'regional' })
  expect(told).toEqual(OVERTAKEN)
  expect(docs).toHaveLength(2)
})

test('a field that became read-only meanwhile is not overwritten', async () => {
  await using app = await startDocs()
  const { told, docs } = await race(app, `UPDATE docs SET Status = 'closed' WHERE Title = 'b'`)
  expect(told).toEqual(OVERTAKEN)
  expect(docs[1]).toEqual({ ...SECOND, Status: 'closed' })
})

test('IMPORT_OVERTAKEN: a record that its key field tells no more is left alone', async () => {
  await using app = await startDocs()
  const swapped = `UPDATE docs SET Title = CASE Title WHEN 'a' THEN 'was a' ELSE Title END`
  const { told, docs } = await race(app, swapped)
  expect(told).toEqual(OVERTAKEN)
  expect(docs.map(({ Title, Amount }) => [Title, Amount])).toEqual([
    ['b', 2],
    ['was a', 1],
  ])
})

test('a record that was removed meanwhile is told, with and without a stamp', async () => {
  await using app = await startDocs()
  const { told, docs } = await race(app, `DELETE FROM docs WHERE Title = 'a'`)
  expect(told).toEqual(OVERTAKEN)
  expect(docs).toEqual([SECOND])
})

test('a change that no rule of the import looks at does not stand in its way', async () => {
  await using app = await startDocs()
  const { told, docs } = await race(app, `UPDATE docs SET Pin = '1' WHERE Title = 'a'`)
  expect(told[0]).toBe(200)
  expect(docs.map(({ Amount }) => Amount)).toEqual([10, 20, 30])
})
