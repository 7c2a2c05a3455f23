/** A bulk edit with its records, and what it is made with. */
import type { ManyPlan } from './many-plan.ts'
import type { Selection } from './selection.ts'
import type { Mutation } from '../mutation.ts'
import type { Progress } from '../../progress.ts'

/** The parts that a bulk edit is made with. */
export interface ManyParts {
  progress: Pick<Progress, 'report'>
  /** Milliseconds for which it can be undone (`Svc:Imports:UndoFor`). */
  undoForMs: number
  /** The language of the messages of records. */
  language: string
}

/** A bulk edit with its records. */
export interface ManyWork {
  mutation: Mutation
  parts: ManyParts
  plan: ManyPlan
  selection: Selection
  /** Of a dry run by filters. */
  token?: string
}
