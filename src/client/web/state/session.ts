/** The user who is signed in, in this tab and the others. */
import { signal } from '@preact/signals'
import { pickLanguage, setLanguage, zone } from '../texts/texts.ts'
import {
  type CallerUser,
  dropTokens,
  refreshTokens,
  takeTokens,
  watchSession,
} from '../api/tokens.ts'
import { type Schemas, take, wire } from '../api/wire.ts'
import { go } from './address.ts'

/** `starting` until the cookie was tried; then the user, or undefined where nobody is signed in. */
export const user = signal<CallerUser | 'starting' | undefined>('starting')

/** The user whose session ended by itself: the sign-in comes in place, what was typed stays. */
export const endedUser = signal<CallerUser | undefined>(undefined)

/** A sign-out reaches every tab. */
const tabs = new BroadcastChannel('appengine-session')

/** Takes up the session of the cookie, if there is one. */
export async function startSession(): Promise<void> {
  watchSession(noteUser)
  tabs.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (data === 'signed-out') leave()
  })
  await setLanguage(localStorage.getItem('language') ?? pickLanguage(navigator.languages))
  if (!(await refreshTokens())) user.value = undefined
}

function noteUser(now: CallerUser | undefined): void {
  const before = user.value
  if (now === undefined && typeof before === 'object') endedUser.value = before
  if (now !== undefined) {
    endedUser.value = undefined
    zone.value = now.TimeZone
  }
  user.value = now
  if (now?.Language && localStorage.getItem('language') === null) void setLanguage(now.Language)
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
