/** Gates that depend on the caller alone: for routes, and for connections while they last. */
import { denied } from '../kernel/failure.ts'
import type { Model } from '../model/model.ts'
import type { Caller } from '../access/callers/caller.ts'
import { Grant } from '../access/rights/grant.ts'
import type { Duty } from './session.ts'

export type CallerGate =
  /** Any caller; the answer is narrowed to what is theirs. */
  | {
      readonly kind: 'authenticated'
      /** Callers who have to do one of these before anything else are let in, too. */
      readonly before?: readonly Duty[]
    }
  /** Callers with one of the roles. */
  | {
      readonly kind: 'roles'
      readonly roles: readonly string[]
      /** True to let watchers in as well, who have no token: see `isWatcher`. */
      readonly watchers?: true
    }
  /** Callers with the verb or the capability on a resource of the engine's own. */
  | { readonly kind: 'resource'; readonly resource: string; readonly right: string }

/** Lets a caller pass, whatever they ask for. @throws denied (401) */
export function passCallerGate(gate: CallerGate, caller: Caller, model: Model): void {
  if (gate.kind === 'roles') requireRole(caller, gate.roles)
  else if (gate.kind === 'resource')
    Grant.requireCapability(caller, model, gate.resource, gate.right)
}

/** Requires one of the roles; System passes every gate. @throws denied (401) without any */
export function requireRole(caller: Caller, roles: readonly string[]): void {
  if (!caller.isSystem && !roles.some((role) => caller.roles.includes(role))) throw denied()
}
