/** The chain of the audit log, recomputed from its documentation. */
import type { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'

const ENTRIES = `SELECT Id, Hash, At, UserId, ImpersonatorId, CompanyId, Source, TraceId, Entity,
  RecordKey, Action, Changes FROM svc_audit ORDER BY Id`
const HEAD = "SELECT Value FROM svc_facts WHERE Name = 'AuditHead'"

/** Where the log does not hold together, as sentences. */
export function inspectAudit(database: Database): string[] {
  return database.transaction(() => {
    let before = '0'.repeat(64)
    let count = 0
    for (const [id, hash, ...content] of database.query(ENTRIES).values()) {
      const text = JSON.stringify([before, ...content])
      before = createHash('sha256').update(text).digest('hex')
      if (hash !== before) return [`audit entry ${String(id)} does not follow the one before it`]
      count++
    }
    const [head] = database.query(HEAD).values()
    const expected = `${count}:${before}`
    if (head?.[0] === expected || (count === 0 && head === undefined)) return []
    return [`the audit log ends at ${expected}, its head says ${String(head?.[0])}`]
  })()
}
