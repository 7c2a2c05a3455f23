/** Plans times again that lie further ahead of the clock than they may. See `StoredTime`. */
import { CLOCK_STEP_MS, type StoredTime } from '../kernel/stored-times.ts'
import { type Store, systemScope } from './store.ts'

const SCOPE = systemScope('future times are planned again in every company')

/** Rows of one transaction. */
const AT_ONCE = 500

/** A time whose period is known. */
type PlannedTime = Omit<StoredTime, 'aheadMs'> & { aheadMs: number }

/** The outcome of a move: how many rows were planned again, and the furthest of their times. */
interface Moved {
  rows: number
  furthest: string
}

type Row = { Row: number; Since: string } & Record<string, string | number | null>

const toText = (at: number): string => new Date(at).toISOString()

function planSelect({ table, column, since, with: others = [], where }: PlannedTime): string {
  const cells = [column, ...others].map((name) => `"${name}"`)
  const conditions = [
    `"${column}" > @limit`,
    // A time that was moved before may have a `since` that lies ahead for ever.
    ...(since ? [`${since} > @now`, `"${column}" >= ${since}`] : []),
    ...(where ? [`(${where})`] : []),
  ]
  return `SELECT rowid AS Row, ${since ?? `"${column}"`} AS Since, ${cells.join(', ')}
    FROM "${table}" WHERE ${conditions.join(' AND ')} AND rowid > @after
    ORDER BY rowid LIMIT ${AT_ONCE}`
}

/**
 * Moves back all rows of a time that lie ahead; undefined where none does. Found beside the writer,
 * written in turns.
 */
export async function moveBack(
  store: Store,
  time: PlannedTime,
  now: Date,
): Promise<Moved | undefined> {
  const limit = now.getTime() + time.aheadMs
  const sql = planSelect(time)
  const args = { limit: toText(limit + CLOCK_STEP_MS), now: toText(now.getTime() + CLOCK_STEP_MS) }
  const moved: Moved = { rows: 0, furthest: '' }
  for (let after = 0; ;) {
    const rows = await store.all<Row>({ sql, args: { ...args, after }, runs: 'background' })
    const last = rows.at(-1)
    if (!last) return moved.rows > 0 ? moved : undefined
    await store.write(async (tx) => {
      for (const row of rows) await tx.run(...planMove(time, row, { now: now.getTime(), limit }))
    }, SCOPE)
    moved.rows += rows.length
    for (const row of rows)
      if (String(row[time.column]) > moved.furthest) moved.furthest = String(row[time.column])
    after = last.Row
  }
}

function planMove(
  { table, column, since, with: others = [], isForgotten }: PlannedTime,
  row: Row,
  { now, limit }: { now: number; limit: number },
): [string, Record<string, string | number | null>] {
  const id = { row: row.Row }
  if (isForgotten) return [`DELETE FROM "${table}" WHERE rowid = @row`, id]
  const shift = since ? Date.parse(row.Since) - now : Date.parse(String(row[column])) - limit
  const values = Object.fromEntries(
    [column, ...others].map((name, at) => [`v${at}`, move(row[name] ?? null, shift)]),
  )
  const set = [column, ...others].map((name, at) => `"${name}" = @v${at}`)
  return [`UPDATE "${table}" SET ${set.join(', ')} WHERE rowid = @row`, { ...values, ...id }]
}

/** Moves a time. A text that is not an instant stays: it was never compared with one. */
function move(value: string | number | null, shift: number): string | number | null {
  const at = typeof value === 'string' ? Date.parse(value) : NaN
  return Number.isNaN(at) ? value : toText(at - shift)
}
