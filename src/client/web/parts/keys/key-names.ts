/** Names of keys as their caps have them. */
import { say } from '../../texts/texts.ts'

const IS_MAC = /^Mac|^iP/.test(navigator.platform)

/** Keys that are more than a letter. */
const CAPS: Readonly<Record<string, () => string>> = {
  Mod: () => (IS_MAC ? '⌘' : say('keyControl')),
  Shift: () => (IS_MAC ? '⇧' : say('keyShift')),
  Escape: () => say('keyEscape'),
  Enter: () => say('keyEnter'),
  Insert: () => say('keyInsert'),
  Delete: () => say('keyDelete'),
  Space: () => say('keySpace'),
  Arrows: () => '← ↑ → ↓',
}

/** The caps of a shortcut's keys: `Mod+s` → `['Ctrl', 'S']`. */
export const capsOf = (keys: string): string[] =>
  keys.split('+').map((each) => CAPS[each]?.() ?? (each.length === 1 ? each.toUpperCase() : each))
