/**
 * Gives a file what its schema promises and it lacks: an early version of the engine was published
 * with the same number and fewer tables and columns.
 */
import { EMPTY_LOG, HEAD_NAME, hashRecord, writeHead } from './audit-record.ts'
import { toRecord } from './audit-check.ts'
import type { Connection } from './connection.ts'
import { CHAINED, describeColumn, isChained } from './schema-compare.ts'
import type { SchemaRepair, StoredTable } from './schema-compare.ts'

/** Runs the repair in the open transaction, foreign keys off. */
export function repairSchema(connection: Connection, repair: SchemaRepair): void {
  const { database } = connection
  for (const table of repair.tables) database.exec(table.sql)
  const rebuilt = repair.columns.find(({ table, column }) => isChained(table, column))?.table
  if (rebuilt !== undefined) rebuildAudit(connection, rebuilt)
  for (const { table, column } of repair.columns)
    if (table !== rebuilt)
      database.exec(
        `ALTER TABLE "${table.name}" ADD COLUMN "${column.name}" ${describeColumn(column)}`,
      )
  for (const [name, sql] of repair.indexes) database.exec(`DROP INDEX IF EXISTS "${name}"; ${sql}`)
}

const OLD = 'svc_audit_unchained'
const COLUMNS =
  'Id, At, UserId, ImpersonatorId, CompanyId, Source, TraceId, Entity, RecordKey, Action, Changes'
const INDEXES = `SELECT sql AS Sql FROM sqlite_schema
  WHERE type = 'index' AND tbl_name = 'svc_audit' AND sql IS NOT NULL`
const PAGE = 1000

/** The log as it is, chained from its first entry on; its numbers go on where they were. */
function rebuildAudit(connection: Connection, promised: StoredTable): void {
  const { database } = connection
  const indexes = connection.statement(INDEXES).all({})
  database.exec(`ALTER TABLE svc_audit RENAME TO ${OLD}; ${promised.sql}`)
  const page = connection.statement(
    `SELECT ${COLUMNS} FROM ${OLD} WHERE Id > @after ORDER BY Id LIMIT ${PAGE}`,
  )
  const names = [...COLUMNS.split(', '), CHAINED.column]
  const insert = connection.statement(
    `INSERT INTO svc_audit (${names.join(', ')}) VALUES (${names.map((n) => `@${n}`).join(', ')})`,
  )
  let { count, hash } = EMPTY_LOG
  for (let after = 0; ;) {
    const rows = page.all({ after })
    for (const row of rows) {
      hash = hashRecord(hash, toRecord(row))
      insert.run({ ...row, Hash: hash })
      after = Number(row.Id)
      count++
    }
    if (rows.length === 0) break
  }
  if (count > 0)
    connection
      .statement('INSERT OR REPLACE INTO svc_facts (Name, Value) VALUES (@name, @value)')
      .run({ name: HEAD_NAME, value: writeHead({ count, hash }) })
  database.exec(`DELETE FROM sqlite_sequence WHERE name = 'svc_audit';
    UPDATE sqlite_sequence SET name = 'svc_audit' WHERE name = '${OLD}';
    DROP TABLE ${OLD}`)
  for (const { Sql } of indexes) database.exec(String(Sql))
}
