/** The second factor: asked for at sign-in, and set up where a role demands one. */
import '@vaadin/text-field/vaadin-text-field.js'
import { useSignal } from '@preact/signals'
import type { SessionTokens } from '../../api/tokens.ts'
import { type Schemas, take, wire } from '../../api/wire.ts'
import { say } from '../../texts/texts.ts'
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

/** Sets a factor up: the picture to scan, the code that proves it, then the recovery codes. */
export function SetUpFactor({
  password,
  onDone,
}: {
  password: string
  onDone(tokens: undefined): void
}) {
  const setup = useSignal<Schemas['MfaSetup'] | undefined>(undefined)
  const codes = useSignal<readonly string[] | undefined>(undefined)
  const submit = async (values: Readonly<Record<string, string>>): Promise<void> => {
    if (codes.value) return onDone(undefined)
    if (!setup.value) {
      const body = { Password: values.password ?? '' }
      setup.value = await take(wire.POST('/api/v1/auth/mfa/setup', { body }))
      return
    }
    const body = { Code: (values.code ?? '').trim() }
    codes.value = (await take(wire.POST('/api/v1/auth/mfa/confirm', { body }))).RecoveryCodes
  }
  return (
    <Card
      heading={codes.value ? say('recoveryCodes') : say('setUpFactor')}
      help={codes.value ? say('recoveryCodesHelp') : say('setUpFactorHelp')}
      action={setup.value && !codes.value ? say('verify') : say('goOn')}
      onSubmit={submit}
    >
      {codes.value ? (
        <pre>{codes.value.join('\n')}</pre>
      ) : setup.value ? (
        <>
          <img src={pictureOf(setup.value.QrSvg)} alt={setup.value.OtpAuthUri} width="200" />
          <vaadin-text-field label={say('secret')} value={setup.value.Secret} readonly />
          <vaadin-text-field
            label={say('codeApp')}
            name="code"
            autocomplete="one-time-code"
            required
            manualValidation
          />
        </>
      ) : (
        <vaadin-password-field
          label={say('passwordNow')}
          name="password"
          value={password}
          required
          manualValidation
        />
      )}
    </Card>
  )
}

const pictureOf = (svg: string): string =>
  URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
