/** Making, changing, closing and opening companies. */
import { requireStillSystem } from '../../access/admin-scope.ts'
import type { Actor } from '../../access/audit-entry.ts'
import type { Caller } from '../../access/caller.ts'
import { requireCompanyById, saveCompany, saveNewCompany } from '../../access/companies.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import type { AppContext } from '../../server/context.ts'
import { toCompany } from './list-companies.ts'
import type { Company, CompanyChangeRequest, NewCompanyRequest } from './schema.ts'
import { systemScope } from '../../store/store.ts'

const ALL = systemScope('System makes and changes companies')

/** Creates a company with its reference rows; see `saveNewCompany`. */
export async function createCompany(
  { store, models, callers }: AppContext,
  body: NewCompanyRequest,
  caller: Caller,
  actor: Actor,
): Promise<Company> {
  requireNotImpersonated(caller)
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
 * Changes a company; see `saveCompany`. What it is judged by holds from the next request on, and a
 * closed one has no sessions any more.
 */
export async function changeCompany(
  { store, callers, identity }: AppContext,
  id: number,
  body: CompanyChangeRequest,
  caller: Caller,
  actor: Actor,
): Promise<Company> {
  requireNotImpersonated(caller)
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
