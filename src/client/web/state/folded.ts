/** Sections of forms that a user has folded, kept in this browser by object and section. */
import { signal } from '@preact/signals'

const KEY = 'foldedSections'

function load(): ReadonlySet<string> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return new Set(Array.isArray(kept) ? kept.map(String) : [])
  } catch {
    return new Set()
  }
}

const folded = signal(load())

const nameOf = (object: string, section: string): string => `${object} ${section}`

/** True where the section is folded. */
export const isFolded = (object: string, section: string): boolean =>
  folded.value.has(nameOf(object, section))

/** Folds a section, or shows what is in it. */
export function setFolded(object: string, section: string, isNow: boolean): void {
  const next = new Set(folded.peek())
  if (isNow) next.add(nameOf(object, section))
  else next.delete(nameOf(object, section))
  folded.value = next
  localStorage.setItem(KEY, JSON.stringify([...next]))
}
