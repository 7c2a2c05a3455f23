/**
 * Traces of a transaction that are no change of a record: actions that ran on it, mails about it.
 * The audit log has them behind the record's own entry, so that what is about a new record comes
 * after its creation.
 */
import { planAuditRecord } from '../../../store/audit/record.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import { planAuthor } from './audit.ts'
import type { ChangeSource } from '../mutation.ts'

/** A trace, as an entry of the audit log about a record. */
interface RecordTrace {
  entity: Entity
  /** In the order of the entity's keys. */
  key: readonly SqlValue[]
  company: SqlValue
  action: 'action' | 'mail'
  facts: Readonly<Record<string, unknown>>
}

declare module '../../../store/store.ts' {
  interface TxFacts {
    /** Traces that the after-write pass is to write. */
    traces?: RecordTrace[]
  }
}

/** Has the after-write pass write a trace, where the entity is audited. */
export function addTrace({ facts }: Tx, trace: RecordTrace): void {
  if (trace.entity.audit) (facts.traces ??= []).push(trace)
}

/** Tells whether a trace waits to be written. */
export const hasTraces = ({ facts }: Tx): boolean => (facts.traces?.length ?? 0) > 0

/** Takes the traces that wait; they no longer do. */
export const takeTraces = ({ facts }: Tx): RecordTrace[] => facts.traces?.splice(0) ?? []

/** Writes traces in their order, each fact as `[null, fact]`. */
export async function writeTraces(
  tx: Tx,
  traces: readonly RecordTrace[],
  origin: ChangeSource,
): Promise<void> {
  const { now } = origin.context
  for (const { entity, key, company, action, facts } of traces) {
    const changes = Object.fromEntries(
      Object.entries(facts).map(([name, to]) => [name, [null, to]]),
    )
    const change = { entity: entity.name, key, action, changes }
    await tx.audit(planAuditRecord(now, planAuthor(origin, company), change))
  }
}
