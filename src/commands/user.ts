/** `appengine user create`, `lock`, `unlock`, `reset` and `reset-mfa`: first steps and rescue. */
import type { Settings } from '../kernel/settings.ts'
import { systemScope } from '../store/store.ts'
import { loadModel } from '../model/load.ts'
import { PASSWORD_MIN_LENGTH, TOKENS } from '../access/floor.ts'
import { endChallenges } from '../access/mfa/challenges.ts'
import { deleteMfa } from '../access/mfa/mfa.ts'
import { findPasswordFault, type PasswordRules } from '../access/passwords/password-rules.ts'
import {
  hashPassword,
  newOneTimePassword,
  requirePasswordSize,
} from '../access/passwords/password.ts'
import { SigningKeys } from '../access/sessions/keys.ts'
import { Sessions } from '../access/sessions/sessions.ts'
import { forgetFailures } from '../access/throttle.ts'
import { LANGUAGE } from '../access/users/spoken-language.ts'
import { parseRoleGrant } from '../access/users/user-names.ts'
import {
  findUser,
  findUserById,
  saveActive,
  saveNewUser,
  savePassword,
} from '../access/users/users.ts'
import type { Stores } from '../server/open-context.ts'
import { type Arguments, UsageError } from './arguments.ts'
import { type HeldFolder, withStores } from './data-folder.ts'
import { CommandFailure, EXIT, printResult } from './output.ts'

const ALL = systemScope('users are changed on the command line')

/** Creates a user with the password of standard input, or a one-time one that is printed. */
export async function runUserCreate(args: Arguments): Promise<number> {
  const userName = args.word(0)
  const attributes = parseAttributes(args.list('attribute'))
  const { id, oneTime } = await withStores(args, async ({ store }, { clock, settings }) => {
    const password = await takePassword(args, settings, [userName, args.find('email')])
    const user = {
      userName,
      displayName: args.find('display-name'),
      email: args.find('email'),
      language: args.find('language'),
      passwordHash: password.hash,
      mustChangePassword: password.oneTime !== undefined,
      roles: args.list('role').map(parseRoleGrant),
      companies: args.list('company'),
      attributes,
    }
    const knownRoles = [...(await loadModel(store)).roles.keys()]
    const actor = { now: clock.now(), source: 'user create' }
    const made = await store.write((tx) => saveNewUser(tx, user, { knownRoles, actor }), ALL)
    return { id: made, oneTime: password.oneTime }
  })
  const sentence = `User ${userName} was created with the id ${id}.${printOneTime(oneTime)}`
  printResult(args, sentence, { Id: id, UserName: userName, OneTimePassword: oneTime })
  return EXIT.done
}

/**
 * Locks a user out, or lets them in again, also after too many failed sign-ins; a locked user's
 * sessions are over.
 */
export async function runUserActive(args: Arguments, active: boolean): Promise<number> {
  const userName = args.word(0)
  await withStores(args, async (stores, folder) => {
    const actor = { now: folder.clock.now(), source: active ? 'user unlock' : 'user lock' }
    const id = await stores.store.write((tx) => saveActive(tx, userName, active, actor), ALL)
    if (!active) return endSessions(stores, folder, id, 'The user was locked')
    const user = await findUserById(stores.store, id)
    if (user) await forgetFailures(stores.state, user)
  })
  const sentence = active ? `${userName} may sign in again.` : `${userName} is locked out.`
  printResult(args, sentence, { UserName: userName, Active: active })
  return EXIT.done
}

/** Gives a user a new password and ends their sessions. */
export async function runUserReset(args: Arguments): Promise<number> {
  const userName = args.word(0)
  const oneTime = await withStores(args, async (stores, folder) => {
    const { store } = stores
    const { clock, settings } = folder
    const user = await findUser(store, userName)
    if (!user) throw new CommandFailure(`There is no user ${userName}`)
    const password = await takePassword(args, settings, [user.UserName, user.Email])
    const language = settings.get(LANGUAGE)
    const actor = { now: clock.now(), source: 'user reset', language }
    const given = { hash: password.hash, mustChange: password.oneTime !== undefined }
    await store.write((tx) => savePassword(tx, user.Id, given, actor), ALL)
    await endSessions(stores, folder, user.Id, 'The password was reset')
    return password.oneTime
  })
  const sentence = `${userName} has a new password.${printOneTime(oneTime)}`
  printResult(args, sentence, { UserName: userName, OneTimePassword: oneTime })
  return EXIT.done
}

/** Removes the second factor of a user who lost it, and ends their sessions. */
export async function runUserResetMfa(args: Arguments): Promise<number> {
  const userName = args.word(0)
  await withStores(args, async (stores, folder) => {
    const user = await findUser(stores.store, userName)
    if (!user) throw new CommandFailure(`There is no user ${userName}`)
    const language = folder.settings.get(LANGUAGE)
    const actor = { now: folder.clock.now(), source: 'user reset-mfa', language }
    const had = await stores.store.write((tx) => deleteMfa(tx, user.Id, 'mfa-reset', actor), ALL)
    if (!had) throw new CommandFailure(`${userName} has no second factor`)
    await endSessions(stores, folder, user.Id, 'The second factor was removed')
  })
  const sentence = `${userName} now signs in without a second factor.`
  printResult(args, sentence, { UserName: userName, MfaEnabled: false })
  return EXIT.done
}

async function endSessions(
  { store, state }: Stores,
  { clock, settings }: HeldFolder,
  userId: number,
  because: string,
): Promise<void> {
  const { refreshKey } = await SigningKeys.open(store, clock)
  const refreshLifetime = settings.get(TOKENS.refreshLifetime)
  // No server runs on this folder, so there are no connections to close.
  const watcher = { forgetSession: () => undefined }
  const sessions = new Sessions({ state, clock, watcher, refreshLifetime, refreshKey })
  await endChallenges(state, userId, clock.now())
  await sessions.endAll(userId, because)
}

const printOneTime = (password: string | undefined): string =>
  password === undefined ? '' : `\nOne-time password; change it at the first sign-in: ${password}`

async function takePassword(
  args: Arguments,
  settings: Settings,
  own: PasswordRules['own'],
): Promise<{ hash: string; oneTime: string | undefined }> {
  if (!args.has('password-stdin')) {
    const oneTime = newOneTimePassword()
    return { hash: await hashPassword(oneTime), oneTime }
  }
  const password = (await Bun.stdin.text()).replace(/\r?\n$/, '')
  requirePasswordSize(password)
  const lengthMin = settings.get(PASSWORD_MIN_LENGTH)
  const fault = findPasswordFault(password, { lengthMin, own })
  if (fault !== undefined) throw new CommandFailure(String(fault))
  return { hash: await hashPassword(password), oneTime: undefined }
}

function parseAttributes(pairs: readonly string[]): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1) throw new UsageError(`--attribute takes NAME=VALUE, not ${pair}`)
    attributes[pair.slice(0, at)] = pair.slice(at + 1)
  }
  return attributes
}
