/** The menu at a cell of a grid: it opens where it was asked for, and the focus returns there. */
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { findTarget, type LookupTarget } from '../../state/objects.ts'
import { planCellItems } from './cell-menu-items.ts'
import type { CellMenuTarget, GridState } from './grid-state.ts'
import { focusFirstItem, MenuEntry, moveMenuFocus } from '../menu.tsx'

const EDGE_PIXELS = 8

/** Sets the menu beside its point, within the window. */
function placeAt(menu: HTMLElement, { x, y }: CellMenuTarget): void {
  const { width, height } = menu.getBoundingClientRect()
  const isRightToLeft = document.documentElement.dir === 'rtl'
  const left = isRightToLeft ? x - width : x
  const top = y + height + EDGE_PIXELS > innerHeight ? y - height : y
  menu.style.left = `${Math.max(EDGE_PIXELS, Math.min(left, innerWidth - width - EDGE_PIXELS))}px`
  menu.style.top = `${Math.max(EDGE_PIXELS, top)}px`
}

/** The object of the records that a cell refers to, where the caller may see it. */
function useReferenced({ field }: CellMenuTarget): LookupTarget | undefined {
  const found = useSignal<LookupTarget | undefined>(undefined)
  useEffect(() => {
    found.value = undefined
    // Without it the menu is whole, too.
    findTarget(field).then(
      (target) => (found.value = target),
      () => undefined,
    )
  }, [field])
  return found.value
}

interface CellMenuProps {
  state: GridState
  target: CellMenuTarget
}

/** Draws the menu over the page; a press beside it closes it, and does nothing else. */
export function CellMenu({ state, target }: CellMenuProps) {
  const layer = useRef<HTMLDivElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  const items = planCellItems(state, target, useReferenced(target))
  const close = (): void => {
    state.menu.value = undefined
    state.go({ row: target.line, column: target.column })
  }
  // The finger that opened the menu is lifted over it: only what is pressed there closes it.
  const isPressed = useRef(false)
  const closeBeside = (event: MouseEvent): void => {
    if (isPressed.current && event.target === event.currentTarget) close()
  }
  useLayoutEffect(() => {
    layer.current?.showPopover()
    focusFirstItem(menu.current)
  }, [target])
  useLayoutEffect(() => {
    if (menu.current) placeAt(menu.current, target)
  }, [target, items.length])
  return (
    <div
      ref={layer}
      class="menu-layer"
      popover="manual"
      onPointerDown={() => (isPressed.current = true)}
      onClick={closeBeside}
      onAuxClick={closeBeside}
      // A finger that still rests asks once more, and would see the menu of the browser.
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' && event.key !== 'Tab') return
        event.preventDefault()
        close()
      }}
    >
      <div
        ref={menu}
        class="menu"
        role="menu"
        aria-label={target.field.Label}
        onKeyDown={(event) => moveMenuFocus(event, menu.current)}
      >
        {items.map((item) => (
          <MenuEntry key={item.text} item={item} onRun={close} />
        ))}
      </div>
    </div>
  )
}
