/** Actions in a row: the first possible ones as buttons, all others in a menu that says why not. */
import { say } from '../../texts/texts.ts'
import { Button } from '../button.tsx'
import { Menu, type MenuItem } from '../menu.tsx'

/** Buttons beside the menu. */
const BUTTONS_MAX = 3

/** Draws the bar; nothing without items. */
export function ActionBar({ items }: { items: readonly MenuItem[] }) {
  const shown = items
    .filter(({ reason, isDanger }) => reason === undefined && isDanger !== true)
    .slice(0, BUTTONS_MAX)
  return (
    <div class="action-bar">
      {shown.map((item) => (
        <Button key={item.text} onClick={() => item.run()}>
          {item.text}
        </Button>
      ))}
      <Menu label={say('moreActions')} items={items.filter((item) => !shown.includes(item))} />
    </div>
  )
}
