/**
 * The after-write pass: what follows from every change, by whatever path it came. It reads the
 * change log at the end of each write transaction, so nothing that writes can forget a computed
 * column, a rule, an event or an audit record.
 */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { FileVault } from '../../files/file-vault.ts'
import type { CurrentModel } from '../../../model/current.ts'
import type { AfterWrite, Tx } from '../../../store/store.ts'
import { writeAudit } from './audit.ts'
import { runComputes } from './compute.ts'
import type { Context } from '../context.ts'
import { maskBroken } from './masked-records.ts'
import { loadTouched, type Round } from './corrections.ts'
import { raiseEvents } from './events.ts'
import { type ChangeSource } from '../mutation.ts'
import { WorkPace } from '../work-pace.ts'
import { hasPending } from './pending-events.ts'
import { mergeWritten, type WrittenRows } from '../record/written-row.ts'
import { keepWrittenFiles } from './written-files.ts'
import { requireWrittenReferences } from './written-references.ts'
import { requireWrittenRules } from './written-rules.ts'
import { writeStamp } from './stamps.ts'
import { requireTrees } from './tree.ts'

/** Rounds of a pass: the next round follows up what events changed. */
export const ROUNDS_MAX = 20

export interface AfterWriteOptions {
  /** What a caller caused ends after so long. */
  timeoutMs?: number
  /** Where files of records lie; without it they stay until the next sweep. */
  files?: FileVault
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
  { timeoutMs, files }: AfterWriteOptions = {},
): AfterWrite {
  const run = async (tx: Tx): Promise<void> => {
    const net: WrittenRows = new Map()
    let origin: ChangeSource | undefined
    let yielder: WorkPace | undefined
    for (let round = 1; ; round++) {
      const touched = await tx.takeChangeLog()
      if (touched.length === 0 && !hasPending(tx)) break
      if (round > ROUNDS_MAX) throw endless()
      origin ??=
        tx.facts.origin ?? engineSource({ caller: undefined, now: now(), model: models.get() })
      const { context } = origin
      yielder ??= new WorkPace(context.caller ? timeoutMs : undefined)
      const view = context.model.views.get(origin.source)
      const rows = await runRound({ tx, context, rows: new Map(), net, yielder, view }, touched)
      for (const [id, row] of rows) mergeWritten(net, id, row)
      await raiseEvents({ tx, origin, rows, net, yielder })
    }
    if (net.size > 0) tx.facts.changed = net
    if (origin && yielder) await finishAfterWrite({ tx, rows: net, origin, yielder, files })
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

const endless = () =>
  invalid(say`What events change raises events again, more than ${ROUNDS_MAX} times over`, {
    code: 'EVENTS_ENDLESS',
  })

function engineSource(context: Context): ChangeSource {
  return { context, source: 'engine', traceId: undefined }
}

/** Corrections and computed columns of one round; what is computed may be another company's. */
function runRound(round: Round, touched: Parameters<typeof loadTouched>[1]): Promise<WrittenRows> {
  const { tx, rows } = round
  return tx.silently(async () => {
    await loadTouched(round, touched)
    if (round.context.model.computes.length > 0) {
      await tx.within('all', () => runComputes(round))
    }
    await requireTrees(tx, rows, round.view)
    return rows
  })
}

/** What the rounds of a pass came to. */
interface Finish {
  tx: Tx
  rows: WrittenRows
  origin: ChangeSource
  yielder: WorkPace
  files: FileVault | undefined
}

async function finishAfterWrite({ tx, rows, origin, yielder, files }: Finish): Promise<void> {
  const { context, source } = origin
  const view = context.model.views.get(source)
  await requireWrittenReferences({ tx, rows, context, view })
  await requireWrittenRules({ tx, rows, context, yielder, view })
  await keepWrittenFiles({ tx, rows, context, files, view })
  for (const row of rows.values()) {
    await writeStamp(tx, row, origin)
    if (row.entity.audit) await writeAudit(tx, row, origin)
    await yielder.yieldWhenDue()
  }
}
