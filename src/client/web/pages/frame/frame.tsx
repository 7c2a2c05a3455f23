/** The frame around every place: the navbar with its badges, the company, the user, what is new. */
import '@vaadin/app-layout/vaadin-app-layout.js'
import '@vaadin/app-layout/vaadin-drawer-toggle.js'
import '@vaadin/menu-bar/vaadin-menu-bar.js'
import { useSignalEffect } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { isReached } from '../../api/wire.ts'
import type { CallerUser } from '../../api/tokens.ts'
import { followShortcuts } from '../../state/keys.ts'
import { followLive } from '../../state/live.ts'
import { logoAddress } from '../../state/brand.ts'
import { ActionHost } from '../../parts/actions/action-host.tsx'
import { Button } from '../../parts/button.tsx'
import { NewRecordHost } from '../../parts/form/new-record-host.tsx'
import { Icon } from '../../parts/icon.tsx'
import { KeyCaps } from '../../parts/keys/key-caps.tsx'
import { NotificationBell } from '../../parts/notifications/notification-bell.tsx'
import { PreviewHost } from '../../parts/preview/preview-host.tsx'
import { Notices } from '../../parts/notices.tsx'
import { say } from '../../texts/texts.ts'
import { holdFrameCommands, stopActing } from './frame-commands.ts'
import { FrameDialogs, openDialog } from './frame-dialogs.tsx'
import { Navbar } from './navbar.tsx'
import { UserMenu } from './user-menu.tsx'

/** Draws the frame of `user` around a place. */
export function Frame({ user, children }: { user: CallerUser; children: ComponentChildren }) {
  useEffect(() => followLive(user), [user.Id, user.Company.Id])
  useEffect(() => followShortcuts(), [])
  useSignalEffect(() => holdFrameCommands(user))
  return (
    <vaadin-app-layout class="frame" primarySection="navbar">
      <header slot="navbar" class="frame-bar">
        <vaadin-drawer-toggle aria-label={say('menu')} />
        <a class="brand" href="/">
          <img src={logoAddress()} alt="" />
          <span>{user.Company.Name}</span>
        </a>
        <PaletteButton />
        <NotificationBell />
        <UserMenu user={user} />
      </header>
      <nav slot="drawer" class="frame-drawer" aria-label={say('menu')}>
        <Navbar />
      </nav>
      <main class="frame-main">
        {user.Impersonator && (
          <div class="banner" role="status">
            {say('impersonating', { name: user.DisplayName })}{' '}
            <Button onClick={stopActing}>{say('stopImpersonating')}</Button>
          </div>
        )}
        {!isReached.value && (
          <div class="banner" role="status">
            {navigator.onLine ? say('serverAway') : say('offline')}
          </div>
        )}
        {children}
      </main>
      <ActionHost />
      <NewRecordHost />
      <PreviewHost />
      <FrameDialogs />
      <Notices />
    </vaadin-app-layout>
  )
}

/** Opens the palette, for those who have no keys or do not know them. */
function PaletteButton() {
  return (
    <button
      type="button"
      class="palette-button"
      title={say('keyPalette')}
      onClick={() => void openDialog('palette')}
    >
      <Icon name="search" />
      <span>{say('search')}</span>
      <span class="palette-caps" aria-hidden="true">
        <KeyCaps keys="Mod+k" />
      </span>
    </button>
  )
}
