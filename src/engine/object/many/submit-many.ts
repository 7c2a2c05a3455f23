/**
 * POST /submit-many: the same values for many records, each by a submit of its own within one
 * transaction; a record that cannot be changed refuses all, or is left out.
 */
import { Failure, validation } from '../../../kernel/failure.ts'
import { Yielder } from '../../../kernel/yielder.ts'
import type { Tx } from '../../../store/store.ts'
import { closeLog, openLog } from './many-log.ts'
import { ManyOutcome } from './many-outcome.ts'
import type { ManyRow } from './many-plan.ts'
import type { ManyWork } from './many-work.ts'
import { type Selection, useUp } from './selection.ts'
import { Gathered, loadRehearsed, type ManyWritten, writeRow } from './write-row.ts'
import { type CheckRecords, type Mutation, mutationScope } from '../mutation.ts'
import { toRecordKey } from '../record/record.ts'
import type { ObjectActionResult } from '../schema.ts'
import { checkRows, type RehearsedRow, requireCheckable, RolledBack } from '../write/rehearsal.ts'
import { toWireKey } from '../write/result.ts'

/** Records that a dry run judges. */
const JUDGED_MAX = 1000

/**
 * Changes the records of a selection, or says what it would come to.
 * @throws conflict where a record has changed since; validation where one cannot be changed
 */
export async function submitMany(work: ManyWork): Promise<ObjectActionResult> {
  const { mutation, parts, plan, selection } = work
  const { OperationId } = plan.request
  const report = (State: 'running' | 'done' | 'failed', Done: number) =>
    parts.progress.report(OperationId, mutation.caller, {
      Kind: 'submit-many',
      Done,
      Total: selection.count,
      State,
      Message: null,
    })
  try {
    const result = await runMany(work, (done) => report('running', done))
    report('done', selection.count)
    return result
  } catch (error) {
    report('failed', 0)
    throw error
  }
}

type OnProgress = (done: number) => void

async function runMany(work: ManyWork, onProgress: OnProgress): Promise<ObjectActionResult> {
  const { mutation, parts, plan, selection, token } = work
  const { engine } = mutation
  const { language } = parts
  const excluded = await findChecked(work, onProgress)
  const facts = { rows: selection.count, language, token: token ?? null }
  let result: ObjectActionResult | undefined
  const outcome = await tryMany(work, { excluded, onProgress }, async (tx, done, log) => {
    if (plan.isDryRun || (done.failed > 0 && !plan.skipsBadRows)) throw new RolledBack()
    const importId = await closeLog(tx, work, { log, updated: done.updated })
    await useUp(tx, selection, engine.clock.now())
    result = done.toResult(plan, { ...facts, importId })
    await mutation.recordResponse?.(tx, result)
  })
  if (result) return result
  if (!plan.isDryRun)
    throw await outcome.toFailure(engine.store, { ...facts, isByKeys: plan.rows !== undefined })
  const judged = outcome.toResult(plan, { ...facts, importId: null })
  await recordDryRun(mutation, judged)
  return judged
}

/** A dry run leaves only its answer, for a repeated request with its key. */
async function recordDryRun(mutation: Mutation, result: ObjectActionResult): Promise<void> {
  const { recordResponse, engine } = mutation
  if (!recordResponse) return
  await engine.store.write((tx) => recordResponse(tx, result), mutationScope(mutation))
}

/** Refusals of records that are known before they are written, by their place. */
type Excluded = ReadonlyMap<number, Failure>

interface TryOptions {
  excluded: Excluded
  onProgress: OnProgress
  /** Takes each record that was written, in its transaction. */
  onWritten?: (part: Tx, row: ManyRow, at: number) => Promise<void>
}

/**
 * One transaction over all records; `finish` is its end, and may roll it back. What it came to is
 * told either way.
 */
async function tryMany(
  work: ManyWork,
  options: TryOptions,
  finish: (tx: Tx, outcome: ManyOutcome, log: number) => Promise<void>,
): Promise<ManyOutcome> {
  const { mutation, plan } = work
  const { context, traceId, eventDepth, engine } = mutation
  let outcome = new ManyOutcome()
  try {
    await engine.store.writeAlone(async (tx) => {
      outcome = new ManyOutcome()
      tx.facts.origin = { context, source: plan.view.name, traceId, eventDepth }
      const log = await openLog(tx, work)
      await writeAll(tx, work, { ...options, outcome, log })
      await finish(tx, outcome, log)
    }, mutationScope(mutation))
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
  return outcome
}

async function writeAll(
  tx: Tx,
  work: ManyWork,
  { excluded, onProgress, onWritten, outcome, log }: TryOptions & WriteTarget,
): Promise<void> {
  const { plan, selection } = work
  const yielder = new Yielder()
  const gathered = new Gathered()
  let at = 0
  for await (const row of each(selection)) {
    if (plan.isDryRun && at >= JUDGED_MAX) break
    const known = excluded.get(at)
    try {
      if (known) throw known
      const written = await tx.attempt((part) => writeOne(part, work, { row, at, log, onWritten }))
      gathered.add(written.changes)
      outcome.note(written.result, written.isChanged)
    } catch (error) {
      const failure = requireRefusal(error)
      const keys = toWireKey(toRecordKey(plan, row.key))
      outcome.refuse({ keys, at, failure })
    }
    at++
    onProgress(outcome.checked)
    const due = yielder.yieldWhenDue()
    if (due) await due
  }
  gathered.tellIn(tx)
}

async function* each(selection: Selection): AsyncGenerator<ManyRow> {
  for await (const rows of selection.chunks()) yield* rows
}

interface WriteTarget {
  outcome: ManyOutcome
  /** The first line of its log. */
  log: number
}

async function writeOne(
  part: Tx,
  work: ManyWork,
  { row, at, log, onWritten }: Pick<TryOptions, 'onWritten'> & WrittenPlace,
): Promise<ManyWritten> {
  const written = await writeRow(part, work, { row, line: log + at })
  await onWritten?.(part, row, at)
  return written
}

interface WrittenPlace {
  row: ManyRow
  at: number
  log: number
}

/** Kinds of refusals that are about one record, and leave the others alone. */
const OF_ONE: readonly string[] = ['validation', 'invalid', 'conflict', 'notFound']

/** The refusal of one record. @throws any error that is not one */
function requireRefusal(error: unknown): Failure {
  if (error instanceof Failure && OF_ONE.includes(error.kind)) return error
  throw error
}

/** Records that code beside the model refuses: it sees them as they would be stored. */
async function findChecked(work: ManyWork, onProgress: OnProgress): Promise<Excluded> {
  const { mutation, plan, selection } = work
  const check = await mutation.engine.findRecordCheck?.(plan.view)
  if (!check) return new Map()
  requireCheckable(Math.min(selection.count, plan.isDryRun ? JUDGED_MAX : selection.count))
  const places: number[] = []
  const rows: RehearsedRow[] = []
  const onWritten = async (part: Tx, row: ManyRow, at: number) => {
    places.push(at)
    rows.push(...(await loadRehearsed(part, plan, row)))
  }
  const options = { excluded: new Map<number, Failure>(), onProgress, onWritten }
  await tryMany(work, options, () => Promise.reject(new RolledBack()))
  return judge(mutation, check, { rows, places })
}

async function judge(
  mutation: Mutation,
  check: CheckRecords,
  { rows, places }: { rows: readonly RehearsedRow[]; places: readonly number[] },
): Promise<Excluded> {
  const excluded = new Map<number, Failure>()
  const said = await checkRows(mutation, check, rows)
  for (const [n, faults] of said.entries())
    if (faults && Object.keys(faults).length > 0) excluded.set(places[n] ?? -1, validation(faults))
  return excluded
}
