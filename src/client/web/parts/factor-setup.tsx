/** A second factor is set up: picture to scan, code that proves it, then the recovery codes. */
import '@vaadin/password-field/vaadin-password-field.js'
import '@vaadin/text-field/vaadin-text-field.js'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { say } from '../texts/texts.ts'
import { type Schemas, take, wire } from '../api/wire.ts'
import { notify } from '../state/notices.ts'
import { Button } from './button.tsx'
import { CardForm, type CardValues } from './card-form.tsx'
import { keepFile } from './keep-file.ts'

interface FactorSetupProps {
  /** The password that was just typed; empty where it has to be asked for. */
  password: string
  help: string
  onDone(): void
  onCancel?: () => void
}

/** Draws the steps, one after another. */
export function FactorSetup({ password, help, onDone, onCancel }: FactorSetupProps) {
  const setup = useSignal<Schemas['MfaSetup'] | undefined>(undefined)
  const codes = useSignal<readonly string[] | undefined>(undefined)
  const submit = async (values: CardValues): Promise<void> => {
    if (codes.value) return onDone()
    if (!setup.value) {
      const body = { Password: values.password ?? '' }
      setup.value = await take(wire.POST('/api/v1/auth/mfa/setup', { body }))
      return
    }
    const body = { Code: (values.code ?? '').trim() }
    codes.value = (await take(wire.POST('/api/v1/auth/mfa/confirm', { body }))).RecoveryCodes
  }
  const isOver = codes.value !== undefined
  return (
    <CardForm
      heading={isOver ? say('recoveryCodes') : say('setUpFactor')}
      help={isOver ? say('recoveryCodesHelp') : help}
      action={setup.value && !isOver ? say('verify') : say('goOn')}
      onSubmit={submit}
      onCancel={onCancel && (isOver ? onDone : onCancel)}
    >
      {codes.value ? (
        <RecoveryCodes codes={codes.value} />
      ) : setup.value ? (
        <Secret setup={setup.value} />
      ) : (
        <vaadin-password-field
          label={say('passwordNow')}
          name="password"
          autocomplete="current-password"
          value={password}
          required
          manualValidation
        />
      )}
    </CardForm>
  )
}

/** The secret as a picture and in letters, and the code that proves that an app has it. */
function Secret({ setup: { QrSvg, OtpAuthUri, Secret: secret } }: { setup: Schemas['MfaSetup'] }) {
  const picture = useMemo(
    () => URL.createObjectURL(new Blob([QrSvg], { type: 'image/svg+xml' })),
    [QrSvg],
  )
  useEffect(() => () => URL.revokeObjectURL(picture), [picture])
  return (
    <>
      <img class="qr" src={picture} alt={OtpAuthUri} width="200" height="200" />
      <vaadin-text-field label={say('secret')} value={secret} readonly />
      <vaadin-text-field
        label={say('codeApp')}
        name="code"
        autocomplete="one-time-code"
        required
        manualValidation
      />
    </>
  )
}

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const text = codes.join('\n')
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => notify(say('copied')),
      () => notify(say('unexpected'), 'error'),
    )
  return (
    <>
      <pre class="recovery-codes">{text}</pre>
      <div class="buttons">
        {/* Without https a browser has no clipboard for pages. */}
        {isSecureContext && <Button onClick={copy}>{say('copy')}</Button>}
        <Button onClick={() => keepFile(new Blob([`${text}\n`]), 'recovery-codes.txt')}>
          {say('saveAsFile')}
        </Button>
      </div>
    </>
  )
}
