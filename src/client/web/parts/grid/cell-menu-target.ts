/** The cell whose menu is asked for: by the right button, by a key, by a long press of a finger. */
import { signal } from '@preact/signals'
import type { Schemas } from '../../api/wire.ts'
import type { MetadataField } from '../../fields/field-kind.ts'
import type { CellMenu } from './cell-menu.tsx'
import { type CellMenuTarget, type GridState, HEAD_ROW } from './grid-state.ts'

type Point = Pick<CellMenuTarget, 'x' | 'y'>

/** The menu, once it was needed. */
export const loadedMenu = signal<typeof CellMenu | undefined>(undefined)

type Target = EventTarget | null

/** The field of a cell: of a card the one at the point, else the one that names the row. */
function findField(target: Element, column: number, state: GridState): MetadataField | undefined {
  const { metadata, columns, isNarrow } = state
  if (!isNarrow) return columns[column - 1]?.field
  const named = target.closest<HTMLElement>('[data-field]')?.dataset.field ?? metadata.Display[0]
  return metadata.Fields.find(({ Name }) => Name === named)
}

/** The field that the rows of a group share. */
function findGroupField(name: string, { Fields }: Schemas['MetadataResult']) {
  const [field] = name.split(':')
  return Fields.find(({ Name }) => Name === field)
}

/** The cell of an element; undefined where it has no menu: a box, a sum, an editor. */
function findTarget(target: Target, state: GridState): Omit<CellMenuTarget, 'x' | 'y'> | undefined {
  if (!(target instanceof Element) || target.closest('.grid-editor')) return undefined
  const cell = target.closest<HTMLElement>('[data-column]')
  if (!cell) return undefined
  const column = Number(cell.dataset.column)
  const line = Number(cell.closest<HTMLElement>('[data-line]')?.dataset.line ?? HEAD_ROW)
  const { row, group } = state.source.at(line) ?? {}
  const field = group
    ? findGroupField(group.name, state.metadata)
    : column === 0
      ? undefined
      : findField(target, column, state)
  // A field that the caller may not read is in no row: nothing can be said of it.
  const isThere = line === HEAD_ROW || group !== undefined || (field && row && field.Name in row)
  return field && isThere ? { line, column, field } : undefined
}

/** Below the beginning of a cell, for those who ask by a key. */
function pointOf(cell: Element): Point {
  const { left, right, bottom } = cell.getBoundingClientRect()
  return { x: document.documentElement.dir === 'rtl' ? right : left, y: bottom }
}

/** Opens the menu of the cell that an element stands in; false where there is none. */
export function openCellMenu(target: Target, state: GridState, point?: Point): boolean {
  const found = findTarget(target, state)
  if (!found) return false
  const at = point ?? pointOf(target as Element)
  void showMenu(state, { ...found, ...at })
  return true
}

async function showMenu(state: GridState, target: CellMenuTarget): Promise<void> {
  loadedMenu.value ??= (await import('./cell-menu.tsx')).CellMenu
  state.place.value = { row: target.line, column: target.column }
  state.menu.value = target
}

/** The time that a finger stays to open a menu, and how far it may move by that, in pixels. */
const PRESS_MS = 500
const PRESS_PIXELS = 10

/** Handlers of a grid that open menus for mice and fingers. */
export function planMenuEvents(press: { current: Press | undefined }, state: GridState) {
  const end = (): void => clearTimeout(press.current?.timer)
  return {
    onContextMenu: (event: MouseEvent): void => {
      end()
      // With Shift one sees the menu of the browser.
      if (event.shiftKey) return
      const point = { x: event.clientX, y: event.clientY }
      if (openCellMenu(event.target, state, point)) event.preventDefault()
    },
    onPointerDown: ({ pointerType, target, clientX: x, clientY: y }: PointerEvent): void => {
      end()
      press.current = undefined
      if (pointerType !== 'touch') return
      const begun: Press = { x, y, timer: undefined, isOpened: false }
      begun.timer = setTimeout(
        () => (begun.isOpened = openCellMenu(target, state, begun)),
        PRESS_MS,
      )
      press.current = begun
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent): void => {
      const { x = clientX, y = clientY } = press.current ?? {}
      if (Math.hypot(clientX - x, clientY - y) > PRESS_PIXELS) end()
    },
    onPointerUp: end,
    onPointerCancel: end,
    // The finger that opened a menu does not open the record, too.
    onClickCapture: (event: MouseEvent): void => {
      if (press.current?.isOpened !== true) return
      press.current = undefined
      event.preventDefault()
      event.stopPropagation()
    },
  }
}

/** A finger that rests on a grid. */
export interface Press extends Point {
  timer: ReturnType<typeof setTimeout> | undefined
  /** True once its menu is open. */
  isOpened: boolean
}
