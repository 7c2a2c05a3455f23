/** The executions of a report that a folder had before versions become those of one document. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openNative } from '../../src/store/connection/native.ts'
import { APPLICATION_ID, MIGRATIONS } from '../../src/store/engine-tables.ts'
import { openStore } from '../../src/store/file/open.ts'
import { LIMITS, makeFolder, rows } from './temporary.ts'

const BEFORE = 4

test('earlier executions of a name are versions of its first one', async () => {
  using made = makeFolder()
  const file = join(made.folder, 'engine.db')
  const database = openNative(file, 'rwc')
  database.exec('PRAGMA journal_mode=WAL')
  for (const sql of MIGRATIONS.engine.slice(0, BEFORE)) database.exec(sql)
  database.exec(`PRAGMA application_id=${APPLICATION_ID.engine}; PRAGMA user_version=${BEFORE}`)
  const row = (type: string, name: string, isCurrent: number): string =>
    `('${type}', '${name}', 'a.xml', '', '', '{}', ${isCurrent}, '2026-11-21T20:00:00.000Z')`
  const values = [
    row('Report', 'Sales', 0),
    row('Entity', 'Order', 0),
    row('Report', 'Stock', 1),
    row('Entity', 'Order', 1),
    row('Report', 'Sales', 1),
  ]
  database.exec(
    `INSERT INTO svc_scripts (Type, Name, FileName, Body, VersionHash, Document, IsCurrent, ` +
      `ExecutedAt) VALUES ${values.join(', ')}`,
  )
  database.exec(`INSERT INTO svc_facts VALUES ('DataId', '0b6f3b0e-0000-4000-8000-000000000001')`)
  database.close()
  const store = await openStore({ file, migrations: 'engine', lanes: 1, limits: LIMITS })
  expect(await rows(store, 'SELECT Id, DocumentId FROM svc_scripts ORDER BY Id')).toEqual(
    [null, null, null, null, 1].map((DocumentId, at) => ({ Id: at + 1, DocumentId })),
  )
  await store.close()
})
