/**
 * The shortcuts that hold now. Places and parts hold theirs while they are shown; the sheet and
 * the palette list them all, and one listener of the page follows them.
 */
import { computed, signal } from '@preact/signals'

/** The groups of the sheet, in its order. */
export const KEY_GROUPS = ['everywhere', 'list', 'record', 'rows'] as const

/** One thing that can be done from the keyboard. */
export interface Shortcut {
  /**
   * Its keys, each as the browser names it: `n`, `/`, `Escape`; `Mod+s` for Ctrl or Command. None
   * for what the palette alone offers.
   */
  keys: readonly string[]
  label: () => string
  where: (typeof KEY_GROUPS)[number]
  /** Why it cannot be done now. */
  reason?: () => string | undefined
  /** Undefined where a part follows the keys by itself: the sheet only tells of them. */
  run?: () => void
}

const held = signal<readonly (readonly Shortcut[])[]>([])

/** All that hold, those of the place behind those of the frame. */
export const shortcuts = computed(() => held.value.flat())

/** Holds shortcuts until what it returns is called; of two with one key the later one counts. */
export function holdShortcuts(list: readonly Shortcut[]): () => void {
  held.value = [...held.peek(), list]
  return () => (held.value = held.peek().filter((each) => each !== list))
}

const OFF = 'singleKeysOff'

/** False where a user has turned off single keys, as those who speak to their computer do. */
export const hasSingleKeys = signal(localStorage.getItem(OFF) === null)

/** Turns single keys on or off, in this browser. */
export function setSingleKeys(isOn: boolean): void {
  hasSingleKeys.value = isOn
  if (isOn) localStorage.removeItem(OFF)
  else localStorage.setItem(OFF, 'true')
}

/** The controls in which a key is typed, or chooses. */
const TYPED_IN =
  'input:not([type=checkbox], [type=radio], [type=button], [type=submit]), textarea, select, ' +
  '[contenteditable], [role=menu], [role=listbox], [role=combobox]'

const isTypedIn = (event: KeyboardEvent): boolean =>
  event.composedPath().some((each) => each instanceof Element && each.matches(TYPED_IN))

/** The name of the pressed key: `Mod+s`, `?`; a letter of another script by its place. */
function nameKey({ key, code, shiftKey, ctrlKey, metaKey }: KeyboardEvent): string {
  const isAscii = key.length > 1 || key <= '~'
  const letter = isAscii ? key : (/^Key([A-Z])$/.exec(code)?.[1] ?? key)
  const name = letter.length === 1 && !shiftKey ? letter.toLowerCase() : letter
  return ctrlKey || metaKey ? `Mod+${name}` : name
}

function follow(event: KeyboardEvent): void {
  if (event.altKey || event.isComposing) return
  const name = nameKey(event)
  const isSingle = !name.startsWith('Mod+')
  const isOff = name.length === 1 && !hasSingleKeys.peek()
  if (isSingle && (isOff || event.defaultPrevented || isTypedIn(event))) return
  // A dialog keeps its keys to itself; the place behind it waits.
  if (document.querySelector('dialog:modal')) return
  const found = shortcuts.peek().findLast(({ keys, run }) => run && keys.includes(name))
  if (!found || found.reason?.() !== undefined) return
  event.preventDefault()
  found.run?.()
}

/** Follows the keys of the page until what it returns is called. */
export function followShortcuts(): () => void {
  addEventListener('keydown', follow)
  return () => removeEventListener('keydown', follow)
}
