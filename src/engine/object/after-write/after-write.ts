/**
 * The after-write pass: what follows from every change, by whatever path it came. It reads the
 * change log at the end of each write transaction, so nothing that writes can forget a computed
 * column, a rule, an event or an audit record.
 */
import type { AfterWrite, LoggedChange, Tx } from '../../../store/store.ts'
import type { CurrentModel } from '../../../model/current.ts'
import type { Model } from '../../../model/model.ts'
import type { FileVault } from '../../files/file-vault.ts'
import { writeAudit } from './audit.ts'
import { runComputes } from './compute.ts'
import { loadTouched, type Pass, type Round, writeStamp } from './corrections.ts'
import type { MoveInstance } from './effects.ts'
import {
  endlessEvents,
  EVENT_DEPTH_MAX,
  type EventListeners,
  listPending,
} from './event-listeners.ts'
import { raiseEvents } from './events.ts'
import { forgetComments } from './forget-comments.ts'
import { keepSearch } from './keep-search.ts'
import { hasPending, type PendingAction } from './pending-events.ts'
import type { RecordChanges } from './record-changes.ts'
import { hasTraces, takeTraces, writeTraces } from './record-traces.ts'
import { keepWrittenFiles } from './written-files.ts'
import { requireTrees, requireWrittenReferences, requireWrittenRules } from './written-rules.ts'
import type { ChangeSource } from '../mutation.ts'
import { mergeWritten, rowId } from '../record/written-row.ts'
import { maskBroken } from '../rules/broken-records.ts'
import { WorkPace } from '../work-pace.ts'

interface AfterWriteOptions {
  /** Time in ms after which work that a caller caused ends. */
  timeoutMs?: number
  /** The files of records; without the vault they stay until the next sweep. */
  files?: FileVault
  /** Followers of the records that are changed. */
  changes?: RecordChanges
  /** Listeners that get them by jobs. */
  listeners?: EventListeners
  /** Begins and ends the workflow instances of records. */
  moveInstance?: MoveInstance
}

/**
 * The pass for `store.useAfterWrite`: rounds of corrections, computed columns and events until
 * nothing is touched any more, then the rules and the traces of what all of them came to. What a
 * caller caused ends after `timeoutMs`, as the statements that caused it do; either way others have
 * their turn in between.
 */
export function planAfterWrite(
  models: CurrentModel,
  now: () => Date,
  { timeoutMs, files, changes, listeners, moveInstance }: AfterWriteOptions = {},
): AfterWrite {
  const open = (tx: Tx): Pass => {
    const origin = tx.facts.origin ?? engineSource(models.get(), now())
    const { context, source } = origin
    const view = context.model.views.get(source)
    const yielder = new WorkPace(context.caller ? timeoutMs : undefined)
    return { tx, origin, context, view, net: new Map(), yielder, moveInstance }
  }
  const run = async (tx: Tx): Promise<void> => {
    let pass: Pass | undefined
    const actions: PendingAction[] = []
    for (let count = 1; ; count++) {
      const touched = await tx.takeChangeLog()
      if (touched.length === 0 && !hasPending(tx)) break
      if (count > EVENT_DEPTH_MAX) throw endlessEvents()
      actions.push(...listPending(tx))
      pass ??= open(tx)
      const round: Round = { ...pass, rows: new Map() }
      await runRound(round, touched)
      for (const [id, row] of round.rows) mergeWritten(pass.net, id, row)
      if (!pass.origin.history) await raiseEvents(round)
    }
    if (hasTraces(tx)) pass ??= open(tx)
    if (pass) {
      if (pass.net.size > 0) tx.facts.changed = pass.net
      await finishPass({ ...pass, rows: pass.net }, files)
      if (!pass.origin.history) await listeners?.raise(pass, actions)
    }
    await changes?.prepare(tx, pass?.net)
  }
  return async (tx) => {
    try {
      await run(tx)
    } catch (error) {
      const origin = tx.facts.origin
      throw origin ? await maskBroken(tx, error, origin) : error
    }
  }
}

function engineSource(model: Model, now: Date): ChangeSource {
  return { context: { caller: undefined, now, model }, source: 'engine', traceId: undefined }
}

/** Corrections and computed columns of one round; a computed record may be another company's. */
function runRound(round: Round, touched: readonly LoggedChange[]): Promise<void> {
  const { tx } = round
  return tx.silently(async () => {
    await loadTouched(round, touched)
    if (round.context.model.computes.length > 0) await runComputes(round)
    await requireTrees(round)
  })
}

/** Checks the rules and writes the traces of the result of all rounds. */
async function finishPass(round: Round, files: FileVault | undefined): Promise<void> {
  const { tx, rows, origin, yielder } = round
  await requireWrittenReferences(round)
  await requireWrittenRules(round)
  await keepWrittenFiles(round, files)
  await forgetComments(round)
  const traces = Map.groupBy(takeTraces(tx), ({ entity, key }) => rowId(entity, key))
  for (const [id, row] of rows) {
    await writeStamp(tx, row, origin)
    if (row.entity.audit) await writeAudit(tx, row, origin)
    await writeTraces(tx, traces.get(id) ?? [], origin)
    traces.delete(id)
    await yielder.yieldWhenDue()
  }
  for (const left of traces.values()) {
    await writeTraces(tx, left, origin)
    await yielder.yieldWhenDue()
  }
  await keepSearch(round)
}
