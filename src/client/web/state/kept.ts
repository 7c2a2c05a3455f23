/**
 * Structure that this browser keeps, so that the next visit is drawn at once and asks then: user,
 * places, metadata and rights. Rows are never kept, they lie in memory alone: the next person at
 * this browser finds labels at most. All of it is of one user in one company, and goes with a
 * sign-out, with the end of the session, and with another release of the client.
 */
import type { CallerUser } from '../api/tokens.ts'

const PREFIX = 'kept '

/** Whose it is. */
const OWNER = 'user'

/** The names of what is kept, the oldest first. */
const NAMES = 'kept'

/** Entries that are kept: the browser reads all of them before the first. */
const ENTRIES_MAX = 30

/** The release: the name of the script bears a hash of all that it loads. */
const release = (): string =>
  document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? ''

function read(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null')
  } catch {
    return null
  }
}

const listNames = (): string[] => {
  const names = read(NAMES)
  return Array.isArray(names) ? names.map(String) : []
}

/** The value that is kept by this name; undefined without it. */
export const findKept = <T>(name: string): T | undefined =>
  (read(PREFIX + name) ?? undefined) as T | undefined

/** Keeps a value in place of the one before; what was kept first goes where it is too much. */
export function keep(name: string, value: unknown): void {
  // An answer that comes behind a sign-out is nobody's.
  if (localStorage.getItem(PREFIX + OWNER) === null) return
  const names = [...listNames().filter((each) => each !== name), name]
  try {
    for (const old of names.splice(0, Math.max(0, names.length - ENTRIES_MAX)))
      localStorage.removeItem(PREFIX + old)
    localStorage.setItem(PREFIX + name, JSON.stringify(value))
    localStorage.setItem(NAMES, JSON.stringify(names))
  } catch {
    // The browser has no more room, or keeps nothing at all.
    dropKept()
  }
}

/** Forgets all of it. */
export function dropKept(): void {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))
  for (const name of [NAMES, ...names]) localStorage.removeItem(name)
}

interface Owner {
  release: string
  user: CallerUser
}

/** The user of the last visit, whose session may go on; undefined where there is none. */
export function findKeptUser(): CallerUser | undefined {
  const owner = findKept<Owner>(OWNER)
  if (owner?.release === release()) return owner.user
  dropKept()
  return undefined
}

/** Keeps the user; what is kept of another user, or in another company, goes. */
export function keepUser(user: CallerUser): void {
  const before = findKept<Owner>(OWNER)?.user
  if (before?.Id !== user.Id || before.Company.Id !== user.Company.Id) dropKept()
  const owner: Owner = { release: release(), user }
  try {
    localStorage.setItem(PREFIX + OWNER, JSON.stringify(owner))
  } catch {
    dropKept()
  }
}
