/** An instance that is moved, within one transaction. */
import type { BranchRow, InstanceRow } from './instance-rows.ts'
import type { MovedRecord } from './moved-record.ts'

/** An instance on the move; it is written down at the end. */
export interface Move {
  record: MovedRecord
  instance: InstanceRow
  /** Its branches; undefined until somebody asks. */
  branches: BranchRow[] | undefined
  /** States that were entered so far. */
  moves: number
}

/** An instance that is changed once more: whoever looked at it before looks again. */
export function openMove(record: MovedRecord, instance: InstanceRow): Move {
  const next = { ...instance, Version: instance.Version + 1 }
  return { record, instance: next, branches: undefined, moves: 0 }
}

/** Where a branch, or the instance itself, is now. */
export const placeOf = ({ instance }: Move, branch: BranchRow | undefined) => branch ?? instance
