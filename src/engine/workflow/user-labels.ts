/** Names of users, for readers of a company; users of other companies have none. */
import type { Reader } from '../../store/store.ts'
import type { Caller } from '../../access/callers/caller.ts'

const NAMES = `SELECT u.Id, u.DisplayName FROM main.svc_users u
  JOIN main.svc_user_companies m ON m.UserId = u.Id AND m.CompanyId = @company
  WHERE u.Id IN (SELECT value FROM json_each(@ids))`

/** Display names by id; null for a user who is not of the company. */
type FindUserName = (id: number | null) => string | null

/** The names of some users; that of the caller is known in the company that they are in. */
export async function loadUserNames(
  reader: Pick<Reader, 'all'>,
  company: number,
  ids: readonly (number | null)[],
  caller?: Caller,
): Promise<FindUserName> {
  const names = new Map<number, string>()
  if (caller?.companyId === company) names.set(caller.userId, caller.displayName)
  const wanted = [...new Set(ids.filter((id) => id !== null && !names.has(id)))]
  if (wanted.length > 0) {
    const args = { company, ids: JSON.stringify(wanted) }
    const rows = await reader.all<{ Id: number; DisplayName: string }>(NAMES, args)
    for (const { Id, DisplayName } of rows) names.set(Id, DisplayName)
  }
  return (id) => (id === null ? null : (names.get(id) ?? null))
}
