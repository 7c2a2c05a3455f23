/** A step of a migration. */
import type { Place } from '../element.ts'
import type { Rebuild } from './rebuild.ts'

/** What a step does. */
export type StepKind =
  | 'dropTable'
  | 'dropIndex'
  | 'renameTable'
  | 'renameColumn'
  | 'mapKeys'
  | 'createTable'
  | 'addColumn'
  | 'fitColumn'
  | 'rebuildTable'
  | 'createIndex'

/** A part of a migration. */
export interface Step {
  kind: StepKind
  table: string
  /** What it does, for the plan. */
  text: string
  /** Undefined for an entity that is gone. */
  place: Place | undefined
  sql: readonly string[]
  /** Set for a rebuild, whose rows are counted before and after. */
  rebuild?: Rebuild
}
