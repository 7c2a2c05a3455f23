/** One line of a grid: a row, or the head of a group. It is drawn again when it is another. */
import { Component, type VNode } from 'preact'
import { say } from '../../texts/texts.ts'
import { type ColumnTotal, columnTotals } from '../../state/grid-layout.ts'
import { COUNT_NAME, type RowGroup, totalName } from '../../state/grid-lines.ts'
import { alignOf, formatField } from '../../fields/kinds.ts'
import { nameRow } from '../../fields/row-name.ts'
import { BranchMark } from './branch-mark.tsx'
import type { GridState } from './grid-state.ts'
import { groupText, totalText } from './group-text.ts'
import { LineCells } from './line-cells.ts'
import type { LineProps } from './line-props.ts'

/** The parts that a line is drawn from; another object of the same parts looks the same. */
const partsOf = (props: LineProps): unknown[] => [
  props.state,
  props.line.row,
  props.line.group?.facts,
  props.line.group?.isOpen,
  props.line.branch?.isOpen,
  props.line.level,
  props.line.isCut,
  props.at,
  props.isSelected,
  props.isPending,
  props.late,
  props.here,
  props.reachable,
  ...props.shown,
]

/** Draws a line of the grid. */
export class GridRow extends Component<LineProps> {
  readonly #cells = new LineCells()
  #content: VNode | null = null

  override shouldComponentUpdate(next: LineProps): boolean {
    const now = partsOf(this.props)
    return partsOf(next).some((part, at) => part !== now[at])
  }

  override componentDidMount(): void {
    this.#drawCells()
  }

  override componentDidUpdate(): void {
    this.#drawCells()
  }

  render(props: LineProps) {
    const { line, at, isSelected, isPending, late, state } = props
    if (line.group) return <GroupHead {...props} group={line.group} />
    const isWaiting = line.row === undefined
    if (!late) this.#content = drawContent(props)
    return (
      <div
        key={hasCells(props) ? 'cells' : 'content'}
        ref={this.#cells.take}
        role="row"
        class="grid-row"
        data-line={at}
        data-odd={at % 2 === 1 || undefined}
        data-pending={isPending || undefined}
        data-hidden={late === 'hidden' || undefined}
        aria-rowindex={at + 2}
        aria-selected={isSelected}
        aria-busy={isWaiting || undefined}
        aria-level={state.isTree ? line.level + 1 : undefined}
        aria-expanded={line.branch?.isOpen}
      >
        {this.#content}
      </div>
    )
  }

  #drawCells(): void {
    if (hasCells(this.props) && !this.props.late) this.#cells.draw(this.props)
  }
}

/** True for a line with a cell a column; one that is awaited has them, too. */
const hasCells = ({ state, line }: LineProps): boolean =>
  !state.isNarrow && line.isCut !== true && line.group === undefined

/** Draws the content of a line without columns. */
function drawContent(props: LineProps): VNode | null {
  if (hasCells(props)) return null
  if (props.line.row === undefined) return <WaitingCells {...props} />
  return (
    <>
      <CardBox {...props} />
      <CardCell {...props} />
    </>
  )
}

function WaitingCells({ line }: LineProps) {
  return (
    <div role="gridcell" class="grid-cell grid-waiting">
      {say(line.isCut ? 'groupsCut' : 'loading')}
    </div>
  )
}

function CardBox({ state: { metadata }, line, isSelected, here, reachable }: LineProps) {
  return (
    <div
      role="gridcell"
      class="grid-cell grid-box"
      data-column="0"
      tabIndex={reachable === 0 ? 0 : -1}
      data-here={here === 0 || undefined}
    >
      <input
        type="checkbox"
        class="row-box"
        tabIndex={-1}
        checked={isSelected}
        disabled={!line.row}
        aria-label={line.row ? `${say('selectRow')}: ${nameRow(metadata, line.row)}` : undefined}
      />
    </div>
  )
}

/** Fields of a card below its title. */
const CARD_FIELDS = 3

/** A row as a card: its title, and what the first columns say. */
function CardCell({ state, line, at, here, reachable }: LineProps) {
  const { metadata, columns } = state
  const row = line.row ?? {}
  const fields = columns
    .map(({ field }) => field)
    .filter(({ Name }) => !metadata.Display.includes(Name))
    .map((field) => ({ field, text: formatField(field, row) }))
    .filter(({ text }) => text !== '')
    .slice(0, CARD_FIELDS)
  return (
    <div
      role="gridcell"
      class="grid-card"
      data-column="1"
      data-here={here === 1 || undefined}
      tabIndex={reachable === 1 ? 0 : -1}
      style={{ paddingInlineStart: `${line.level}rem` }}
    >
      <div class="grid-card-head">
        {line.branch && <BranchMark isOpen={line.branch.isOpen} />}
        <a class="grid-title" tabIndex={-1} href={state.addressOf(row, at)}>
          {nameRow(metadata, row)}
        </a>
      </div>
      <dl>
        {fields.map(({ field, text }) => (
          <div key={field.Name} data-field={field.Name}>
            <dt>{field.Label}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

/** Sums of a group or of all rows, each in its column. */
export function TotalCells({
  state,
  facts,
  totals,
}: {
  state: GridState
  facts: Readonly<Record<string, unknown>>
  totals: readonly ColumnTotal[]
}) {
  return (
    <>
      {state.columns.map(({ field, pin }, index) => {
        const own = totals.filter((total) => total.field === field.Name)
        if (own.length === 0 || index === 0) return null
        return (
          <div
            key={field.Name}
            role="gridcell"
            class="grid-cell grid-total"
            data-align={alignOf(field)}
            data-pin={pin}
            style={state.placeOf(index)}
          >
            {own.map((total) => totalText(field, total, facts[totalName(total)])).join(' · ')}
          </div>
        )
      })}
    </>
  )
}

function GroupHead({ state, line, at, group, here, reachable }: LineProps & { group: RowGroup }) {
  const { field, text } = groupText(state.metadata, group)
  const totals = columnTotals.peek()
  return (
    <div
      role="row"
      class="grid-row grid-group"
      data-line={at}
      aria-rowindex={at + 2}
      aria-level={line.level + 1}
      aria-expanded={group.isOpen}
      style={{ '--level': String(line.level) }}
    >
      <div
        role="gridcell"
        class="grid-cell grid-group-name"
        data-column="0"
        data-here={here !== undefined || undefined}
        tabIndex={reachable !== undefined ? 0 : -1}
        style={{ gridColumn: `1 / ${state.groupSpan(totals)}` }}
      >
        <BranchMark isOpen={group.isOpen} />
        <span class="quiet">{field}</span>
        <strong>{text}</strong>
        <span class="chip">{say('rows', { count: Number(group.facts[COUNT_NAME]) })}</span>
      </div>
      <TotalCells state={state} facts={group.facts} totals={totals} />
    </div>
  )
}
