/** An instance that is moved, within one transaction. */
import type { BranchRow, InstanceRow } from './instance-rows.ts'
import type { MovedRecord } from './moved-record.ts'

/** An instance on the move; it is stored at the end. */
export interface Move {
  record: MovedRecord
  instance: InstanceRow
  /** Its branches; undefined until they are loaded. */
  branches: BranchRow[] | undefined
  /** Number of states entered so far. */
  moves: number
}

/** Opens a move of an instance and raises its version: a client with an older one reads again. */
export function openMove(record: MovedRecord, instance: InstanceRow): Move {
  const next = { ...instance, Version: instance.Version + 1 }
  return { record, instance: next, branches: undefined, moves: 0 }
}

/** The present place of a branch, or of the instance itself. */
export const placeOf = ({ instance }: Move, branch: BranchRow | undefined) => branch ?? instance
