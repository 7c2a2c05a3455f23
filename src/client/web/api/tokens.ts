/**
 * The access token: in memory alone, one for each tab, renewed from the cookie that no script
 * reads. Tabs refresh one after another (Web Locks), so that none uses up what another waits for.
 */
import type { components } from './generated.d.ts'

declare global {
  interface Window {
    /** The answer of the first renewal, which `early.ts` asked for. */
    earlyRefresh?: Promise<Response | undefined> | undefined
  }
}

/** Tokens of a sign-in, a refresh or a switch. */
export type SessionTokens = components['schemas']['Tokens']
export type CallerUser = SessionTokens['User']

const REFRESH = '/api/v1/auth/refresh'
/** A token that ends within this time is renewed before it is used. */
const AHEAD_MS = 30_000

let token: string | undefined
let endsAt = 0
/** True once the cookie was tried and its token is there: until then requests wait. */
let isTried = false
/** Kept only where no front stands before the engine, which would keep it in a cookie. */
let ownRefreshToken: string | undefined

/** Called with the user of each new token, and with undefined at the end of the session. */
let onSession: (user: CallerUser | undefined) => void = () => {}

/** Sets the one listener to new tokens and to the end of the session. */
export function watchSession(watch: (user: CallerUser | undefined) => void): void {
  onSession = watch
}

/** Takes tokens of a sign-in or a switch: from here on this user calls. */
export function takeTokens(tokens: SessionTokens): void {
  token = tokens.AccessToken
  isTried = true
  endsAt = Date.now() + tokens.ExpiresIn * 1000
  ownRefreshToken = (tokens as { RefreshToken?: string }).RefreshToken
  onSession(tokens.User)
}

/** Forgets the token: nobody is signed in in this tab. */
export function dropTokens(): void {
  token = undefined
  ownRefreshToken = undefined
  onSession(undefined)
}

/** The token for a request; undefined where nobody is signed in. */
export async function findToken(): Promise<string | undefined> {
  const isOver = token === undefined ? !isTried : Date.now() > endsAt - AHEAD_MS
  if (isOver) await refreshTokens()
  return token
}

let refreshing: Promise<boolean> | undefined

/** Renews the token; false where the session has ended. @throws TypeError without a network */
export function refreshTokens(): Promise<boolean> {
  refreshing ??= (window.earlyRefresh ? takeEarly() : inTurn(refresh)).finally(
    () => (refreshing = undefined),
  )
  return refreshing
}

/** Runs one tab after another. Without https the browser has no locks: a repeat gets the same. */
const inTurn = (work: () => Promise<boolean>): Promise<boolean> =>
  'locks' in navigator ? navigator.locks.request('appengine-refresh', work) : work()

/** Takes the answer that `early.ts` asked for; without one it is asked again. */
async function takeEarly(): Promise<boolean> {
  const asked = window.earlyRefresh
  window.earlyRefresh = undefined
  const answer = await asked?.catch(() => undefined)
  return answer ? follow(answer) : inTurn(refresh)
}

async function refresh(): Promise<boolean> {
  const body = JSON.stringify(
    ownRefreshToken === undefined ? {} : { RefreshToken: ownRefreshToken },
  )
  const answer = await fetch(REFRESH, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  })
  return follow(answer)
}

/** Follows the answer to a refresh. @throws TypeError while the server is away */
async function follow(answer: Response): Promise<boolean> {
  if (answer.status === 503 || answer.status === 429) throw new TypeError('Not served now')
  if (!answer.ok || answer.status === 204) {
    isTried = true
    if (token !== undefined) dropTokens()
    return false
  }
  const { data } = (await answer.json()) as { data: SessionTokens }
  takeTokens(data)
  return true
}
