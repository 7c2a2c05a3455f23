/** Findings of the grid of the place: its count, its caller's rights, and when to ask again. */
import { signal } from '@preact/signals'
import type { Schemas } from '../api/wire.ts'

/** The number of rows that the query finds, once it is known; `undefined` before. */
export const rowCount = signal<number | undefined>(undefined)

/** Rows that there are more of, where counting all takes too long; `undefined` elsewhere. */
export const rowsCounted = signal<number | undefined>(undefined)

/** Rights of the caller on the object of the grid, as its first page told them. */
export const gridPermissions = signal<Schemas['Permissions'] | undefined>(undefined)

/** Moves when the rows are to be asked for again. */
export const gridVersion = signal(0)

/** Has the grid ask for its rows again. */
export function refreshGrid(): void {
  gridVersion.value++
}
