/** Keys drawn as caps. */
import { capsOf } from './key-names.ts'

/** Draws one way to press a shortcut: `Mod+s` as Ctrl and S. */
export function KeyCaps({ keys }: { keys: string }) {
  return (
    <span class="key-caps" dir="ltr">
      {capsOf(keys).map((cap) => (
        <kbd key={cap}>{cap}</kbd>
      ))}
    </span>
  )
}
