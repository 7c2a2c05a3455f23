/** Users with what hangs on their accounts, by one statement. */
import type { SqlArgs, SqlRow } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import { SYSTEM_ROLE } from '../callers/caller.ts'
import type { HeldRole } from '../rights/role-rows.ts'
import type { UserRow } from './users.ts'

/** A role of a user. */
export interface RecordedRole extends HeldRole {
  /** `Clerk@NORTH` in one company, `Clerk` in all of the user's. */
  readonly text: string
}

/** A company of a user. */
interface RecordedCompany {
  readonly id: number
  readonly code: string
  readonly name: string
  readonly timeZone: string
  readonly isOpen: boolean
}

/** A user with all roles and companies, whatever the caller may see. */
export interface UserRecord {
  readonly user: UserRow
  /** Roles by name; one that holds in all companies of the user comes before the others. */
  readonly roles: readonly RecordedRole[]
  /** Companies by code, closed ones too. */
  readonly companies: readonly RecordedCompany[]
  readonly attributes: Readonly<Record<string, string>>
  /** True when sign-ins ask for a second factor. */
  readonly hasMfa: boolean
  /** True when the user is System in any company. */
  readonly isSystem: boolean
}

const COLUMNS = `u.*,
  (SELECT json_group_array(json_array(Role, CompanyId, Code)) FROM (
    SELECT r.Role, r.CompanyId, c.Code FROM main.svc_user_roles r
    LEFT JOIN main.svc_companies c ON c.Id = r.CompanyId
    WHERE r.UserId = u.Id ORDER BY r.Role, r.CompanyId)) AS Roles,
  (SELECT json_group_array(json_array(Id, Code, Name, TimeZone, Active)) FROM (SELECT c.*
    FROM main.svc_user_companies m JOIN main.svc_companies c ON c.Id = m.CompanyId
    WHERE m.UserId = u.Id ORDER BY c.Code)) AS Companies,
  (SELECT json_group_object(Name, Value) FROM main.svc_user_attributes
    WHERE UserId = u.Id) AS Attributes,
  EXISTS (SELECT 1 FROM main.svc_mfa f
    WHERE f.UserId = u.Id AND f.ConfirmedAt IS NOT NULL) AS HasMfa`

/** Which users: a condition on `svc_users u`, and a page of those, by name. */
export interface UserSelection {
  readonly where: string
  readonly args: SqlArgs
  /** Page of the users; undefined: all of them. */
  readonly page?: { readonly limit: number; readonly offset: number }
}

/** The users of a selection, by name. */
export async function selectUsers(
  reader: Reader,
  { where, args, page }: UserSelection,
): Promise<UserRecord[]> {
  const ids = `SELECT u.Id FROM main.svc_users u WHERE ${where} ORDER BY u.UserNameKey`
  const paged = page === undefined ? ids : `${ids} LIMIT @limit OFFSET @offset`
  const rows = await reader.all({
    sql: `SELECT ${COLUMNS} FROM main.svc_users u WHERE u.Id IN (${paged}) ORDER BY u.UserNameKey`,
    args: { ...args, ...page },
    runs: 'measured',
  })
  return rows.map(toUserRecord)
}

/** Finds the user with that id, without a check of who may see them. */
export async function findUserRecord(reader: Reader, id: number): Promise<UserRecord | undefined> {
  const sql = `SELECT ${COLUMNS} FROM main.svc_users u WHERE u.Id = @id`
  const row = await reader.get({ sql, args: { id }, runs: 'inline' })
  return row && toUserRecord(row)
}

type CompanyCells = [id: number, code: string, name: string, timeZone: string, active: number]

function toUserRecord(row: SqlRow): UserRecord {
  const held = JSON.parse(String(row.Roles)) as [string, number | null, string | null][]
  const companies = JSON.parse(String(row.Companies)) as CompanyCells[]
  return {
    user: toUserRow(row),
    roles: held.map(([role, companyId, code]) => ({
      role,
      companyId,
      text: code === null ? role : `${role}@${code}`,
    })),
    companies: companies.map(([id, code, name, timeZone, active]) => ({
      id,
      code,
      name,
      timeZone,
      isOpen: active === 1,
    })),
    attributes: JSON.parse(String(row.Attributes)) as UserRecord['attributes'],
    hasMfa: row.HasMfa === 1,
    isSystem: held.some(([role]) => role === SYSTEM_ROLE),
  }
}

const toUserRow = (row: SqlRow): UserRow => ({
  Id: Number(row.Id),
  UserName: String(row.UserName),
  UserNameKey: String(row.UserNameKey),
  DisplayName: String(row.DisplayName),
  Email: toText(row.Email),
  PasswordHash: toText(row.PasswordHash),
  MustChangePassword: row.MustChangePassword === 1,
  Active: row.Active === 1,
  TimeZone: toText(row.TimeZone),
  Language: toText(row.Language),
  LastCompanyId: row.LastCompanyId == null ? null : Number(row.LastCompanyId),
  CreatedAt: String(row.CreatedAt),
  ChangedAt: String(row.ChangedAt),
})

const toText = (value: SqlRow[string] | undefined): string | null =>
  typeof value === 'string' ? value : null
