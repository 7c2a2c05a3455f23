/** The panel of notifications: what is new, what each is about, older ones on demand. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { formatInstant, say } from '../../texts/texts.ts'
import { fetchFile } from '../../api/wire.ts'
import { go } from '../../state/address.ts'
import {
  addressOfNotification,
  fileOfNotification,
  hasOlder,
  loadNotifications,
  markAllRead,
  markRead,
  type Notification,
  notifications,
  unread,
} from '../../state/notifications.ts'
import { Button } from '../button.tsx'
import { Fault } from '../fault.tsx'
import { keepFile } from '../keep-file.ts'

/** Fetches a file with the user's token and keeps it under the name of its address. */
async function keepNamed(address: string): Promise<void> {
  const content = await (await fetchFile(address)).blob()
  keepFile(content, decodeURIComponent(address.split('/').at(-1) ?? ''))
}

/** Draws the list. */
export function NotificationPanel({ onClose }: { onClose(): void }) {
  const fault = useSignal<unknown>(undefined)
  const isLoaded = useSignal(false)
  const run = (work: Promise<void>): void => {
    work.then(
      () => (isLoaded.value = true),
      (thrown: unknown) => (fault.value = thrown),
    )
  }
  useEffect(() => run(loadNotifications()), [])
  const open = (each: Notification): void => {
    run(markRead(each))
    const file = fileOfNotification(each)
    if (file !== undefined) return run(keepNamed(file))
    const address = addressOfNotification(each)
    if (address === undefined) return
    onClose()
    go(address)
  }
  return (
    <>
      <header class="notification-head">
        <h2>{say('notifications')}</h2>
        {unread.value > 0 && (
          <Button kind="quiet" onClick={() => run(markAllRead())}>
            {say('markAllRead')}
          </Button>
        )}
      </header>
      <Fault of={fault.value} />
      {isLoaded.value && notifications.value.length === 0 && (
        <p class="quiet">{say('noNotifications')}</p>
      )}
      <ul class="notification-list">
        {notifications.value.map((each) => (
          <li key={each.Id} data-unread={each.ReadAt === null || undefined}>
            <button type="button" class="notification" onClick={() => open(each)}>
              <strong>{each.Title}</strong>
              {each.Body !== null && <span>{each.Body}</span>}
              <small class="quiet">
                {formatInstant(each.CreatedAt)}
                {each.From && ` · ${each.From.DisplayName}`}
                {each.ReadAt === null && <span class="sr-only"> {say('isUnread')}</span>}
              </small>
            </button>
          </li>
        ))}
      </ul>
      {hasOlder.value && (
        <Button kind="quiet" onClick={() => run(loadNotifications({ isOlder: true }))}>
          {say('older')}
        </Button>
      )}
    </>
  )
}
