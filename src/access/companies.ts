/** Companies, and who belongs to which. */
import { conflict, notFound, validation } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { isZone, spellZone } from '../kernel/zones.ts'
import { allRows, getRow, insertRow, updateRows } from '../store/rows.ts'
import type { Reader, Tx } from '../store/store.ts'
import { companies } from '../store/tables/users.ts'
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
  const id = await insertRow(tx, companies, {
    ...values,
    Code: code,
    Name: company.name.trim(),
    CreatedAt: actor.now.toISOString(),
  })
  await tx.run(JOIN_SYSTEM_USERS, { companyId: id, role: SYSTEM_ROLE })
  await writeAudit(tx, actor, {
    entity: 'svc_companies',
    id,
    action: 'create',
    changes: Object.fromEntries(Object.entries(values).map(([name, to]) => [name, [null, to]])),
  })
  await saveRows(tx, id, actor, model)
  return id
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
  await updateRows(tx, companies, 'WHERE Id = @id', { id, set: values })
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
    throw validation({ TimeZone: say`Must be an IANA time zone, such as Europe/Berlin` })
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
  if (found && found.Id !== own) throw conflict(say`This company code is already taken`)
}

async function requireOpenLeft(tx: Tx): Promise<void> {
  if ((await loadCompanies(tx)).length === 0)
    throw conflict(say`The last open company cannot be closed`)
  await requireSystemLeft(tx)
}

/** Adds everywhere-System users to a new company; their membership lets them in. */
const JOIN_SYSTEM_USERS = `INSERT INTO svc_user_companies (UserId, CompanyId)
  SELECT DISTINCT UserId, @companyId FROM svc_user_roles WHERE Role = @role AND CompanyId IS NULL`

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
  const row = await getRow(tx, companies, 'WHERE Id = @id', { id })
  if (!row) throw notFound(say`There is no such company`)
  return row
}

/** The company with this code, whatever its case. */
const findCompany = (tx: Tx, code: string): Promise<CompanyRow | undefined> =>
  getRow(tx, companies, 'WHERE lower(Code) = @code', { code: code.toLowerCase() })

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
export const loadCompanies = (reader: Reader): Promise<CompanyRow[]> =>
  allRows(reader, companies, 'WHERE Active = 1 ORDER BY Code')

/** Every company, closed ones too, by code. */
export const loadAllCompanies = (reader: Reader): Promise<CompanyRow[]> =>
  allRows(reader, companies, 'ORDER BY Code')

/** Loads the companies in which the engine works by itself: the open ones, by code. */
export async function loadCompaniesOfWork(reader: Reader): Promise<CompanyOfWork[]> {
  const open = await loadCompanies(reader)
  return open.map(({ Id: id, Code: code, TimeZone: timeZone }) => ({ id, code, timeZone }))
}

/** The company that a user is in by default: that of the last sign-in, else the first by code. */
export const findHome = (
  own: readonly CompanyRow[],
  { LastCompanyId }: { readonly LastCompanyId: number | null },
): CompanyRow | undefined => own.find(({ Id }) => Id === LastCompanyId) ?? own[0]

/** The open companies that a user belongs to, by code. */
export const loadCompaniesOf = (reader: Reader, userId: number): Promise<CompanyRow[]> => {
  const theirs = `WHERE Active = 1 AND Id IN (
    SELECT CompanyId FROM svc_user_companies WHERE UserId = @userId) ORDER BY Code`
  return allRows(reader, companies, theirs, { userId })
}
