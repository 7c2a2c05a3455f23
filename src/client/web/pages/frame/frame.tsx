/** The frame around every place: the navbar with its badges, the company, the user, what is new. */
import { useSignalEffect } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { CallerUser } from '../../api/tokens.ts'
import { isReached } from '../../api/wire.ts'
import { logoAddress } from '../../state/brand.ts'
import { followShortcuts } from '../../state/keys.ts'
import { followLive } from '../../state/live.ts'
import { ActionHost } from '../../parts/actions/action-host.tsx'
import { Button } from '../../parts/button.tsx'
import { NewRecordHost } from '../../parts/form/new-record-host.tsx'
import { Icon } from '../../parts/icon.tsx'
import { JobHost } from '../../parts/jobs/job-host.tsx'
import { KeyCaps } from '../../parts/keys/key-caps.tsx'
import { Notices } from '../../parts/notices.tsx'
import { NotificationBell } from '../../parts/notifications/notification-bell.tsx'
import { PreviewHost } from '../../parts/preview/preview-host.tsx'
import { closeDrawer, isDrawerOpen, isDrawerOver, turnDrawer } from './drawer.ts'
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
    <div class="frame" data-drawer={isDrawerOpen.value || undefined}>
      <header class="frame-bar">
        <DrawerToggle />
        <a class="brand" href="/">
          <img src={logoAddress()} alt="" />
          <span>{user.Company.Name}</span>
        </a>
        <PaletteButton />
        <JobHost user={user} />
        <NotificationBell />
        <UserMenu user={user} />
      </header>
      <Drawer />
      <main class="frame-main" inert={isDrawerOver.value}>
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
    </div>
  )
}

const TOGGLE = 'drawer-toggle'

function DrawerToggle() {
  return (
    <button
      id={TOGGLE}
      type="button"
      class="icon-button"
      aria-label={say('menu')}
      title={say('menu')}
      aria-expanded={isDrawerOpen.value}
      aria-controls="drawer"
      onClick={turnDrawer}
    >
      <Icon name="menu" />
    </button>
  )
}

/** The places; where they cover the place they take the focus, and Esc or a click beside closes. */
function Drawer() {
  const drawer = useRef<HTMLElement>(null)
  const isOver = isDrawerOver.value
  useEffect(() => {
    if (!isOver) return undefined
    drawer.current?.querySelector<HTMLElement>('a, button')?.focus()
    return () => document.getElementById(TOGGLE)?.focus()
  }, [isOver])
  return (
    <>
      {isOver && <div class="frame-shade" onClick={closeDrawer} />}
      <nav
        id="drawer"
        ref={drawer}
        class="frame-drawer"
        aria-label={say('menu')}
        hidden={!isDrawerOpen.value}
        onKeyDown={({ key }) => key === 'Escape' && closeDrawer()}
      >
        <Navbar />
      </nav>
    </>
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
