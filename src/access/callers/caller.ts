/** The caller: the verified session behind a request, with the facts that give its rights. */

/** Names of the roles that the engine knows by itself (src/server/README.md, Gates). */
export const SYSTEM_ROLE = 'System'
export const ADMIN_ROLE = 'Admin'
export const ACCESS_MANAGER_ROLE = 'AccessManager'

/** Limits that an API key sets to its user: no role and no company but these. */
export interface KeyLimits {
  readonly id: number
  readonly name: string
  readonly roles: readonly string[]
  /** Ids. */
  readonly companies: readonly number[]
}

export interface Caller {
  readonly userId: number
  readonly userName: string
  readonly displayName: string
  readonly email: string | undefined
  /** Empty for a caller without one: later work, and API keys. */
  readonly sessionId: string
  /** The key that they came by, or by which they asked for later work. */
  readonly apiKey?: KeyLimits
  /** The company that the session is in; every read and write is held to it. */
  readonly companyId: number
  readonly companyCode: string
  /** Roles that hold now: global ones and those of the current company, sorted. */
  readonly roles: readonly string[]
  readonly isSystem: boolean
  /** The user who acts as this one; their changes are audited under both. */
  readonly impersonatorId: number | undefined
  readonly impersonatorName?: string | undefined
  /** User attributes by name, for `@User_<Attribute>`. */
  readonly attributes: Readonly<Record<string, string | undefined>>
  /** True with a one-time password: only its change is open (`server/session.ts`). */
  readonly mustChangePassword?: boolean
  /** True when a role asks for a second factor that is missing: only its setup is open. */
  readonly mustSetUpMfa?: boolean
  /** Language of answers to the caller; undefined: texts as they were written, and English. */
  readonly language?: string
  /** IANA zone: `X-TimeZone`, else the user's, else the company's, else UTC. */
  readonly timeZone: string
}
