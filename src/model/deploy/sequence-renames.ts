/** Moves the counts of sequences to their new names in a deploy. */
import type { Tx } from '../../store/store.ts'
import { loadFact, saveFact } from './facts.ts'
import type { Model } from '../model.ts'

/** The sequences of the last deploy, each with what it was. */
const SEQUENCES_FACT = 'sequences'

type Deployed = Map<string, string | undefined>

/** Tables of counters and reserved numbers, by the name of their sequence. */
const STATE = ['svc_sequences', 'svc_reservations'] as const

/**
 * Gives renamed sequences (`Was`) their counters and reserved numbers. One that is new begins
 * without any, whatever another of its name has left: it goes on behind what its columns hold.
 * Resolves to the renames. Where a deploy with such renames is rolled back (`undone`), each
 * sequence gets its former name again, and one that comes back goes on as it was left.
 */
export async function renameSequences(
  tx: Tx,
  { sequences: wanted }: Pick<Model, 'sequences'>,
  undone?: readonly SequenceMove[],
): Promise<readonly SequenceMove[]> {
  const fact = await loadFact(tx, SEQUENCES_FACT)
  const next = JSON.stringify(
    [...wanted.values()].map(({ sequence: { name, was } }) => [name, was]),
  )
  if (fact === next) return []
  const former = fact === undefined ? await listCounted(tx) : readFact(fact)
  const moves =
    undone?.map(({ name, was }) => ({ name: was, was: name })) ?? listMoves(wanted, former)
  for (const { was } of moves) await rename(tx, was, aside(was))
  const begun = undone ? [] : [...wanted.keys()].filter((name) => !former.has(name))
  if (fact !== undefined && begun.length > 0) {
    const names = JSON.stringify(begun)
    const listed = 'Name IN (SELECT value FROM json_each(@names))'
    for (const table of STATE) await tx.run(`DELETE FROM ${table} WHERE ${listed}`, { names })
  }
  for (const { name, was } of moves) await rename(tx, aside(was), name)
  await saveFact(tx, SEQUENCES_FACT, next)
  return moves
}

/** A sequence that has another name now. */
export interface SequenceMove {
  name: string
  was: string
}

/** Lists renames whose `Was` came with this deploy, if the name is free: two may swap theirs. */
function listMoves(wanted: Model['sequences'], former: Deployed): SequenceMove[] {
  const moves = [...wanted.values()].flatMap(({ sequence: { name, was } }) =>
    was !== undefined && former.has(was) && former.get(name) !== was ? [{ name, was }] : [],
  )
  const left = new Set(moves.map(({ was }) => was))
  return moves.filter(({ name }) => !former.has(name) || left.has(name))
}

const readFact = (fact: string): Deployed =>
  new Map(
    (JSON.parse(fact) as [string, string | null][]).map(([name, was]) => [name, was ?? undefined]),
  )

/** Folders of an earlier engine know of their sequences only what was counted. */
async function listCounted(tx: Tx): Promise<Deployed> {
  const rows = await tx.all<{ Name: string }>('SELECT DISTINCT Name FROM svc_sequences')
  return new Map(rows.map(({ Name }) => [Name, undefined]))
}

/** Returns a name that no sequence has. */
const aside = (name: string): string => `${name}.was`

async function rename(tx: Tx, from: string, to: string): Promise<void> {
  for (const table of STATE)
    await tx.run(`UPDATE ${table} SET Name = @to WHERE Name = @from`, { from, to })
}
