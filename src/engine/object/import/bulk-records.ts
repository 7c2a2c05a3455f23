/**
 * Effects of many records of one import, by statements over its stage.
 *
 * A submit asks the same of one record. New records have no former state and nothing else looks at
 * them (`isBulkEligible`), so three parts of the after-write pass are left. Rules in SQL: their
 * text is asked of all records, with the record's cells in the place of parameters. Audit: SQLite
 * makes the texts of the entries (`bulk-audit.ts`), and they are written together. Search: the
 * words are those of the stored records. Fields, references and rules that compare were validated
 * when the row was checked, and its values are stored as they are.
 */
import { plain } from '../../../kernel/messages.ts'
import { Yielder } from '../../../kernel/yielder.ts'
import { isQueryFailure } from '../../../store/faults.ts'
import { tokenize } from '../../../store/gate/tokenize.ts'
import { ZONE_PARAMETER, ZONE_TABLE } from '../../../store/read/zone-table.ts'
import type { Own, SqlArg, SqlRow } from '../../../store/sql.ts'
import { IS_NEW } from '../../../model/compile/former-names.ts'
import type { AuthoredSql } from '../../../model/compiled/authored-sql.ts'
import type { Validate } from '../../../model/compiled/validate.ts'
import { quote } from '../../../model/sql/quote.ts'
import { composeShadowed, type Shadowed } from '../../../model/sql/shadow.ts'
import { keepNewRecords, noteNewRecords } from '../after-write/keep-search.ts'
import { contextValue, isContextName } from '../context.ts'
import { composeNewAudit } from './bulk-audit.ts'
import { listNewKey } from './bulk-statements.ts'
import type { ImportPlan } from './import-plan.ts'
import { LEAVES } from './import-recheck.ts'
import {
  CHUNK_ROWS,
  composeStaged,
  rangeArgs,
  splitRange,
  type StagedRange,
} from './import-stage.ts'
import type { ImportWrite } from './import-work.ts'
import { planHistory } from './takeover.ts'
import { auditSource } from '../mutation.ts'
import { queryReached } from '../record/reached-rows.ts'
import { findBroken } from '../rules/entity-rules.ts'

/** No alias of authored text begins with an underscore. */
const RECORD = '_r'

/** New records of an import that the search finds with its commit. */
const FOUND_AT_ONCE = 2000

/**
 * `requireVisible` for all rows of a range, of which none is loaded but those that would leave the
 * rows that the caller may see or import.
 */
export async function reportStagedOutside(work: ImportWrite, range: StagedRange): Promise<void> {
  const { tx, plan, stage, base, report } = work
  for (const isNew of plan.request.mode === 'insert' ? ([1] as const) : ([1, 0] as const)) {
    const cells = isNew === 1 ? listNewKey(work) : stage.sql.keys.map((cell) => `s.${cell}`)
    const keys = cells.map((cell, at) => `${cell} AS _key${at}`)
    const staged = composeStaged(isNew)
    const requested = {
      purpose: isNew === 1 ? ('imported' as const) : ('updated' as const),
      conditions: [],
      args: { ...rangeArgs(range), _base: base ?? 0 },
    }
    const own = `(SELECT s.line AS _line, ${keys.join(', ')} FROM ${staged})`
    // A generated view has a record once: where as many are visible as there are, all of them are.
    const isCounted = plan.view.isGenerated
    const [counted] = isCounted
      ? await queryReached(tx, plan, requested, (join) => {
          const visible = `SELECT count(*) FROM ${own} ${join}`
          return `SELECT (SELECT count(*) FROM ${staged}) = (${visible}) AS IsWhole`
        })
      : []
    if (counted?.IsWhole === 1) continue
    const rows = await queryReached(tx, plan, requested, (join) => {
      const visible = `SELECT _line FROM ${own} ${join}`
      return `SELECT s.line AS Line FROM ${staged} WHERE s.line NOT IN (${visible})`
    })
    for (const { Line } of rows) report(Number(Line), { '': LEAVES })
  }
}

/** Rules and audit of the new records of one import. */
export class NewRecords {
  readonly #work: ImportWrite
  readonly #from: string
  readonly #pace = new Yielder()
  /** The texts of the records' audit entries. */
  readonly #audited: string
  /** Rules in SQL with their statements; none for one that is held against each record. */
  readonly #rules: PlannedRule[]

  constructor(work: ImportWrite) {
    const { entity } = work.plan
    this.#work = work
    const key = listNewKey(work)
    const same = entity.keys.map(({ name }, at) => `${RECORD}.${quote(name)} = ${key[at]}`)
    this.#from =
      `${composeStaged(1)} CROSS JOIN main.${quote(entity.table)} AS ${RECORD} ` +
      `WHERE ${same.join(' AND ')}`
    const audit = composeNewAudit(work.plan.context.model, entity, RECORD)
    const company =
      entity.company === undefined ? '@_company' : `${RECORD}.${quote(entity.company)}`
    this.#audited =
      `SELECT s.n - @_first AS Place, ${company} AS CompanyId, ${audit.key} AS RecordKey, ` +
      `${audit.changes} AS Changes FROM ${this.#from} ORDER BY s.n`
    this.#rules = entity.validates
      .filter((rule): rule is SqlRule => rule.kind === 'sql')
      .map((rule) => ({ rule, ...composeRule(work.plan, rule.sql, this.#from) }))
  }

  /** Reports broken rules, and writes what is audited. Rules that compare were validated before. */
  async afterWrite(range: StagedRange): Promise<void> {
    const { entity } = this.#work.plan
    for (const each of this.#rules) await this.#validate(each, range)
    await this.#keepSearch(range)
    if (!entity.audit) return
    for (const part of splitRange(range, CHUNK_ROWS)) await this.#audit(part)
  }

  /** A few are found with the commit; of many the background reads the words. */
  async #keepSearch(range: StagedRange): Promise<void> {
    const { tx, plan, base, stage } = this.#work
    const { entity, grant, context } = plan
    if (stage.count > FOUND_AT_ONCE) {
      const company = grant.caller.companyId
      // Keys that the file keeps may be any.
      const isCounted = !entity.keys.some(({ name }) => stage.sql.cells.has(name.toLowerCase()))
      const after = isCounted ? base : undefined
      await noteNewRecords(tx, context.model, entity, { company, after })
      return
    }
    await keepNewRecords(tx, context.model, entity, await this.#load(range))
  }

  async #validate(each: PlannedRule, range: StagedRange): Promise<void> {
    const { tx, report } = this.#work
    const { rule } = each
    if (each.sql !== undefined) {
      try {
        const args = { ...each.args, ...this.#args(range) }
        const { rows } = await tx.authored(each.sql, args, this.#work.plan.entity.name, each.own)
        for (const { Line } of rows)
          report(Number(Line), { [rule.field ?? '']: plain(rule.message) })
        return
      } catch (error) {
        if (!isQueryFailure(error)) throw error
        each.sql = undefined
      }
    }
    for (const part of splitRange(range, CHUNK_ROWS)) await this.#validateEach(rule, part)
  }

  async #validateEach(rule: SqlRule, range: StagedRange): Promise<void> {
    const { tx, report } = this.#work
    const { entity, context } = this.#work.plan
    const rows = await this.#load(range)
    const former = { isNew: true, row: undefined }
    const records = rows.map((row) => ({ row, former, line: Number(row._line) }))
    for (const { record, field, message } of await findBroken(tx, [rule], {
      entity,
      context,
      records,
    })) {
      report(record.line, { [field]: message })
    }
  }

  async #audit(range: StagedRange): Promise<void> {
    const { tx, traceId } = this.#work
    const { entity, context, view } = this.#work.plan
    const { caller, now } = context
    const history = planHistory(this.#work.plan)
    const shared = {
      at: now.toISOString(),
      userId: caller?.userId ?? null,
      impersonatorId: caller?.impersonatorId ?? null,
      source: auditSource({ context, source: view.name, traceId, history }),
      traceId,
      entity: entity.name,
      action: 'insert',
    }
    const args = { ...this.#args(range), _company: caller?.companyId ?? null }
    const places = range.last - range.first + 1
    await tx.auditSelected({ shared, sql: this.#audited, args, places })
    await this.#pace.yieldWhenDue()
  }

  async #load(range: StagedRange): Promise<SqlRow[]> {
    const { entity } = this.#work.plan
    const cells = entity.columns.map(({ name }) => `${RECORD}.${quote(name)} AS ${quote(name)}`)
    const { rows } = await this.#work.tx.authored(
      `SELECT s.line AS _line, ${cells.join(', ')} FROM ${this.#from} ORDER BY s.n`,
      this.#args(range),
    )
    return rows
  }

  #args(range: StagedRange): Record<string, SqlArg> {
    return { ...rangeArgs(range), _base: this.#work.base ?? 0 }
  }
}

type SqlRule = Extract<Validate, { kind: 'sql' }>

interface PlannedRule {
  rule: SqlRule
  sql: string | undefined
  own: Own | undefined
  args: Record<string, SqlArg>
}

/**
 * The lines of the records for which a rule does not hold. The rule's text is not changed but for
 * its parameters, each of which becomes the record's cell, without the column's affinity, as a
 * bound value has none.
 */
function composeRule(
  { entity, context, grant }: ImportPlan,
  sql: AuthoredSql,
  from: string,
): Shadowed & { args: Record<string, SqlArg> } {
  const args: Record<string, SqlArg> = { CurrentCompanyId: grant.caller.companyId }
  if (sql.reads.includes(ZONE_TABLE)) args[ZONE_PARAMETER] = contextValue(ZONE_PARAMETER, context)
  let text = ''
  let done = 0
  for (const { kind, value, start, end } of tokenize(sql.text)) {
    if (kind !== 'parameter') continue
    text += sql.text.slice(done, start)
    done = end
    const column = entity.columnByName.get(value.toLowerCase())
    if (isContextName(value, context.model)) {
      if (value !== 'CurrentCompanyId') args[value] = contextValue(value, context)
      text += `@${value}`
    } else if (!column) text += value.toLowerCase() === IS_NEW.toLowerCase() ? '1' : 'NULL'
    else text += `(+${RECORD}.${quote(column.name)})`
  }
  text += sql.text.slice(done)
  const whole = composeShadowed(context.model, sql.reads, 'company', (head) => {
    const rule = `(${head}SELECT (\n${text}\n))`
    return `SELECT s.line AS Line FROM ${from} AND coalesce(CAST(${rule} AS REAL), 0) = 0`
  })
  return { ...whole, args }
}
