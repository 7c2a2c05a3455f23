/** The user who is signed in, in this tab and the others. */
import { signal } from '@preact/signals'
import { pickLanguage, setLanguage, zone } from '../texts/texts.ts'
import { ServerError } from '../api/server-error.ts'
import {
  type CallerUser,
  dropTokens,
  refreshTokens,
  takeTokens,
  watchSession,
} from '../api/tokens.ts'
import { type Schemas, take, wire } from '../api/wire.ts'
import { go } from './address.ts'
import { dropKept, findKeptUser, keepUser } from './kept.ts'

/** `starting` until the cookie was tried; then the user, or undefined where nobody is signed in. */
export const user = signal<CallerUser | 'starting' | undefined>('starting')

/** The user whose session ended by itself: the sign-in comes in place, what was typed stays. */
export const endedUser = signal<CallerUser | undefined>(undefined)

/** Codes of refusals for want of a session; the client's own has none. */
const SESSION_OVER: readonly unknown[] = [
  undefined,
  'UNAUTHENTICATED',
  'SESSION_ENDED',
  'TOKEN_INVALID',
]

/** True for a refusal for want of a session, of which some come late, once there is one again. */
export const isMetBySignIn = (told: unknown): boolean =>
  told instanceof ServerError &&
  told.status === 401 &&
  SESSION_OVER.includes(told.refusal.code) &&
  typeof user.value === 'object' &&
  endedUser.value === undefined

/** A sign-out reaches every tab. */
const tabs = new BroadcastChannel('appengine-session')

/** The server is asked for the session again after this time, while it is away. */
const AWAY_MS = 1000

/**
 * Takes up the session of the cookie, if there is one. The user of the last visit is shown while
 * the server is asked: the place is drawn meanwhile, and its requests wait for the answer.
 */
export async function startSession(): Promise<void> {
  watchSession(noteUser)
  tabs.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (data === 'signed-out') leave()
  })
  const trying = tryCookie()
  const known = findKeptUser()
  const own = localStorage.getItem('language') ?? known?.Language
  await setLanguage(own ?? pickLanguage(navigator.languages))
  // The answer that has come meanwhile is taken first: it asks for rows before all is drawn.
  await new Promise((resolve) => setTimeout(resolve))
  if (known && user.peek() === 'starting') show(known)
  else await trying
}

async function tryCookie(): Promise<void> {
  try {
    if (await refreshTokens()) return
    dropKept()
    user.value = undefined
  } catch {
    await new Promise((resolve) => setTimeout(resolve, AWAY_MS))
    await tryCookie()
  }
}

function noteUser(now: CallerUser | undefined): void {
  const before = user.peek()
  if (now === undefined) {
    dropKept()
    if (typeof before === 'object') endedUser.value = before
    user.value = undefined
    return
  }
  keepUser(now)
  endedUser.value = undefined
  // A renewed token has the same user: nothing is drawn again.
  if (JSON.stringify(before) !== JSON.stringify(now)) show(now)
}

function show(now: CallerUser): void {
  zone.value = now.TimeZone
  user.value = now
  if (now.Language && localStorage.getItem('language') === null) void setLanguage(now.Language)
}

/** Ends the session, here and in every tab. */
export async function signOut(): Promise<void> {
  await take(wire.POST('/api/v1/auth/logout', { body: {} })).catch(() => undefined)
  tabs.postMessage('signed-out')
  leave()
}

function leave(): void {
  dropTokens()
  endedUser.value = undefined
}

/** The language of this browser from now on; another than the user's own stays here. */
export async function chooseLanguage(name: string): Promise<void> {
  localStorage.setItem('language', name)
  await setLanguage(name)
}

/** The companies of the user, for a choice; loaded when it is opened. */
export const companies = signal<Schemas['Company'][]>([])

/** Loads the companies that the user may switch to. */
export async function loadCompanies(): Promise<void> {
  companies.value = (await take(wire.GET('/api/v1/svc/company'))).filter(({ Active }) => Active)
}

/** Goes on in another company, at the first place: its records are others. */
export async function switchCompany(CompanyId: number): Promise<void> {
  takeTokens(await take(wire.POST('/api/v1/svc/company/switch', { body: { CompanyId } })))
  go('/')
}

/** Goes on as another user, at the first place. @throws ServerError */
export async function startImpersonation(body: Schemas['ImpersonationRequest']): Promise<void> {
  takeTokens(await take(wire.POST('/api/v1/impersonation/start', { body })))
  go('/')
}

/** True for a user who may act as others. */
export const mayImpersonate = ({ Roles, Impersonator }: CallerUser): boolean =>
  Impersonator === null && Roles.includes('System')

/** Ends an impersonation; the session of before goes on. */
export async function stopImpersonation(): Promise<void> {
  takeTokens(await take(wire.POST('/api/v1/impersonation/stop')))
  go('/')
}
