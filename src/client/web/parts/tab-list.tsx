/**
 * Tabs by the pattern of WAI-ARIA: arrows move along the line, Home and End to its ends, and the
 * one that has the focus is open. Where there is no room for all, their line scrolls.
 */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { say } from '../texts/texts.ts'

/** A tab of a line. */
interface Tab {
  /** Its name among those of the line: `Lines`. */
  id: string
  label: string
  /** True where something in it is typed and not stored. */
  isChanged: boolean
  /** Faults that stand in it. */
  faults: number
}

interface TabListProps {
  /** The name of the line in the page, by which its tabs and panels are found. */
  name: string
  label: string
  tabs: readonly Tab[]
  /** The id of the open one. */
  open: string
  onOpen(id: string): void
}

/** The ids of a tab and of its panel in the page. */
export const tabIds = (name: string, id: string): { tab: string; panel: string } => ({
  tab: `${name}-tab-${id}`,
  panel: `${name}-panel-${id}`,
})

/** The number of the tab that a key leads to; undefined where it does not move. */
function moveTab(key: string, at: number, count: number): number | undefined {
  const ahead = document.documentElement.dir === 'rtl' ? -1 : 1
  const to = { ArrowRight: at + ahead, ArrowLeft: at - ahead, Home: 0, End: count - 1 }[key]
  return to === undefined ? undefined : (to + count) % count
}

/** Scrolls the line, and nothing else, until the tab is whole in it. */
function showTab(line: HTMLElement, tab: HTMLElement): void {
  const [outer, inner] = [line.getBoundingClientRect(), tab.getBoundingClientRect()]
  if (inner.left < outer.left) line.scrollLeft -= outer.left - inner.left
  else if (inner.right > outer.right) line.scrollLeft += inner.right - outer.right
  if (inner.top < outer.top) line.scrollTop -= outer.top - inner.top
  else if (inner.bottom > outer.bottom) line.scrollTop += inner.bottom - outer.bottom
}

/** Draws the line; panels are those of who asks for it. */
export function TabList({ name, label, tabs, open, onOpen }: TabListProps) {
  const line = useRef<HTMLDivElement>(null)
  const findOpen = (): HTMLElement | null =>
    line.current?.querySelector('[aria-selected="true"]') ?? null
  useLayoutEffect(() => {
    const tab = findOpen()
    if (line.current && tab) showTab(line.current, tab)
  }, [open])
  const follow = (event: KeyboardEvent): void => {
    const at = tabs.findIndex(({ id }) => id === open)
    const to = tabs[moveTab(event.key, at, tabs.length) ?? -1]
    if (!to) return
    event.preventDefault()
    onOpen(to.id)
    requestAnimationFrame(() => findOpen()?.focus({ preventScroll: true }))
  }
  return (
    <div class="tab-list" role="tablist" aria-label={label} ref={line} onKeyDown={follow}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          id={tabIds(name, tab.id).tab}
          aria-selected={tab.id === open}
          aria-controls={tabIds(name, tab.id).panel}
          tabIndex={tab.id === open ? 0 : -1}
          onClick={() => onOpen(tab.id)}
        >
          {tab.label}
          <TabMarks {...tab} />
        </button>
      ))}
    </div>
  )
}

/** Marks of a tab: a dot for what is typed, the number of faults. */
function TabMarks({ isChanged, faults }: Tab) {
  return (
    <>
      {isChanged && <span class="tab-changed" role="img" aria-label={say('unsaved')} />}
      {faults > 0 && (
        <span class="tab-faults">
          <span aria-hidden="true">{faults}</span>
          <span class="sr-only">{say('faultsInTab', { count: faults })}</span>
        </span>
      )}
    </>
  )
}

/** Opens the tab on which an element stands, where that is another one. */
export function openTabOf(element: Element): void {
  const panel = element.closest<HTMLElement>('[role=tabpanel][hidden]')
  const tab = panel?.getAttribute('aria-labelledby')
  if (tab) document.getElementById(tab)?.click()
}
