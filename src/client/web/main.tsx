/** The client starts: the session of the cookie, then the place of the address. */
import { effect, signal } from '@preact/signals'
import { render } from 'preact'
import { followAddress } from './state/address.ts'
import { loadBrand } from './state/brand.ts'
import { loadNavbar } from './state/navbar.ts'
import { loadCompanies, startSession, user } from './state/session.ts'
import { Frame } from './pages/frame/frame.tsx'
import { Place } from './pages/places.tsx'

/** The sign-in loads where nobody is signed in: most visits have a session. */
const signIn = signal<typeof import('./pages/sign-in/sign-in.tsx') | undefined>(undefined)

async function loadSignIn(): Promise<void> {
  signIn.value = await import('./pages/sign-in/sign-in.tsx')
}

function Client() {
  const now = user.value
  if (now === 'starting') return null
  const pages = signIn.value
  if (now === undefined || pages?.isHeldBack() === true) {
    if (pages) return <pages.SignIn />
    void loadSignIn()
    return null
  }
  return (
    <Frame user={now}>
      <Place />
    </Frame>
  )
}

followAddress()
void loadBrand()
await startSession()
effect(() => {
  const now = user.value
  if (typeof now !== 'object') return
  void loadNavbar()
  void loadCompanies()
})
const root = document.getElementById('client')
if (root) render(<Client />, root)
