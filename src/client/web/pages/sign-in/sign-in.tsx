/**
 * The sign-in with all its turns: second factor, forgotten password, the link of a mail, a one-time
 * password.
 */
import '@vaadin/password-field/vaadin-password-field.js'
import '@vaadin/text-field/vaadin-text-field.js'
import { signal } from '@preact/signals'
import { takeTokens, type SessionTokens } from '../../api/tokens.ts'
import { type Schemas, take, wire } from '../../api/wire.ts'
import { go, place } from '../../state/address.ts'
import { logoAddress, methods } from '../../state/brand.ts'
import { endedUser, user } from '../../state/session.ts'
import { say } from '../../texts/texts.ts'
import { Button } from '../../parts/button.tsx'
import { Fault } from '../../parts/fault.tsx'
import { ChangePassword, ForgottenPassword, ResetPassword } from './passwords.tsx'
import { SecondFactor, SetUpFactor } from './second-factor.tsx'

/** The state of the sign-in. */
type Turn =
  | { kind: 'password'; notice?: string }
  | { kind: 'forgotten' }
  | { kind: 'factor'; challenge: Schemas['MfaRequired'] }
  | { kind: 'change'; password: string }
  | { kind: 'set-up'; password: string }

const turn = signal<Turn>({ kind: 'password' })

/** The place of everyone who is not signed in. */
export function SignIn() {
  const { path, query } = place.value
  if (path[0] === 'reset-password')
    return <ResetPassword token={query.get('token') ?? ''} onDone={afterReset} />
  const now = turn.value
  switch (now.kind) {
    case 'forgotten':
      return <ForgottenPassword onBack={() => (turn.value = { kind: 'password' })} />
    case 'factor':
      return <SecondFactor challenge={now.challenge} onTokens={(tokens) => enter(tokens, '')} />
    case 'change':
      return <ChangePassword password={now.password} onDone={askAgain} />
    case 'set-up':
      return <SetUpFactor password={now.password} onDone={askAgain} />
    case 'password':
      return <PasswordForm notice={now.notice} />
  }
}

function afterReset(): void {
  go('/', { replace: true })
  turn.value = { kind: 'password', notice: say('passwordChanged') }
}

/** Once the password is one's own, it opens the rest. */
function askAgain(tokens: SessionTokens | undefined): void {
  turn.value = { kind: 'password', ...(!tokens && { notice: say('passwordChanged') }) }
  if (tokens) takeTokens(tokens)
}

/** True between sign-in and application, where a password or a factor has to be set first. */
export const isHeldBack = (): boolean =>
  turn.value.kind === 'change' || turn.value.kind === 'set-up'

function enter(tokens: SessionTokens, password: string): void {
  turn.value = tokens.MustChangePassword
    ? { kind: 'change', password }
    : tokens.MfaSetupRequired
      ? { kind: 'set-up', password }
      : { kind: 'password' }
  takeTokens(tokens)
}

const name = signal(endedUser.peek()?.UserName ?? '')
const fault = signal<unknown>(undefined)
const isBusy = signal(false)

async function signIn(event: SubmitEvent): Promise<void> {
  event.preventDefault()
  const form = event.currentTarget as HTMLFormElement
  const Password = (form.elements.namedItem('password') as HTMLInputElement | null)?.value ?? ''
  isBusy.value = true
  fault.value = undefined
  try {
    const body = { UserName: name.value, Password }
    const answer = await take(wire.POST('/api/v1/auth/login', { body }))
    if ('MfaRequired' in answer) turn.value = { kind: 'factor', challenge: answer }
    else enter(answer, Password)
  } catch (thrown) {
    fault.value = thrown
    const field = form.querySelector('vaadin-password-field')
    if (field) field.value = ''
    field?.focus()
  } finally {
    isBusy.value = false
  }
}

function PasswordForm({ notice }: { notice: string | undefined }) {
  const words = notice ?? (endedUser.value ? say('sessionEnded') : undefined)
  return (
    <main class="lonely">
      <form class="lonely-card" onSubmit={(event) => void signIn(event)}>
        <div class="brand">
          <img src={logoAddress()} alt="" />
          {methods.value?.ProductName ?? say('product')}
        </div>
        <h1>{say('signIn')}</h1>
        {words && <div class="notice">{words}</div>}
        <Fault of={fault.value} />
        <vaadin-text-field
          label={say('userName')}
          name="username"
          autocomplete="username"
          autocapitalize="none"
          required
          manualValidation
          autofocus
          value={name.value}
          onvalue-changed={({ detail }) => (name.value = detail.value ?? '')}
        />
        <vaadin-password-field
          label={say('password')}
          name="password"
          autocomplete="current-password"
          required
          manualValidation
        />
        <Button kind="primary" isSubmit disabled={isBusy.value || user.value === 'starting'}>
          {isBusy.value ? say('signingIn') : say('signIn')}
        </Button>
        {methods.value?.PasswordReset !== false && (
          <button
            class="link-button"
            type="button"
            onClick={() => (turn.value = { kind: 'forgotten' })}
          >
            {say('forgotten')}
          </button>
        )}
      </form>
    </main>
  )
}
