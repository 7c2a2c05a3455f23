/** Numbers of sequences that a file brings: the sequences go on behind them. */
import type { SqlArg } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { ImportPlan } from './import-plan.ts'
import { ROWS, type StagedSql } from './import-unique.ts'
import { composePattern, type NumberPart, planPattern } from '../record/number-pattern.ts'
import { type Counting, goBehind, startCounting } from '../record/sequence.ts'

/**
 * Has each sequence go on behind the numbers that a file keeps, in each of their periods. It comes
 * before the rows are written: those without a number go on behind the others.
 */
export async function goBehindKept(tx: Tx, plan: ImportPlan, staged: StagedSql): Promise<void> {
  const { entity, grant, context } = plan
  const { model } = grant
  const { companyId } = grant.caller
  for (const column of entity.columns) {
    const sequence = model.sequences.get(column.sequence ?? '')?.sequence
    const cell = staged.cells.get(column.name.toLowerCase())
    if (!sequence || cell === undefined) continue
    const counting = await startCounting(tx, sequence, { model, companyId, now: context.now })
    for (const { Period: period, Last: last } of await listLast(tx, plan, staged, {
      counting,
      cell,
    }))
      await goBehind(tx, { ...counting, counter: { ...counting.counter, period } }, last)
  }
}

type Last = { Period: string; Last: number }

/** The highest number of each period that the file keeps. */
function listLast(
  tx: Tx,
  plan: ImportPlan,
  staged: StagedSql,
  { counting, cell }: { counting: Counting; cell: string },
): Promise<Last[]> {
  const { sequence, counter } = counting
  const constants = new Map<string, SqlArg>(
    [...plan.constants].map(([{ name }, value]) => [name.toLowerCase(), value]),
  )
  const own: string[] = []
  const add = (sql: string): NumberPart => ({ kind: 'own', sql: `f${own.push(sql) - 1}` })
  const pattern = planPattern(sequence, {
    period: undefined,
    company: { kind: 'text', text: counter.companyCode },
    own: (name) => {
      const given = staged.cells.get(name)
      if (given !== undefined) return add(`coalesce(CAST(s.${given} AS TEXT), '')`)
      const constant = constants.get(name) ?? null
      return { kind: 'text', text: constant === null ? '' : String(constant) }
    },
  })
  const { where, digits, period, args } = composePattern(pattern, sequence, counter.period)
  // History gives stored records their numbers, too.
  const kept = plan.request.takeover ? '1' : 's.isNew = 1'
  const cells = [`s.${cell} AS v`, ...own.map((sql, at) => `${sql} AS f${at}`)].join(', ')
  const rows = `SELECT ${cells} FROM ${ROWS} s WHERE ${kept} AND s.${cell} IS NOT NULL`
  return tx.all<Last>(
    `SELECT ${period} AS Period, max(CAST(${digits} AS INTEGER)) AS Last
     FROM (${rows}) WHERE ${where} GROUP BY 1`,
    args,
  )
}
