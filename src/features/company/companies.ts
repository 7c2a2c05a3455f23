/** Companies as a caller sees, makes, changes and switches them. */
import { requireStillSystem } from '../../access/admin-scope.ts'
import type { Caller } from '../../access/caller.ts'
import {
  loadAllCompanies,
  loadCompaniesOf,
  requireCompanyById,
  saveCompany,
  saveNewCompany,
} from '../../access/companies.ts'
import type { CompanyRow } from '../../access/companies.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { saveLastCompany } from '../../access/users.ts'
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { authorOf } from '../../server/client-info.ts'
import type { OwnRequest } from '../../server/client-info.ts'
import type { AppContext } from '../../server/context.ts'
import type { Tokens } from '../../server/token-schema.ts'
import { issueTokens } from '../../server/tokens.ts'
import { systemScope } from '../../store/store.ts'
import type { Company, CompanyChangeRequest, NewCompanyRequest } from './schema.ts'

/** A company as the wire shows it to a caller. */
export const toCompany = (row: CompanyRow, { companyId }: Caller): Company => ({
  Id: row.Id,
  Code: row.Code,
  Name: row.Name,
  TimeZone: row.TimeZone,
  IsCurrent: row.Id === companyId,
  Active: row.Active,
})

/** The caller's open companies; with `all`, for System alone, every one. By code. */
export async function listCompanies(
  { store }: AppContext,
  caller: Caller,
  all: boolean,
): Promise<Company[]> {
  const rows =
    all && caller.isSystem
      ? await loadAllCompanies(store)
      : await loadCompaniesOf(store, caller.userId)
  return rows.map((row) => toCompany(row, caller))
}

/** The company that the caller's session is in. */
export async function loadCurrentCompany(app: AppContext, caller: Caller): Promise<Company> {
  const own = await listCompanies(app, caller, false)
  const current = own.find(({ IsCurrent }) => IsCurrent)
  if (!current) throw notFound(say`There is no such company`)
  return current
}

const ALL = systemScope('System makes and changes companies')

/** Creates a company with its reference rows; see `saveNewCompany`. */
export async function createCompany(
  app: AppContext,
  body: NewCompanyRequest,
  from: OwnRequest,
): Promise<Company> {
  const { caller } = from
  requireNotImpersonated(caller)
  const actor = authorOf(app, from, 'company/create')
  const { store, models, callers } = app
  const company = { code: body.Code, name: body.Name, timeZone: body.TimeZone ?? undefined }
  const row = await store.write(async (tx) => {
    await requireStillSystem(tx, caller)
    callers.forgetAllWith(tx)
    const id = await saveNewCompany(tx, company, actor, models.get())
    return requireCompanyById(tx, id)
  }, ALL)
  return toCompany(row, caller)
}

/**
 * Changes a company; see `saveCompany`. What follows from it holds from the next request on, and a
 * closed one has no sessions any more.
 */
export async function changeCompany(
  app: AppContext,
  id: number,
  body: CompanyChangeRequest,
  from: OwnRequest,
): Promise<Company> {
  const { caller } = from
  requireNotImpersonated(caller)
  const actor = authorOf(app, from, 'company/update')
  const { store, callers, identity } = app
  const change = {
    code: body.Code ?? undefined,
    name: body.Name ?? undefined,
    timeZone: body.TimeZone ?? undefined,
    active: body.Active ?? undefined,
  }
  const saved = await store.write(async (tx) => {
    await requireStillSystem(tx, caller)
    callers.forgetAllWith(tx)
    const before = await requireCompanyById(tx, id)
    return { before, after: await saveCompany(tx, id, change, actor) }
  }, ALL)
  // At an opening as well: a crash after a closing may have left sessions over.
  if (saved.before.Active !== saved.after.Active)
    await identity.sessions.endIn(id, 'The company was closed')
  return toCompany(saved.after, caller)
}

/**
 * Puts a session in another company in the place of the caller's and issues its tokens. 404 alike
 * for a company that is not the caller's, closed, or not there; 401 when the session has ended
 * meanwhile or the membership went while this ran.
 */
export async function switchCompany(
  app: AppContext,
  caller: Caller,
  companyId: number,
): Promise<Tokens> {
  const companies = await loadCompaniesOf(app.store, caller.userId)
  if (!companies.some(({ Id }) => Id === companyId)) throw notFound(say`There is no such company`)
  const session = await app.identity.sessions.move(caller.sessionId, companyId)
  const tokens = await issueTokens(app, session)
  // What somebody does who acts as the user is not where the user was last.
  if (caller.impersonatorId === undefined)
    await app.store.write(
      (tx) => saveLastCompany(tx, caller.userId, companyId),
      systemScope('users belong to no one company'),
    )
  return tokens
}
