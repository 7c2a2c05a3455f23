/** The foot of a grid: sums of all rows that are found. */
import { say } from '../../texts/texts.ts'
import { columnTotals } from '../../state/grid-layout.ts'
import { TotalCells } from './grid-row.tsx'
import type { GridState } from './grid-state.ts'

/** Draws the sums; nothing where no column is summed up. */
export function GridFoot({ state }: { state: GridState }) {
  const totals = columnTotals.value
  if (totals.length === 0) return null
  const facts = state.source.sums.value
  return (
    <div role="rowgroup" class="grid-foot">
      <div role="row" class="grid-row">
        <div
          role="gridcell"
          class="grid-cell grid-group-name"
          style={{ gridColumn: `1 / ${state.groupSpan(totals)}` }}
        >
          <strong>{say(facts ? 'totalOfAll' : 'loading')}</strong>
        </div>
        {facts && <TotalCells state={state} facts={facts} totals={totals} />}
      </div>
    </div>
  )
}
