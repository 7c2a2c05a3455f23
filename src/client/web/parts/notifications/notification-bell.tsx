/** The bell of the frame with the number of unread notifications, and its panel. */
import { signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { unread } from '../../state/notifications.ts'
import { Icon } from '../icon.tsx'
import type { NotificationPanel } from './notification-panel.tsx'

/** The panel comes when it is opened for the first time. */
const loaded = signal<typeof NotificationPanel | undefined>(undefined)

/** Draws the bell. */
export function NotificationBell() {
  const panel = useRef<HTMLDivElement>(null)
  const Panel = loaded.value
  const count = unread.value
  const label = count > 0 ? say('unread', { count }) : say('notifications')
  return (
    <>
      <button
        type="button"
        class="icon-button bell"
        popovertarget="notifications"
        aria-label={label}
        title={label}
      >
        <Icon name="bell" />
        {count > 0 && <span class="bell-count">{count > 99 ? '99+' : count}</span>}
      </button>
      <div
        ref={panel}
        id="notifications"
        class="notification-panel"
        popover="auto"
        role="dialog"
        aria-label={say('notifications')}
        onToggle={async ({ newState }) => {
          if (newState !== 'open') return
          loaded.value ??= (await import('./notification-panel.tsx')).NotificationPanel
          panel.current?.focus()
        }}
        tabIndex={-1}
      >
        {Panel && <Panel onClose={() => panel.current?.hidePopover()} />}
      </div>
    </>
  )
}
