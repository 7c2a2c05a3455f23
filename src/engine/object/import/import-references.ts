/** References of imported rows: each value is judged once, where no row can change the answer. */
import type { FieldErrors } from '../../../kernel/failure.ts'
import type { Message } from '../../../kernel/messages.ts'
import type { Field } from '../../../model/model.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import { planDraft, type Changes } from '../after-write/changes.ts'
import { isContextName } from '../context.ts'
import type { ImportPlan } from './import-plan.ts'
import { isReference, listLookups } from '../lookup/lookup.ts'
import { findFaultyReference, findReferred, type PointingCheck } from '../write/references.ts'
import { toTableSet, type TableSet } from '../read/table-set.ts'

/** Judged values kept for a field. */
const KEPT_MAX = 20_000

const NOTHING_ASKED: ReadonlyMap<Field, undefined> = new Map()

/** Judges the references of rows, as `checkReferences` does those of one record. */
export class ReferenceValidation {
  readonly #plan: ImportPlan
  readonly #reader: Reader
  readonly #fields: readonly {
    field: Field
    known: Map<SqlValue, Message | undefined> | undefined
  }[]
  readonly #chosen: ReadonlySet<Field>

  constructor(plan: ImportPlan, reader: Reader) {
    this.#plan = plan
    this.#reader = reader
    this.#fields = listPointing(plan).map((field) => ({
      field,
      known: dependsOnRow(field) ? undefined : new Map(),
    }))
    this.#chosen = new Set(
      plan.staged.filter(({ from }) => from !== undefined).map(({ field }) => field),
    )
  }

  /**
   * A message for each reference to nothing, as `checkReferences` has it; a promise only where a
   * value has to be asked for. `asked` is what is known of this row alone.
   */
  check(
    changes: Changes,
    stored: SqlRow | undefined,
    requested: ReadonlyMap<Field, Message | undefined> = NOTHING_ASKED,
  ): FieldErrors | undefined | Promise<FieldErrors | undefined> {
    let faults: FieldErrors | undefined
    for (const { field, known } of this.#fields) {
      const value = changes.get(field) ?? null
      if (value === null || !field.column || stored?.[field.column.name] === value) continue
      if (!requested.has(field) && !known?.has(value)) {
        return this.#ask(field, value, changes, stored).then((fault) => {
          if (known && known.size >= KEPT_MAX) known.clear()
          known?.set(value, fault)
          return this.check(changes, stored, new Map([...requested, [field, fault]]))
        })
      }
      const fault = requested.has(field) ? requested.get(field) : known?.get(value)
      if (fault !== undefined) (faults ??= {})[field.name] = fault
    }
    return faults
  }

  #ask(
    field: Field,
    value: SqlValue,
    changes: Changes,
    stored: SqlRow | undefined,
  ): Promise<Message | undefined> {
    const { view, entity, grant, context } = this.#plan
    const draft = planDraft(entity, stored, changes)
    const company = stored?.[entity.company ?? ''] ?? grant.caller.companyId
    const check: PointingCheck = { reader: this.#reader, view, grant, context, draft, company }
    return findFaultyReference(check, field, value, this.#chosen.has(field))
  }
}

function listPointing({ staged, preset }: ImportPlan): Field[] {
  const fields = new Set([...staged.map(({ field }) => field), ...preset.keys()])
  return [...fields].filter(isReference)
}

/** The tables that tell whether a caller may pick what rows point to; none where no row can. */
export function listPointedTables(plan: ImportPlan): TableSet {
  const { grant } = plan
  const tables = listPointing(plan).flatMap((field) => [
    findReferred(field, grant.model)?.table ?? [],
    field.dataSet?.sql.reads ?? [],
    listLookups(field, grant).map(({ source }) => source.tables),
  ])
  return toTableSet(tables.flat(2))
}

/** A Where or a DataSet that names the record's values says something else of every row. */
const dependsOnRow = ({ lookup, dataSet }: Field): boolean =>
  [lookup?.where, dataSet?.sql].some((sql) => sql?.parameters.some((name) => !isContextName(name)))
