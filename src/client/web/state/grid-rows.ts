/** Findings of the grid of the place: its count, its caller's rights, and when to ask again. */
import { type ReadonlySignal, signal } from '@preact/signals'
import type { Schemas } from '../api/wire.ts'
import { findKept, keep } from './kept.ts'

/** The number of rows that the query finds, once it is known; `undefined` before. */
export const rowCount = signal<number | undefined>(undefined)

/** Rows that there are more of, where counting all takes too long; `undefined` elsewhere. */
export const rowsCounted = signal<number | undefined>(undefined)

const rights = signal<Schemas['Permissions'] | undefined>(undefined)

/**
 * Rights of the caller on the object of the grid, as its first page told them; until that comes,
 * those of the last visit, so that nothing moves when it does. The server judges in any case.
 */
export const gridPermissions: ReadonlySignal<Schemas['Permissions'] | undefined> = rights

const keptName = (slug: string): string => `rights ${slug}`

/** Shows the rights of the last visit of an object. */
export function beginRights(slug: string): void {
  rights.value = findKept(keptName(slug))
}

/** Takes the rights that a page of rows told. */
export function takeRights(slug: string, told: Schemas['Permissions']): void {
  // Each page tells them, and what they show is not drawn again for that.
  if (JSON.stringify(told) === JSON.stringify(rights.peek())) return
  rights.value = told
  keep(keptName(slug), told)
}

/** Moves when the rows are to be asked for again. */
export const gridVersion = signal(0)

/** Has the grid ask for its rows again. */
export function refreshGrid(): void {
  gridVersion.value++
}
