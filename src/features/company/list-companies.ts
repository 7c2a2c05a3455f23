/** Which companies a caller gets to see. */
import type { Caller } from '../../access/caller.ts'
import { loadAllCompanies, loadCompaniesOf } from '../../access/companies.ts'
import type { CompanyRow } from '../../access/companies.ts'
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { AppContext } from '../../server/context.ts'
import type { Company } from './schema.ts'

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
