/** Writes reference rows: upserted by their key at each deploy, or once into an empty table. */
import { newId } from '../../kernel/ids.ts'
import { Yielder } from '../../kernel/yielder.ts'
import { dayIn, firstZone } from '../../kernel/zones.ts'
import type { AuditAuthor } from '../../store/audit/record.ts'
import type { SqlArgs, SqlRow, SqlValue } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import type { Column, Entity } from '../compiled/entity.ts'
import { fillComputes, planComputesFact, planFills } from './compute-fill.ts'
import { auditRow, DEPLOY } from './rows-audit.ts'
import { type PlannedRow, type PlannedRows, planRows } from './rows-plan.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import type { Model } from '../model.ts'
import type { Place } from '../parse/element.ts'
import { isGeneratedKey } from '../sql/generated-key.ts'
import { quote } from '../sql/quote.ts'

/** A row that the stored records do not let in; nothing of the deploy stays. */
export class RowsError extends Error {
  override readonly name = 'RowsError'
  readonly place: Place

  constructor(place: Place, message: string) {
    super(message)
    this.place = place
  }
}

interface Company {
  id: number | undefined
  zone: string
}

const NO_COMPANY: Company = { id: undefined, zone: 'UTC' }

/** The instant and the author of written rows. */
interface RowsOccasion {
  now: Date
  by: AuditAuthor
}

/**
 * Writes the rows and resolves to the number of records that were inserted or changed. Rows of an
 * entity with a tenant column that name no company are written for each company that there is now;
 * one that comes later gets them as it comes (`saveCompanyRows`). Throws a RowsError.
 */
export async function saveRows(
  tx: Tx,
  plans: readonly PlannedRows[],
  model: Pick<Model, 'entities'>,
  now: Date,
): Promise<number> {
  const occasion = { now, by: DEPLOY }
  return savePlans(tx, plans, { companies: await loadCompanies(tx), model, occasion })
}

/** Does the same as `saveRows`, for one company alone and only rows that each company has. */
async function saveRowsOf(
  tx: Tx,
  plans: readonly PlannedRows[],
  company: number,
  { model, ...occasion }: RowsOccasion & { model: Pick<Model, 'entities'> },
): Promise<number> {
  const companies = (await loadCompanies(tx)).filter(({ id }) => id === company)
  const own = plans.filter(({ isForEachCompany }) => isForEachCompany)
  return savePlans(tx, own, { companies, model, occasion })
}

async function savePlans(
  tx: Tx,
  plans: readonly PlannedRows[],
  to: {
    companies: readonly Company[]
    model: Pick<Model, 'entities'>
    occasion: RowsOccasion
  },
): Promise<number> {
  const yielder = new Yielder()
  const done: { plan: PlannedRows; company: Company }[] = []
  let written = 0
  for (const plan of plans)
    for (const company of plan.isForEachCompany ? to.companies : [NO_COMPANY]) {
      if (plan.once && !(await isEmpty(tx, plan.entity, company))) continue
      const at = { company, ...to.occasion }
      for (const row of plan.rows) {
        written += (await saveRow(tx, plan, row, at)) ? 1 : 0
        await yielder.yieldWhenDue()
      }
      done.push({ plan, company })
    }
  for (const { plan, company } of done)
    for (const row of plan.rows) {
      await requireParents(tx, plan.entity, row, company, to.model)
      await yielder.yieldWhenDue()
    }
  return written
}

async function loadCompanies(tx: Tx): Promise<Company[]> {
  const rows = await tx.all('SELECT Id, TimeZone FROM svc_companies ORDER BY Id')
  return rows.map((row) => ({ id: Number(row.Id), zone: firstZone(String(row.TimeZone)) }))
}

async function isEmpty(tx: Tx, entity: Entity, company: Company): Promise<boolean> {
  const { where, args } = planMatch(inCompany(entity, new Map(), company))
  const found = await tx.get(`SELECT 1 AS n FROM ${quote(entity.table)}${where} LIMIT 1`, args)
  return found === undefined
}

function inCompany(
  entity: Entity,
  values: ReadonlyMap<string, SqlValue>,
  company: Company,
): Map<string, SqlValue> {
  const all = new Map(values)
  if (entity.company !== undefined && company.id !== undefined) all.set(entity.company, company.id)
  return all
}

/** ` WHERE "A" IS @p0 AND …`; the parameters have names of their own. */
function planMatch(values: ReadonlyMap<string, SqlValue>): { where: string; args: SqlArgs } {
  const terms = [...values.keys()].map((name, at) => `${quote(name)} IS @p${at}`)
  const args = Object.fromEntries([...values.values()].map((value, at) => [`p${at}`, value]))
  return { where: terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`, args }
}

async function saveRow(
  tx: Tx,
  { entity, key }: PlannedRows,
  row: PlannedRow,
  at: RowsOccasion & { company: Company },
): Promise<boolean> {
  const { company, now, by } = at
  const values = inCompany(entity, row.values, company)
  const byKey = [...values].filter(([name]) => key.includes(name) || name === entity.company)
  const { where, args } = planMatch(new Map(byKey))
  const find = `SELECT * FROM ${quote(entity.table)}${where} LIMIT 2`
  const [stored, second] = await tx.all(find, args)
  if (second !== undefined)
    throw new RowsError(row.place, `Several records of ${entity.name} have this ${key.join(' ')}`)
  try {
    if (stored === undefined) await insertRow(tx, entity, values, at)
    else if (!(await updateRow(tx, entity, values, stored, now))) return false
  } catch (error) {
    throw new RowsError(row.place, error instanceof Error ? error.message : String(error))
  }
  if (entity.audit)
    await auditRow(tx, entity, { before: stored, after: await tx.get(find, args), now, by })
  return true
}

async function insertRow(
  tx: Tx,
  entity: Entity,
  values: ReadonlyMap<string, SqlValue>,
  at: { company: Company; now: Date },
): Promise<void> {
  const all = new Map(values)
  for (const column of entity.columns) {
    const given = findGiven(column, at.company, at.now)
    if (given !== undefined && !all.has(column.name)) all.set(column.name, given)
  }
  const names = [...all.keys()]
  await tx.run(
    `INSERT INTO ${quote(entity.table)} (${names.map(quote).join(', ')})
     VALUES (${names.map((_, index) => `@p${index}`).join(', ')})`,
    Object.fromEntries([...all.values()].map((value, index) => [`p${index}`, value])),
  )
}

/** Finds keys, and context defaults that make sense without a caller; literals are in the table. */
function findGiven(column: Column, company: Company, now: Date): SqlValue | undefined {
  if (isGeneratedKey(column)) return newId()
  if (column.kind === 'tracking')
    return FIELD_KINDS[column.type].moment === 'instant' ? now.toISOString() : undefined
  if (column.default?.kind !== 'context') return undefined
  const { parameter } = column.default
  if (parameter === 'Now') return now.toISOString()
  if (parameter === 'Today') return dayIn(now, company.zone)
  return parameter === 'CurrentCompanyId' ? company.id : undefined
}

async function updateRow(
  tx: Tx,
  entity: Entity,
  values: ReadonlyMap<string, SqlValue>,
  stored: SqlRow,
  now: Date,
): Promise<boolean> {
  const changed = [...values].filter(([name, value]) => stored[name] !== value)
  if (changed.length === 0) return false
  const sets = changed.map(([name], at) => `${quote(name)} = @s${at}`)
  for (const { kind, name } of entity.columns) {
    if (kind === 'stamp') sets.push(`${quote(name)} = ${quote(name)} + 1`)
    if (kind === 'tracking' && name === 'ChangedAt') sets.push(`${quote(name)} = @now`)
  }
  const { where, args } = planMatch(
    new Map(entity.keys.map((key) => [key.name, stored[key.name] ?? null])),
  )
  const setArgs = Object.fromEntries(changed.map(([, value], at) => [`s${at}`, value]))
  await tx.run(`UPDATE ${quote(entity.table)} SET ${sets.join(', ')}${where}`, {
    ...args,
    ...setArgs,
    now: now.toISOString(),
  })
  return true
}

/** Foreign keys are off in a migration, and a reference must stay within the company. */
async function requireParents(
  tx: Tx,
  entity: Entity,
  row: PlannedRow,
  company: Company,
  model: Pick<Model, 'entities'>,
): Promise<void> {
  const own = inCompany(entity, row.values, company).get(entity.company ?? '')
  for (const [name, value] of row.values) {
    const references = entity.columnByName.get(name.toLowerCase())?.references
    const target = references === undefined ? undefined : model.entities.get(references)
    const key = target?.keys[0]?.name
    if (target === undefined || key === undefined || value === null) continue
    const match = new Map<string, SqlValue>([[key, value]])
    if (target.company !== undefined && own !== undefined) match.set(target.company, own)
    const { where, args } = planMatch(match)
    const found = await tx.get(`SELECT 1 AS n FROM ${quote(target.table)}${where}`, args)
    if (found === undefined)
      throw new RowsError(row.place, `${name}: there is no such ${target.name}`)
  }
}

/**
 * Writes the rows that each company has, with the columns computed from them, and resolves to their
 * number. As in a deploy they raise no events. Throws a RowsError or a ComputeError.
 */
export async function saveCompanyRows(
  tx: Tx,
  model: Model,
  company: number,
  occasion: RowsOccasion,
): Promise<number> {
  const { rows } = planRows(model)
  const own = rows.filter(({ isForEachCompany }) => isForEachCompany)
  if (own.length === 0) return 0
  return tx.silently(async () => {
    const saved = await saveRowsOf(tx, own, company, { model, ...occasion })
    const written = new Set(own.map(({ entity }) => entity.name))
    const nodes = planFills(model, { fact: planComputesFact(model), written })
    await fillComputes({ tx, model, now: occasion.now, company }, nodes)
    return saved
  })
}
