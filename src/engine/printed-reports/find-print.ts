/**
 * Prints of the model by their names, and the gate to each: View on the resource of its view, List
 * and Export on the report that it is of.
 */
import type { Clock } from '../../kernel/clock.ts'
import type { Print } from '../../model/compiled/print.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import { newContext } from '../object/context.ts'
import { requireView } from '../object/read/find-view.ts'
import type { PrintUse } from './template-record.ts'

const byKey = new WeakMap<Model, ReadonlyMap<string, Print>>()

/** Finds the print of a name or slug, in any case. */
export const findPrint = (model: Model, key: string): Print | undefined =>
  byKey
    .getOrInsertComputed(model, ({ prints }) => {
      const keys = [...prints.values()].flatMap((print) =>
        [print.slug, print.name].map((each) => [each.toLowerCase(), print] as const),
      )
      return new Map(keys)
    })
    .get(key.toLowerCase())

/** A print as a caller uses it now. @throws denied, before anything but its name is used */
export function requirePrintUse(
  engine: { clock: Clock },
  { caller, model }: { caller: Caller; model: Model },
  print: Print,
): PrintUse {
  const view = print.report?.view ?? requireView(model, print.view)
  const grant = Grant.require(caller, model, view.resource, [print.report ? 'List' : 'View'])
  if (print.report) grant.requireVerb('Export')
  return { print, view, grant: grant.toFile(), context: newContext(engine, caller, model) }
}
