/** Faults in what was deployed before and is not in the files: what they are, and what to do. */
import type { CompiledScripts } from '../compile/compile-scripts.ts'
import type { Script } from '../compiled/script.ts'
import type { CatalogPlan } from './catalog-plan.ts'
import type { Diagnostic, Element, Place } from '../parse/element.ts'

/** Suffix of a file's name in places of a stored script that the file no longer holds. */
const BEFORE = ' as deployed before'

/**
 * Describes the faults of a model that does not compile. Stored scripts that stay as they are bear
 * the names of the files that they once came from, so a fault in one would seem to be in a file
 * that does not have it: such places say so, and the fault tells the way out.
 */
export async function describeStale(
  { scripts, kept, merged }: CatalogPlan,
  given: readonly Script[],
  faults: readonly Diagnostic[],
  compile: (scripts: readonly Script[]) => Promise<Pick<CompiledScripts, 'faults'>>,
): Promise<readonly Diagnostic[]> {
  const own = new Set(given)
  const stale = scripts.filter((script) => !own.has(script))
  const files = new Set(stale.map(({ element }) => element.place.file))
  if (!faults.some(({ place }) => files.has(place.file))) return faults
  const changedHere = new Set([
    ...kept.map(({ stored }) => stored),
    ...merged.flatMap(({ given, result }) => (given && result ? [result] : [])),
  ])
  const renamed = scripts.map((script) => (own.has(script) ? script : renameFile(script)))
  const { faults: renamedFaults } = await compile(renamed)
  return renamedFaults.map((fault) => {
    const script = stale.find((each) => holds(each, fault.place))
    if (!script) return fault
    const advice = adviseOn(script, changedHere.has(script))
    return { ...fault, message: `${fault.message}. ${advice}` }
  })
}

function adviseOn({ type, name }: Script, isChangedHere: boolean): string {
  if (isChangedHere)
    return 'It was changed here since its last deploy. Use --overwrite to replace it'
  if (type === 'Rows')
    return `The files have no Rows of ${name}: deploy Rows without a Row to replace these`
  return `The files have no ${type} ${name}: deploy it again, or remove it with --prune`
}

function renameFile(script: Script): Script {
  return { ...script, element: renameIn(script.element) }
}

function renameIn(element: Element): Element {
  const { place, attributePlaces, children } = element
  const named = Object.entries(attributePlaces ?? {}).map(([name, at]) => [name, rename(at)])
  return {
    ...element,
    place: rename(place),
    children: children.map(renameIn),
    ...(attributePlaces && { attributePlaces: Object.fromEntries(named) }),
  }
}

const rename = (place: Place): Place => ({ ...place, file: `${place.file}${BEFORE}` })

/** True when a script holds a renamed place. */
function holds({ body, element }: Script, { file, line }: Place): boolean {
  const { place } = element
  const last = place.line + body.split('\n').length - 1
  return file === `${place.file}${BEFORE}` && line >= place.line && line <= last
}
