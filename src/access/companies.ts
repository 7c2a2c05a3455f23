/** Companies, and who belongs to which. */
import { conflict, notFound, validation } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { isZone, spellZone } from '../kernel/zones.ts'
import { and, asc, eq, isNull, readDatabase, sql, txDatabase } from '../store/drizzle.ts'
import type { Reader, Tx } from '../store/store.ts'
import { companies, userCompanies, userRoles } from '../store/tables/users.ts'
import { ComputeError } from '../model/deploy/compute-fill.ts'
import { RowsError, saveCompanyRows } from '../model/deploy/rows.ts'
import type { Model } from '../model/model.ts'
import { type Actor, writeAudit } from './audit-entry.ts'
import { SYSTEM_ROLE } from './callers/caller.ts'
import type { CompanyOfWork } from './callers/engine-caller.ts'
import { requireSystemLeft } from './rights/role-rows.ts'
import { requireLanguage } from './users/spoken-language.ts'
import { requireCompanyCode, requireCompanyName } from './users/user-names.ts'

export type CompanyRow = typeof companies.$inferSelect

interface NewCompany {
  code: string
  name: string
  /** IANA name; default: UTC. */
  timeZone?: string | undefined
  /** A tag as `de`; default: that of `Svc:Language`. */
  language?: string | undefined
}

/** Changes to a company; a member that is left out stays. */
interface CompanyChange {
  code?: string | undefined
  name?: string | undefined
  timeZone?: string | undefined
  /** Null: that of `Svc:Language`. */
  language?: string | null | undefined
  /** False closes the company: no user can be in it. */
  active?: boolean | undefined
}

/**
 * Creates a company and resolves to its id. The users who hold System in all companies join it, and
 * it has the model's reference rows at once. 400 for a bad code, name or zone, 409 for a code that
 * is taken, or where stored records do not let its reference rows in.
 */
export async function saveNewCompany(
  tx: Tx,
  company: NewCompany,
  actor: Actor,
  model: Model,
): Promise<number> {
  const { code, ...rest } = company
  const values = checkValues({ code, ...rest, timeZone: company.timeZone ?? 'UTC' })
  await requireFreeCode(tx, code)
  const [row] = await txDatabase(tx)
    .insert(companies)
    .values({
      ...values,
      Code: code,
      Name: company.name.trim(),
      CreatedAt: actor.now.toISOString(),
    })
    .returning({ id: companies.Id })
  if (!row) throw new Error('The new company has no id')
  await joinSystemUsers(tx, row.id)
  await writeAudit(tx, actor, {
    entity: 'svc_companies',
    id: row.id,
    action: 'create',
    changes: Object.fromEntries(Object.entries(values).map(([name, to]) => [name, [null, to]])),
  })
  await saveRows(tx, row.id, actor, model)
  return row.id
}

/**
 * Changes a company and resolves to it as it is then. 404 for an unknown id, 400 for a bad code,
 * name or zone, 409 for a code that is taken, and for the last open company or the last one with a
 * System user, which cannot be closed. The caller tells `Callers.forgetAll` after the commit, and
 * ends the sessions in a company that was closed.
 */
export async function saveCompany(
  tx: Tx,
  id: number,
  change: CompanyChange,
  actor: Actor,
): Promise<CompanyRow> {
  const before = await requireCompanyById(tx, id)
  const values = checkValues(change)
  if (values.Code !== undefined) await requireFreeCode(tx, values.Code, id)
  const after = { ...before, ...values }
  const changes = Object.entries(values).flatMap(([name, to]) => {
    const from: unknown = Reflect.get(before, name)
    return from === to ? [] : [[name, [from, to]] as const]
  })
  if (changes.length === 0) return before
  await txDatabase(tx).update(companies).set(values).where(eq(companies.Id, id))
  if (before.Active && !after.Active) await requireOpenLeft(tx)
  await writeAudit(tx, actor, {
    entity: 'svc_companies',
    id,
    action: 'update',
    changes: Object.fromEntries(changes),
  })
  return after
}

/** Returns the columns that a change sets. Throws 400 for values that a company cannot have. */
function checkValues(change: CompanyChange) {
  const { code, name, timeZone, language, active } = change
  requireLanguage(language)
  if (code !== undefined) requireCompanyCode(code)
  if (name !== undefined) requireCompanyName(name)
  if (timeZone !== undefined && !isZone(timeZone))
    throw validation({ TimeZone: say`This is no IANA time zone` })
  return {
    ...(code !== undefined && { Code: code }),
    ...(name !== undefined && { Name: name.trim() }),
    ...(timeZone !== undefined && { TimeZone: spellZone(timeZone) }),
    ...(language !== undefined && { Language: language }),
    ...(active !== undefined && { Active: active }),
  }
}

async function requireFreeCode(tx: Tx, code: string, own?: number): Promise<void> {
  const found = await findCompany(tx, code)
  if (found && found.Id !== own) throw conflict(say`There is a company with this code`)
}

async function requireOpenLeft(tx: Tx): Promise<void> {
  if ((await loadCompanies(tx)).length === 0)
    throw conflict(say`The last open company cannot be closed`)
  await requireSystemLeft(tx)
}

/** Adds everywhere-System users to a new company; their membership lets them in. */
async function joinSystemUsers(tx: Tx, companyId: number): Promise<void> {
  const database = txDatabase(tx)
  const found = await database
    .selectDistinct({ UserId: userRoles.UserId })
    .from(userRoles)
    .where(and(eq(userRoles.Role, SYSTEM_ROLE), isNull(userRoles.CompanyId)))
  for (const { UserId } of found)
    await database.insert(userCompanies).values({ UserId, CompanyId: companyId })
}

async function saveRows(tx: Tx, id: number, actor: Actor, model: Model): Promise<void> {
  try {
    await saveCompanyRows(tx, model, id, { now: actor.now, by: actor })
  } catch (error) {
    if (!(error instanceof RowsError || error instanceof ComputeError)) throw error
    const { file, line } = error.place
    throw conflict(say`The reference rows in ${file}, line ${line}, do not fit the new company`, {
      cause: error,
    })
  }
}

/** The company with this id, open or closed. Throws 404. */
export async function requireCompanyById(tx: Tx, id: number): Promise<CompanyRow> {
  const [row] = await txDatabase(tx).select().from(companies).where(eq(companies.Id, id))
  if (!row) throw notFound(say`There is no such company`)
  return row
}

/** The company with this code, whatever its case. */
async function findCompany(tx: Tx, code: string): Promise<CompanyRow | undefined> {
  const [row] = await txDatabase(tx)
    .select()
    .from(companies)
    .where(eq(sql`lower(${companies.Code})`, code.toLowerCase()))
  return row
}

/** The companies with these codes, in order. Throws 404 for the first that does not exist. */
export async function requireCompanies(tx: Tx, codes: readonly string[]): Promise<CompanyRow[]> {
  const found: CompanyRow[] = []
  for (const code of codes) {
    const company = await findCompany(tx, code)
    if (!company) throw notFound(say`There is no company ${code}`)
    found.push(company)
  }
  return found
}

/** Every open company, by code. */
export const loadCompanies = (tx: Tx): Promise<CompanyRow[]> =>
  txDatabase(tx)
    .select()
    .from(companies)
    .where(eq(companies.Active, true))
    .orderBy(asc(companies.Code))

/** Every company, closed ones too, by code. */
export const loadAllCompanies = (reader: Reader): Promise<CompanyRow[]> =>
  readDatabase(reader).select().from(companies).orderBy(asc(companies.Code))

/** Loads the companies in which the engine works by itself: the open ones, by code. */
export const loadCompaniesOfWork = (reader: Reader): Promise<CompanyOfWork[]> =>
  readDatabase(reader)
    .select({ id: companies.Id, code: companies.Code, timeZone: companies.TimeZone })
    .from(companies)
    .where(eq(companies.Active, true))
    .orderBy(asc(companies.Code))

/** The company that a user is in by default: that of the last sign-in, else the first by code. */
export const findHome = (
  own: readonly CompanyRow[],
  { LastCompanyId }: { readonly LastCompanyId: number | null },
): CompanyRow | undefined => own.find(({ Id }) => Id === LastCompanyId) ?? own[0]

/** The open companies that a user belongs to, by code. */
export const loadCompaniesOf = async (reader: Reader, userId: number): Promise<CompanyRow[]> => {
  const rows = await readDatabase(reader)
    .select({ company: companies })
    .from(companies)
    .innerJoin(userCompanies, eq(userCompanies.CompanyId, companies.Id))
    .where(and(eq(userCompanies.UserId, userId), eq(companies.Active, true)))
    .orderBy(asc(companies.Code))
  return rows.map(({ company }) => company)
}
