/**
 * The cells of a line with columns. A scroll has hundreds of them take other texts: they are made
 * once, and each sets what is another in it.
 */
import { h, render } from 'preact'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import type { GridColumn } from '../../state/grid-layout.ts'
import type { GridLine } from '../../state/grid-lines.ts'
import { alignOf, formatField } from '../../fields/kinds.ts'
import { nameRow } from '../../fields/row-name.ts'
import { BranchMark } from './branch-mark.tsx'
import type { GridState } from './grid-state.ts'
import type { LineProps } from './line-props.ts'

/** An attribute that is there with a value, or is not there. */
function setAttribute(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(name)
  else element.setAttribute(name, value)
}

/** A cell that the focus may be at. */
class LineCell {
  readonly element = document.createElement('div')
  #isHere = false
  #isReachable: boolean | undefined

  constructor(
    name: string,
    /** Its column as places count them. */
    readonly number: number,
  ) {
    this.element.className = name
    this.element.setAttribute('role', 'gridcell')
    this.element.dataset['column'] = String(number)
  }

  /** Marks the cell with the focus, and the one that Tab leads to. */
  mark(isHere: boolean, isReachable: boolean): void {
    if (isHere !== this.#isHere)
      setAttribute(this.element, 'data-here', isHere ? 'true' : undefined)
    if (isReachable !== this.#isReachable) this.element.tabIndex = isReachable ? 0 : -1
    this.#isHere = isHere
    this.#isReachable = isReachable
  }
}

/** The cell with the box that selects the row. */
class BoxCell extends LineCell {
  readonly #box = document.createElement('input')
  #row: GridLine['row'] | null = null

  constructor() {
    super('grid-cell grid-box', 0)
    this.#box.type = 'checkbox'
    this.#box.className = 'row-box'
    this.#box.tabIndex = -1
    this.element.append(this.#box)
  }

  draw({ state, line: { row }, isSelected }: LineProps): void {
    if (this.#box.checked !== isSelected) this.#box.checked = isSelected
    if (row === this.#row) return
    this.#row = row
    this.#box.disabled = row === undefined
    const name = row && `${say('selectRow')}: ${nameRow(state.metadata, row)}`
    setAttribute(this.#box, 'aria-label', name)
  }

  /** Names the row anew the next time, by other metadata. */
  forget(): void {
    this.#row = null
  }
}

/** The cell of a column. */
class FieldCell extends LineCell {
  protected readonly text = document.createTextNode('')

  constructor(
    readonly field: Schemas['MetadataField'],
    { number, pin, place }: CellPlan,
  ) {
    super('grid-cell', number)
    const { element } = this
    element.dataset['align'] = alignOf(field)
    setAttribute(element, 'data-pin', pin)
    element.setAttribute('aria-colindex', String(number + 1))
    Object.assign(element.style, place)
    element.append(this.text)
  }

  draw({ line: { row } }: LineProps): void {
    this.say(row ? formatField(this.field, row) : '')
  }

  protected say(text: string): void {
    if (this.text.data !== text) this.text.data = text
  }
}

/** The cell whose text leads to the record; in a tree it stands further in, behind a mark. */
class TitleCell extends FieldCell {
  readonly #link = document.createElement('a')
  readonly #mark = document.createElement('span')

  constructor(field: Schemas['MetadataField'], plan: CellPlan) {
    super(field, plan)
    this.#link.tabIndex = -1
    this.#link.append(this.text)
    this.element.append(this.#mark, this.#link)
  }

  override draw({ state, line, at }: LineProps): void {
    const { row } = line
    this.say(row ? formatField(this.field, row) || nameRow(state.metadata, row) : say('loading'))
    this.#link.className = row ? 'grid-title' : 'quiet'
    setAttribute(this.#link, 'href', row && state.addressOf(row, at))
    this.#drawBranch(state, line)
  }

  #drawBranch({ isTree }: GridState, { level, branch }: GridLine): void {
    if (!isTree && !this.#mark.hasChildNodes()) return
    const start = isTree ? `${0.25 + level * 1.5 + (branch ? 0 : 1.5)}rem` : ''
    this.element.style.paddingInlineStart = start
    render(branch ? h(BranchMark, { isOpen: branch.isOpen }) : null, this.#mark)
  }
}

/** How a cell is made: one of another plan is another cell. */
interface CellPlan {
  number: number
  pin: string | undefined
  place: Readonly<Record<string, string>>
  isTitle: boolean
}

const planCell = (state: GridState, column: GridColumn, at: number): CellPlan => ({
  number: at + 1,
  pin: column.pin,
  place: state.placeOf(at),
  isTitle: at === state.titleColumn,
})

/** A cell that is there, with what it was made of. */
interface MadeCell {
  plan: string
  cell: FieldCell
}

/** The cells of one line. */
export class LineCells {
  readonly #box = new BoxCell()
  /** By the names of their fields. */
  readonly #made = new Map<string, MadeCell>()
  #line: HTMLElement | undefined
  #shown: readonly FieldCell[] = []
  #drawn: LineProps | undefined

  /** Takes the element of the line, which may be another one later. */
  readonly take = (line: HTMLElement | null): void => {
    if (!line || line === this.#line) return
    this.#line = line
    this.#drawn = undefined
  }

  /** Draws all cells as they are to be now. */
  draw(props: LineProps): void {
    const { state, shown, line, at } = props
    const before = this.#drawn
    this.#drawn = props
    const isFitting = before?.state === state && before.shown === shown
    if (!isFitting) this.#fit(props)
    const isSame =
      isFitting &&
      before.at === at &&
      before.line.row === line.row &&
      before.line.level === line.level &&
      before.line.branch?.isOpen === line.branch?.isOpen
    this.#box.draw(props)
    if (!isSame) for (const cell of this.#shown) cell.draw(props)
    for (const cell of [this.#box, ...this.#shown])
      cell.mark(props.here === cell.number, props.reachable === cell.number)
  }

  /** Has the line hold the box and the columns that are drawn, in their order. */
  #fit({ state, shown }: LineProps): void {
    const line = this.#line
    if (!line) return
    this.#shown = state.columns.flatMap((column, at) =>
      state.isDrawn(at, shown) ? [this.#take(state, column, at)] : [],
    )
    this.#box.forget()
    const elements = [this.#box, ...this.#shown].map(({ element }) => element)
    const wanted = new Set<Element>(elements)
    for (const child of Array.from(line.children)) if (!wanted.has(child)) child.remove()
    for (const [at, element] of elements.entries()) {
      const there = line.children[at]
      if (there !== element) line.insertBefore(element, there ?? null)
    }
  }

  #take(state: GridState, column: GridColumn, at: number): FieldCell {
    const { field } = column
    const plan = planCell(state, column, at)
    const text = JSON.stringify(plan)
    const made = this.#made.get(field.Name)
    if (made?.plan === text && made.cell.field === field) return made.cell
    const cell = plan.isTitle ? new TitleCell(field, plan) : new FieldCell(field, plan)
    this.#made.set(field.Name, { plan: text, cell })
    if (made?.cell.element === document.activeElement) {
      made?.cell.element.replaceWith(cell.element)
      cell.element.focus({ preventScroll: true })
    }
    return cell
  }
}
