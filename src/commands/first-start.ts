/** Fills an empty data folder: a company, and a System user whose password is shown once. */
import { type Store, systemScope } from '../store/store.ts'
import { SYSTEM_ROLE } from '../access/callers/caller.ts'
import { saveNewCompany } from '../access/companies.ts'
import { hashPassword, newOneTimePassword } from '../access/passwords/password.ts'
import { saveNewUser } from '../access/users/users.ts'
import type { AppContext } from '../server/context.ts'

const COMPANY_CODE = 'MAIN'
const USER_NAME = 'system'

/** Checks that the database is untouched: no company and no user. */
export async function isUntouched(store: Store): Promise<boolean> {
  const sql = 'SELECT EXISTS (SELECT 1 FROM svc_companies) OR EXISTS (SELECT 1 FROM svc_users)'
  return (await store.text({ sql, args: {}, runs: 'inline' })) !== '1'
}

/**
 * Creates the company and the user in one transaction; resolves to the user's name and password.
 */
export async function saveFirstUser({
  store,
  clock,
  models,
}: AppContext): Promise<{ userName: string; password: string }> {
  const password = newOneTimePassword()
  const passwordHash = await hashPassword(password)
  const actor = { now: clock.now(), source: 'first start' }
  await store.write(async (tx) => {
    await saveNewCompany(tx, { code: COMPANY_CODE, name: 'Main' }, actor, models.get())
    const roles = [{ role: SYSTEM_ROLE, company: undefined }]
    const user = {
      userName: USER_NAME,
      passwordHash,
      mustChangePassword: true,
      roles,
      companies: [],
    }
    await saveNewUser(tx, user, { knownRoles: [], actor })
  }, systemScope('the first user is made'))
  return { userName: USER_NAME, password }
}
