/**
 * A button with a menu below it, by the platform's popover: arrows move, Enter chooses, Esc closes
 * and the focus returns. What cannot be chosen says why, below its name.
 */
import { useId, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

/** An item of a menu; `reason` says why it cannot be chosen. */
export interface MenuItem {
  text: string
  reason?: string | undefined
  isDanger?: boolean
  /** True or false for one of several that exclude each other. */
  isChecked?: boolean
  /** The heading above it, where a group of items begins. */
  heading?: string
  run(): void
}

interface MenuProps {
  label: string
  /** The icon in place of the label, which then names the button. */
  icon?: string
  /** The icon in place of the label where a window is narrow. */
  narrowIcon?: string
  items: readonly MenuItem[]
}

const EDGE_PIXELS = 8

/** Sets the menu below its button, within the window. */
function placeMenu(menu: HTMLElement, button: HTMLElement): void {
  const { left, right, bottom, top } = button.getBoundingClientRect()
  const { width, height } = menu.getBoundingClientRect()
  const isRightToLeft = document.documentElement.dir === 'rtl'
  const wanted = isRightToLeft ? left : right - width
  const x = Math.max(EDGE_PIXELS, Math.min(wanted, innerWidth - width - EDGE_PIXELS))
  const fitsBelow = bottom + height + EDGE_PIXELS < innerHeight
  menu.style.left = `${x}px`
  menu.style.top = `${fitsBelow ? bottom + 2 : Math.max(EDGE_PIXELS, top - height - 2)}px`
}

const listItems = (menu: HTMLElement | null): HTMLElement[] => [
  ...(menu?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? []),
]

/** Puts the focus at the first item of a menu. */
export const focusFirstItem = (menu: HTMLElement | null): void => listItems(menu)[0]?.focus()

/** Moves the focus among the items. */
export function moveMenuFocus(event: KeyboardEvent, menu: HTMLElement | null): void {
  const items = listItems(menu)
  const at = items.indexOf(document.activeElement as HTMLElement)
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key]
  if (to === undefined) return
  event.preventDefault()
  items[(to + items.length) % items.length]?.focus()
}

/** Draws the button and its menu; nothing without items. */
export function Menu({ label, icon, narrowIcon, items }: MenuProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  if (items.length === 0) return null
  return (
    <>
      <button
        ref={button}
        type="button"
        class={icon === undefined ? 'button' : 'icon-button'}
        data-narrows={narrowIcon !== undefined || undefined}
        aria-haspopup="menu"
        aria-label={icon === undefined ? undefined : label}
        title={icon === undefined ? undefined : label}
        popovertarget={id}
      >
        {narrowIcon !== undefined && <Icon name={narrowIcon} />}
        {icon === undefined ? <span>{`${label} ▾`}</span> : <Icon name={icon} />}
      </button>
      <div
        ref={menu}
        id={id}
        class="menu"
        role="menu"
        aria-label={label}
        popover="auto"
        onKeyDown={(event) => moveMenuFocus(event, menu.current)}
        onToggle={({ newState }) => {
          if (newState !== 'open' || !menu.current || !button.current) return
          placeMenu(menu.current, button.current)
          focusFirstItem(menu.current)
        }}
      >
        {items.map((item) => (
          <MenuEntry key={item.text} item={item} onRun={() => menu.current?.hidePopover()} />
        ))}
      </div>
    </>
  )
}

/** An item as menus draw it; `onRun` closes the menu. */
export function MenuEntry({ item, onRun }: { item: MenuItem; onRun(): void }) {
  const { text, reason, heading, isChecked, isDanger } = item
  return (
    <>
      {heading !== undefined && (
        <div class="menu-heading" role="presentation">
          {heading}
        </div>
      )}
      <button
        type="button"
        role={isChecked === undefined ? 'menuitem' : 'menuitemradio'}
        class={isDanger === true ? 'menu-item danger' : 'menu-item'}
        tabIndex={-1}
        aria-checked={isChecked}
        aria-disabled={reason !== undefined}
        onClick={() => {
          if (reason !== undefined) return
          onRun()
          item.run()
        }}
      >
        <span>{text}</span>
        {reason !== undefined && <small>{reason}</small>}
      </button>
    </>
  )
}
