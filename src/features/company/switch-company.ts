/** Going on in another company: the one way besides a sign-in to choose it. */
import type { Caller } from '../../access/caller.ts'
import { loadCompaniesOf } from '../../access/companies.ts'
import { saveLastCompany } from '../../access/users.ts'
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { AppContext } from '../../server/context.ts'
import { issueTokens } from '../../server/tokens.ts'
import type { Tokens } from '../../server/token-schema.ts'
import { systemScope } from '../../store/store.ts'

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
