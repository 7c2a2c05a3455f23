/** Parts of the routes that open, continue or end sessions; made once for an app. */
import { jwt } from '@elysiajs/jwt'
import type { Clock } from '../kernel/clock.ts'
import type { Settings } from '../kernel/settings.ts'
import type { Store } from '../store/store.ts'
import { TOKENS } from '../access/floor.ts'
import { MfaChallenges } from '../access/mfa/challenges.ts'
import { PasswordQueue } from '../access/passwords/password-queue.ts'
import { PasswordResets } from '../access/passwords/password-reset.ts'
import type { SigningKeys } from '../access/sessions/keys.ts'
import { Sessions, type SessionWatcher } from '../access/sessions/sessions.ts'
import { ACCESS_TOKEN_TYPE, type SignToken } from '../access/sessions/token.ts'
import { type LimitName, Throttle } from '../access/throttle.ts'
import { MFA, RESET, SIGN_IN } from './floor.ts'

/** Sign-ins that may wait for their turn: some seconds of work, less than a client waits. */
const WAITING_MAX = 256

export interface Identity {
  readonly sessions: Sessions
  readonly challenges: MfaChallenges
  readonly throttles: Readonly<Record<LimitName, Throttle>>
  readonly passwords: PasswordQueue
  readonly resets: PasswordResets
  readonly sign: SignToken
}

/** Parts that identity is built on. */
interface IdentityBase {
  settings: Settings
  state: Store
  clock: Clock
  callers: SessionWatcher
  keys: SigningKeys
}

/** The parts of identity by the app's settings. */
export function openIdentity(app: IdentityBase): Identity {
  const { settings, state, clock } = app
  return {
    sessions: new Sessions({
      state,
      clock,
      watcher: app.callers,
      refreshLifetime: settings.get(TOKENS.refreshLifetime),
      refreshKey: app.keys.refreshKey,
    }),
    challenges: new MfaChallenges({
      state,
      clock,
      lifetime: settings.get(MFA.challengeLifetime),
      failuresMax: settings.get(MFA.userFailures),
      sealKey: app.keys.sealKey,
    }),
    resets: new PasswordResets({ state, clock }),
    throttles: openThrottles(app),
    passwords: new PasswordQueue({
      concurrency: settings.get(SIGN_IN.concurrency),
      waitingMax: WAITING_MAX,
    }),
    sign: openSigner(app.keys),
  }
}

function openThrottles({ settings, state, clock }: IdentityBase): Identity['throttles'] {
  const open = (
    limit: LimitName,
    userFailures: number,
    addressFailures: number,
    window = settings.get(SIGN_IN.window),
  ) => new Throttle({ state, clock, limit, userFailures, addressFailures, window })
  return {
    login: open('login', settings.get(SIGN_IN.userFailures), settings.get(SIGN_IN.addressFailures)),
    refresh: open('refresh', settings.get(SIGN_IN.refreshFailures), Infinity),
    mfaSetup: open('mfaSetup', settings.get(MFA.userSetups), Infinity),
    mfa: open('mfa', settings.get(MFA.userFailures), settings.get(MFA.addressFailures)),
    reset: open(
      'reset',
      settings.get(RESET.userAttempts),
      settings.get(RESET.addressAttempts),
      settings.get(RESET.window),
    ),
  }
}

/**
 * A signer for the key that is current now. The plugin is given the private `CryptoKey`, never a
 * text: from a PEM string it would take HMAC tokens that were forged with the public key.
 */
function openSigner(keys: SigningKeys): SignToken {
  const plugin = jwt({
    secret: keys.privateKey,
    alg: 'RS256',
    kid: keys.kid,
    typ: ACCESS_TOKEN_TYPE,
  })
  return (claims) => plugin.decorator.jwt.sign({ ...claims })
}
