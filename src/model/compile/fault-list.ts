/** Faults and warnings of a model, collected in whatever order they are found. */
import { findNearest } from '../names.ts'
import { comparePlaces, type Diagnostic, type Place } from '../parse/element.ts'

/** Every fault is reported, not only the first; one sentence at one place only once. */
export class FaultList {
  readonly #faults = new Map<string, Diagnostic>()
  readonly #warnings = new Map<string, Diagnostic>()

  /** Adds a fault, which refuses the model. */
  add(place: Place, message: string): void {
    this.#faults.set(keyOf(place, message), { place, message })
  }

  /** Adds a warning, which a deploy reports and lets through. */
  warn(place: Place, message: string, more: Pick<Diagnostic, 'resource'> = {}): void {
    this.#warnings.set(keyOf(place, message), { place, message, ...more })
  }

  /** Faults in the order of files, lines and columns. */
  faults(): Diagnostic[] {
    return sortFaults([...this.#faults.values()])
  }

  warnings(): Diagnostic[] {
    return [...this.#warnings.values()].sort(comparePlaces)
  }
}

/** Leaves out warnings about resources that are known after all, as an extension brings them. */
export const withoutKnown = <D extends Diagnostic>(
  warnings: readonly D[],
  resources: ReadonlySet<string>,
): D[] => warnings.filter(({ resource }) => resource === undefined || !resources.has(resource))

/** Sorts faults by file, line and column. */
export const sortFaults = (faults: readonly Diagnostic[]): Diagnostic[] =>
  [...faults].sort(comparePlaces)

/** "; did you mean X?" for a misspelt name, or nothing. */
export function suggest(name: string, names: Iterable<string>): string {
  const nearest = findNearest(name, names)
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}

/** `file:line:column`, as one place names another. */
export function describePlace(place: Place): string {
  return `${place.file}:${place.line}:${place.column}`
}

function keyOf(place: Place, message: string): string {
  return `${describePlace(place)} ${message}`
}
