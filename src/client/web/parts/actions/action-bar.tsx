/** Actions in a row: the first possible ones as buttons, all others in a menu that says why not. */
import { useEffect, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { holdShortcuts, type Shortcut } from '../../state/keys.ts'
import { Button } from '../button.tsx'
import { Menu, type MenuItem } from '../menu.tsx'

/** Buttons beside the menu. */
const BUTTONS_MAX = 3

interface ActionBarProps {
  items: readonly MenuItem[]
  where: Shortcut['where']
}

/** Draws the bar; nothing without items. The palette offers them, too. */
export function ActionBar({ items, where }: ActionBarProps) {
  const latest = useRef(items)
  latest.current = items
  const plan = (item: MenuItem, at: number): Shortcut => ({
    keys: [],
    label: () => item.text,
    where,
    reason: () => item.reason,
    run: () => latest.current[at]?.run(),
  })
  const shape = JSON.stringify(items)
  useEffect(() => holdShortcuts(items.map(plan)), [shape])
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
