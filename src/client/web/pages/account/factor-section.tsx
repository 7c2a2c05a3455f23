/** The second factor of the user: set up, or removed by password and code. */
import '@vaadin/password-field/vaadin-password-field.js'
import '@vaadin/text-field/vaadin-text-field.js'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { take, wire } from '../../api/wire.ts'
import { notify } from '../../state/notices.ts'
import { Button } from '../../parts/button.tsx'
import { CardForm, type CardValues } from '../../parts/card-form.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FactorSetup } from '../../parts/factor-setup.tsx'
import { Fault } from '../../parts/fault.tsx'

interface FactorSectionProps {
  isClosed: boolean
  onChanged(): void
}

/** Draws the section. */
export function FactorSection({ isClosed, onChanged }: FactorSectionProps) {
  const hasFactor = useSignal<boolean | undefined>(undefined)
  const isOpen = useSignal(false)
  const fault = useSignal<unknown>(undefined)
  const load = (): void =>
    void take(wire.GET('/api/v1/auth/me')).then(
      ({ MfaEnabled }) => (hasFactor.value = MfaEnabled),
      (thrown: unknown) => (fault.value = thrown),
    )
  useEffect(load, [])
  const close = (): void => {
    isOpen.value = false
    load()
  }
  const done = (): void => {
    close()
    onChanged()
  }
  const isOn = hasFactor.value === true
  const action = say(isOn ? 'removeFactor' : 'setUpFactor')
  return (
    <section aria-labelledby="account-factor">
      <h2 id="account-factor">{say('secondFactor')}</h2>
      <Fault of={fault.value} />
      {hasFactor.value !== undefined && (
        <>
          <p class="quiet">{say(isOn ? 'factorIsOn' : 'factorIsOff')}</p>
          <Button disabled={isClosed} onClick={() => (isOpen.value = true)}>
            {action}
          </Button>
        </>
      )}
      {isOpen.value && (
        <Dialog label={action} onClose={close}>
          {isOn ? (
            <RemoveFactor onDone={done} onCancel={close} />
          ) : (
            <FactorSetup password="" help={say('factorHelp')} onDone={done} onCancel={close} />
          )}
        </Dialog>
      )}
    </section>
  )
}

function RemoveFactor({ onDone, onCancel }: { onDone(): void; onCancel(): void }) {
  const remove = async ({ password = '', code = '' }: CardValues): Promise<void> => {
    const body = { Password: password, Code: code.trim() }
    await take(wire.POST('/api/v1/auth/mfa/disable', { body }))
    notify(say('factorRemoved'))
    onDone()
  }
  return (
    <CardForm
      heading={say('removeFactor')}
      help={say('removeFactorHelp')}
      action={say('removeFactor')}
      onSubmit={remove}
      onCancel={onCancel}
    >
      <vaadin-password-field
        label={say('passwordNow')}
        name="password"
        autocomplete="current-password"
        required
        manualValidation
      />
      <vaadin-text-field
        label={say('codeAppOrRecovery')}
        name="code"
        autocomplete="one-time-code"
        required
        manualValidation
      />
    </CardForm>
  )
}
