/** The second factor: asked for at sign-in, and set up where a role demands one. */
import '@vaadin/text-field/vaadin-text-field.js'
import { useSignal } from '@preact/signals'
import type { SessionTokens } from '../../api/tokens.ts'
import { type Schemas, take, wire } from '../../api/wire.ts'
import { say } from '../../texts/texts.ts'
import { FactorSetup } from '../../parts/factor-setup.tsx'
import { Card } from './card.tsx'

/** Asks for a code of the app, or one of the recovery codes. */
export function SecondFactor({
  challenge,
  onTokens,
}: {
  challenge: Schemas['MfaRequired']
  onTokens(tokens: SessionTokens): void
}) {
  const method = useSignal(challenge.Methods[0] ?? 'totp')
  const { ChallengeId } = challenge
  const choose = async (Method: Schemas['MfaMethod']): Promise<void> => {
    await take(wire.POST('/api/v1/auth/mfa/challenge', { body: { ChallengeId, Method } }))
    method.value = Method
  }
  const isApp = method.value === 'totp'
  return (
    <Card
      heading={say('secondFactor')}
      action={say('verify')}
      onSubmit={async ({ code = '' }) => {
        const body = { ChallengeId, Code: code.trim() }
        onTokens(await take(wire.POST('/api/v1/auth/mfa/verify', { body })))
      }}
    >
      <vaadin-text-field
        key={method.value}
        label={isApp ? say('codeApp') : say('codeRecovery')}
        name="code"
        autocomplete="one-time-code"
        required
        manualValidation
        autofocus
      />
      {challenge.Methods.filter((each) => each !== method.value).map((each) => (
        <button class="link-button" type="button" onClick={() => void choose(each)}>
          {each === 'totp' ? say('useApp') : say('useRecovery')}
        </button>
      ))}
    </Card>
  )
}

/** Sets a factor up, as a role demands it. */
export function SetUpFactor({
  password,
  onDone,
}: {
  password: string
  onDone(tokens: undefined): void
}) {
  return (
    <main class="lonely">
      <FactorSetup
        password={password}
        help={say('setUpFactorHelp')}
        onDone={() => onDone(undefined)}
      />
    </main>
  )
}
