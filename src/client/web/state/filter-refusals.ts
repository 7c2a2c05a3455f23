/** Filters of the grid that the server refused: their chips tell why, and the rows need not. */
import { signal } from '@preact/signals'

/** Refusals by the numbers of their filters; none where the server takes them all. */
interface FilterRefusals {
  /** The filters that were judged, as an address has them. */
  filters: string | undefined
  byNumber: ReadonlyMap<number, string>
}

/** The refusals of the filters that were judged last; undefined before. */
export const filterRefusals = signal<FilterRefusals | undefined>(undefined)
