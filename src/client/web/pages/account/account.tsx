/** The user's own account, in parts that the address names: `/account/security`. */
import type { ComponentType } from 'preact'
import { say } from '../../texts/texts.ts'
import { addressOf, place } from '../../state/address.ts'
import { user } from '../../state/session.ts'
import { NotificationPreferences } from './notification-preferences.tsx'
import { Profile } from './profile.tsx'
import { Security } from './security.tsx'

const PARTS: readonly { name: string; label: () => string; Part: ComponentType }[] = [
  { name: '', label: () => say('profile'), Part: Profile },
  { name: 'notifications', label: () => say('notifications'), Part: NotificationPreferences },
  { name: 'security', label: () => say('security'), Part: Security },
]

/** The place `/account`. */
export function AccountPlace() {
  const [, named = ''] = place.value.path
  const open = PARTS.find(({ name }) => name === named) ?? PARTS[0]
  const now = user.value
  if (typeof now !== 'object' || !open) return null
  return (
    <>
      <header class="place-head">
        <h1>{say('account')}</h1>
        <span class="quiet">{now.DisplayName}</span>
      </header>
      <nav class="part-links" aria-label={say('account')}>
        {PARTS.map(({ name, label }) => (
          <a
            key={name}
            href={addressOf(['account', name].filter(Boolean))}
            aria-current={name === open.name ? 'page' : undefined}
          >
            {label()}
          </a>
        ))}
      </nav>
      <div class="place-body scrolls account">
        {now.Impersonator && <div class="notice">{say('notYours')}</div>}
        <open.Part />
      </div>
    </>
  )
}
