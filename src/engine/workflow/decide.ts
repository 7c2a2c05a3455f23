/**
 * Whether a task is decided by the words that were given on it. Pure.
 *
 * The first transition that leaves the state is what has to be agreed on: by one of those who have
 * the task (Any), by each of them (All), or by so many (Quorum). Another action is taken once it
 * has as many words as a Quorum takes, or once they cannot agree any more; so votes never leave a
 * task undecided that all have given their word on.
 */
import type { Assignment } from '../../model/compiled/workflow.ts'

/** What a decision is made from. */
interface Ballot {
  rule: Assignment['rule']
  /** Of a Quorum. */
  count: number | undefined
  /** The action of the first transition that leaves the state. */
  agreement: string
  /** Actions by voter; the last one is that which was just given. */
  votes: readonly string[]
  /** How many may give their word, those who did included. */
  voters: number
}

/** Whether the last word decides, for the action that it is for. */
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
