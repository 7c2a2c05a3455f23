/** The client starts: the session of the cookie, then the place of the address. */
import { effect, signal } from '@preact/signals'
import { render } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { language, say } from './texts/texts.ts'
import { followAddress } from './state/address.ts'
import { loadBrand } from './state/brand.ts'
import { whenDrawn } from './state/drawn.ts'
import { beginNavbar } from './state/navbar.ts'
import { endedUser, loadCompanies, startSession, user } from './state/session.ts'
import { Frame } from './pages/frame/frame.tsx'
import { loadPlace, Place } from './pages/places.tsx'

/** The sign-in loads where nobody is signed in: most visits have a session. */
const signIn = signal<typeof import('./pages/sign-in/sign-in.tsx') | undefined>(undefined)

async function loadSignIn(): Promise<void> {
  signIn.value = await import('./pages/sign-in/sign-in.tsx')
}

function Client() {
  const now = user.value
  if (now === 'starting') return null
  const isOut = now === undefined || signIn.value?.isHeldBack() === true
  const shown = isOut ? endedUser.value : now
  return (
    <>
      {shown && (
        <div class="session" inert={isOut} key={`${shown.Id}-${shown.Company.Id}`}>
          <Frame user={shown}>
            <Place />
          </Frame>
        </div>
      )}
      {isOut && <SignInPlace isDialog={shown !== undefined} />}
    </>
  )
}

/** The sign-in: a page of its own, or over the place whose session ended by itself. */
function SignInPlace({ isDialog }: { isDialog: boolean }) {
  const pages = signIn.value
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (pages && isDialog) dialog.current?.showModal()
  }, [pages, isDialog])
  if (!pages) {
    void loadSignIn()
    return null
  }
  if (!isDialog) return <pages.SignIn />
  return (
    <dialog
      class="sign-in-dialog"
      ref={dialog}
      aria-label={say('signIn')}
      onCancel={(event) => event.preventDefault()}
    >
      <pages.SignIn />
    </dialog>
  )
}

/** Loads beside the place; a session that has ended meanwhile leads to the sign-in anyhow. */
const later = (loading: Promise<void>): void => void loading.catch(() => undefined)

/** No await at the top: a chunk that waits for this one would never come. */
async function start(): Promise<void> {
  followAddress()
  void loadBrand()
  loadPlace()
  await startSession()
  effect(() => {
    const now = user.value
    if (typeof now !== 'object') return
    // The places of another language are others.
    void language.value
    later(beginNavbar())
    later(whenDrawn.then(loadCompanies))
  })
  const root = document.getElementById('client')
  if (root) render(<Client />, root)
}

void start()
