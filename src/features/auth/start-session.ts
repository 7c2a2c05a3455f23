/** The last step of every sign-in: a session in a company, and its tokens. */
import { denied, unauthenticated } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { systemScope } from '../../store/store.ts'
import { type CompanyRow, findHome, loadCompaniesOf } from '../../access/companies.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { isMfaEnabled } from '../../access/mfa/mfa.ts'
import { noteDevice } from '../../access/sessions/devices.ts'
import { findUserLanguage, LANGUAGE } from '../../access/users/spoken-language.ts'
import { findUserById, saveLastCompany, type UserRow } from '../../access/users/users.ts'
import type { RequestCall } from '../../server/call.ts'
import type { ClientInfo } from '../../server/client-info.ts'
import type { AppContext } from '../../server/context.ts'
import type { Tokens } from '../../server/token-schema.ts'
import { issueTokens } from '../../server/tokens.ts'
import { writeDeviceEmail } from './emails.ts'

/** A hook of routes that only the user themselves may call: it refuses before the body is read. */
export const refuseImpersonated = ({ caller }: RequestCall): void => requireNotImpersonated(caller)

/** Outcome of a sign-in: its company, and whether a second factor was proved. */
interface Entry {
  companyId: number
  hasFactor: boolean
}

/** The one 401 of a sign-in by name and password. */
export const refusedSignIn = () =>
  unauthenticated(say`The user name or the password is wrong`, 'SIGN_IN_FAILED')

/**
 * Opens a session of a user who has proved who they are and issues its tokens. Throws the 401 of a
 * user who was locked, or has a new password, since `user` was read, and of one whose second factor
 * was confirmed after the sign-in had not asked for it.
 */
export async function startSession(
  app: AppContext,
  user: UserRow,
  { companyId, hasFactor }: Entry,
  from: ClientInfo,
): Promise<Tokens> {
  const session = await app.identity.sessions.open({
    userId: user.Id,
    companyId,
    client: from.client,
    address: from.address,
  })
  await requireUnchanged(app, user, { sessionId: session.id, hasFactor })
  notifyNewDevice(app, user, from)
  if (user.LastCompanyId !== companyId)
    await app.store.write(
      (tx) => saveLastCompany(tx, user.Id, companyId),
      systemScope('users belong to no one company'),
    )
  return issueTokens(app, session)
}

/** The company asked for, else the one of the last sign-in, else the first by code. */
export async function requireCompany(
  app: AppContext,
  user: UserRow,
  wanted: number | undefined,
): Promise<CompanyRow> {
  const companies = await loadCompaniesOf(app.store, user.Id)
  const company =
    wanted === undefined ? findHome(companies, user) : companies.find(({ Id }) => Id === wanted)
  if (company) return company
  throw denied(
    companies.length === 0
      ? say`This user does not belong to any company. Ask an administrator to add one.`
      : say`This user does not belong to that company`,
  )
}

/**
 * A lock, a new password or a new factor that came between the check and the session does not know
 * this session yet, so that the session itself looks once more; whatever comes later ends it.
 */
async function requireUnchanged(
  app: AppContext,
  user: UserRow,
  { sessionId, hasFactor }: { sessionId: string; hasFactor: boolean },
): Promise<void> {
  const now = await findUserById(app.store, user.Id)
  const isSame = now?.Active && now.PasswordHash === user.PasswordHash
  if (isSame && (hasFactor || !(await isMfaEnabled(app.store, user.Id)))) return
  await app.identity.sessions.end(sessionId, 'The user changed while signing in')
  throw refusedSignIn()
}

/**
 * Records the client of a sign-in, after the answer, and notifies the user of a new one; not of the
 * very first.
 */
function notifyNewDevice(app: AppContext, user: UserRow, from: ClientInfo): void {
  const at = app.clock.now()
  app.mailer.send({
    topic: 'new device',
    write: async () => {
      const device = await noteDevice(app.state, user.Id, from.client, at)
      if (device !== 'new' || user.Email === null) return undefined
      const own = await findUserLanguage(app.store, user.Id, null)
      return writeDeviceEmail(user, { ...from, at }, own ?? app.settings.get(LANGUAGE))
    },
  })
}
