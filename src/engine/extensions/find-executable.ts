/** Scripts and jobs of extensions by their names, for callers with the right to run them. */
import { denied, type Failure, invalid, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import { planAccess } from '../../access/rights/resource-access.ts'
import type { Declared, Extensions, LoadedExtensions } from './extensions.ts'
import { PART_NAME } from './part-names.ts'
import type { JobPart, ScriptPart } from './parts.ts'

/** The capability that lets a caller run a part with a Resource. */
export const EXECUTE = 'Execute'

/** A script or job that is asked for by name. */
type Executable = Declared<ScriptPart> | Declared<JobPart>

/** The script or job of a name; undefined where nothing bears it. */
export function findExecutable(
  { scripts, jobs }: LoadedExtensions,
  name: string,
): Executable | undefined {
  const key = name.toLowerCase()
  return scripts.get(key) ?? jobs.get(key)
}

/** @throws denied without Execute on the Resource of the part */
export function requireExecute(caller: Caller, model: Model, { part }: Executable): void {
  Grant.requireCapability(caller, model, part.Resource, EXECUTE)
}

/**
 * The script or job of a name. A caller without the right is refused in the same words as for an
 * unknown name. @throws invalid, denied, notFound
 */
export async function requireExecutable(
  extensions: Extensions,
  { caller, model }: { caller: Caller; model: Model },
  name: string,
): Promise<Executable> {
  const found = findExecutable(await extensions.load(), name)
  if (!found) throw missing(caller, model, name)
  requireExecute(caller, model, found)
  return found
}

/** Computed each time and never cached: there is no end to unknown names. */
function missing(caller: Caller, model: Model, name: string): Failure {
  const isName = PART_NAME.test(name)
  const { capabilities } = planAccess(model, caller.roles, isName ? name : '', '')
  if (!caller.isSystem && !capabilities.has(EXECUTE)) return denied()
  if (!isName) return invalid(say`Name is not a valid script name`)
  return notFound(say`There is no such script`, { code: 'SCRIPT_NOT_FOUND' })
}
