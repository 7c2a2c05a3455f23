/** Companies, and who belongs to which. */
import { conflict, notFound, validation } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { isZone } from '../kernel/zones.ts'
import { and, asc, eq, readDatabase, sql, txDatabase } from '../store/drizzle.ts'
import type { Reader, Tx } from '../store/store.ts'
import { companies, userCompanies } from '../store/tables/users.ts'
import { writeAudit } from './audit-entry.ts'
import type { Actor } from './audit-entry.ts'
import { requireCompanyCode } from './user-names.ts'

export type CompanyRow = typeof companies.$inferSelect

export interface NewCompany {
  code: string
  name: string
  /** IANA name; UTC unless told. */
  timeZone?: string | undefined
}

/**
 * Creates a company and resolves to its id. 400 for a bad code, name or zone, 409 for a code that
 * is taken.
 */
export async function saveNewCompany(tx: Tx, company: NewCompany, actor: Actor): Promise<number> {
  requireCompanyCode(company.code)
  if (company.name.trim() === '') throw validation({ Name: say`A company needs a name` })
  const timeZone = company.timeZone ?? 'UTC'
  if (!isZone(timeZone)) throw validation({ TimeZone: say`This is no IANA time zone` })
  if (await findCompany(tx, company.code)) throw conflict(say`There is a company with this code`)
  const values = { Code: company.code, Name: company.name.trim(), TimeZone: timeZone }
  const [row] = await txDatabase(tx)
    .insert(companies)
    .values({ ...values, CreatedAt: actor.now.toISOString() })
    .returning({ id: companies.Id })
  if (!row) throw new Error('The new company has no id')
  await writeAudit(tx, actor, {
    entity: 'svc_companies',
    id: row.id,
    action: 'create',
    changes: { Code: [null, values.Code], Name: [null, values.Name] },
  })
  return row.id
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
