/**
 * Validity of an admission: false once session, rights or model have changed. A request is admitted
 * before its body arrives and before it waits, so the code that does its work checks again.
 */
import { denied } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { systemScope, type WriteScope } from '../../store/store.ts'
import type { Caller } from './caller.ts'

/** The code of the 401 for a caller who still may come in, but with less than they came with. */
export const RIGHTS_CHANGED = 'RIGHTS_CHANGED'

interface ValidityParts {
  /** Milliseconds since 1970 at which the admission ends in any case. */
  until: number
  now: () => number
  /** The caller as they are now, by SQL. @throws the 401 of a session or a membership that ended */
  renew: () => Promise<Caller>
}

/** An admission of one caller. A check costs no SQL until a change has put it in question. */
export class CallerValidity {
  readonly #parts: ValidityParts
  #isUnchecked = false

  constructor(parts: ValidityParts) {
    this.#parts = parts
  }

  /** Something ended or changed: the session, the user, a company, what roles grant. */
  markUnchecked(): void {
    this.#isUnchecked = true
  }

  get isUnchecked(): boolean {
    return this.#isUnchecked || this.#parts.now() >= this.#parts.until
  }

  /** Milliseconds since 1970 at which the admission ends in any case. */
  get until(): number {
    return this.#parts.until
  }

  renew(): Promise<Caller> {
    return this.#parts.renew()
  }
}

const validities = new WeakMap<Caller, CallerValidity>()

/** Records the admission of a caller. */
export function keepValidity(caller: Caller, validity: CallerValidity): void {
  validities.set(caller, validity)
}

/** Returns the admission of a caller; undefined for a caller made without one. */
export const findValidity = (caller: Caller): CallerValidity | undefined => validities.get(caller)

/** Lets another value for the same caller share the validity of the first. */
export function shareValidity(from: Caller, to: Caller): void {
  const validity = validities.get(from)
  if (validity) validities.set(to, validity)
}

/**
 * Returns the caller as they are now; undefined while nothing has put their admission in question.
 * Rejects with the 401 of an admission that has ended.
 */
export function renewCaller(caller: Caller): Promise<Caller> | undefined {
  const validity = validities.get(caller)
  return validity?.isUnchecked ? validity.renew() : undefined
}

/**
 * Resolves, or does nothing, while the caller is still let in with all that they came with.
 * @throws unauthenticated when the session, the user or the membership has ended, denied
 * (`RIGHTS_CHANGED`) when a role or an attribute is removed.
 */
export function requireValidCaller(caller: Caller): Promise<void> | undefined {
  return renewCaller(caller)?.then((now) => {
    if (hasLost(caller, now)) throw rightsChanged()
  })
}

/** The 401 of work that was planned with rights that have changed since. */
export const rightsChanged = () =>
  denied(say`Your permissions changed in the meantime. Try again.`, RIGHTS_CHANGED)

/**
 * Whose rows a caller's transaction may write: those of their company, or for a reason every one's;
 * it fails when their standing has ended by then.
 */
export const scopeOf = (caller: Caller, because?: string): WriteScope => ({
  ...(because === undefined ? { company: caller.companyId } : systemScope(because)),
  revalidate: () => requireValidCaller(caller),
})

function hasLost(before: Caller, now: Caller): boolean {
  const names = new Set([...Object.keys(before.attributes), ...Object.keys(now.attributes)])
  return (
    before.roles.some((role) => !now.roles.includes(role)) ||
    [...names].some((name) => before.attributes[name] !== now.attributes[name])
  )
}
