/**
 * Decides a task by the votes on it. Pure.
 *
 * The first transition that leaves the state needs agreement: of one user who has the task (Any),
 * of each of them (All), or of so many (Quorum). Another action is taken once it has the votes of a
 * Quorum, or once they can no longer agree; so a task is never left undecided when all have voted.
 */
import type { Assignment } from '../../model/compiled/workflow.ts'

/** The facts that a decision is made from. */
interface Ballot {
  rule: Assignment['rule']
  /** Votes that a Quorum takes. */
  count: number | undefined
  /** The action of the first transition that leaves the state. */
  agreement: string
  /** Actions by voter; the last one is the present vote. */
  votes: readonly string[]
  /** Users who may vote, those who did included. */
  voters: number
}

/** Tells whether the last vote decides the task, for its action. */
export function isDecided({ rule, count, agreement, votes, voters }: Ballot): boolean {
  const last = votes.at(-1)
  if (last === undefined) return false
  if (rule === 'Any') return true
  const needed = rule === 'All' ? voters : (count ?? 1)
  if (votes.filter((vote) => vote === last).length >= needed) return true
  if (last === agreement) return false
  const dissent = votes.filter((vote) => vote !== agreement).length
  return voters - dissent < needed
}
