/** Password, second factor and sessions of the user. */
import '@vaadin/password-field/vaadin-password-field.js'
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { ServerError } from '../../api/server-error.ts'
import { take, wire } from '../../api/wire.ts'
import { notify } from '../../state/notices.ts'
import { user } from '../../state/session.ts'
import { Button } from '../../parts/button.tsx'
import { Fault } from '../../parts/fault.tsx'
import { FactorSection } from './factor-section.tsx'
import { SessionList } from './session-list.tsx'

/** True while another user acts as this one: what is theirs alone is closed. */
const isActedFor = (): boolean => typeof user.value === 'object' && user.value.Impersonator !== null

/** Draws all three; a new password or factor ends the other sessions. */
export function Security() {
  const changes = useSignal(0)
  const isClosed = isActedFor()
  const note = (): void => void changes.value++
  return (
    <>
      <PasswordSection isClosed={isClosed} onChanged={note} />
      <FactorSection isClosed={isClosed} onChanged={note} />
      <SessionList key={changes.value} isClosed={isClosed} />
    </>
  )
}

const FIELDS = [
  { name: 'Password', label: 'passwordNow', autocomplete: 'current-password' },
  { name: 'NewPassword', label: 'newPassword', autocomplete: 'new-password' },
  { name: 'Again', label: 'newPasswordAgain', autocomplete: 'new-password' },
] as const

type FieldName = (typeof FIELDS)[number]['name']

/** The fault of a field of the form, by a refusal. */
function faultOf(thrown: unknown, name: FieldName): string | undefined {
  if (!(thrown instanceof ServerError)) return undefined
  const found = thrown.refusal.fieldErrors?.[name]
  return found === undefined ? undefined : [found].flat().join(' ')
}

/** Refuses what the server need not be asked for. @throws ServerError */
function requireWhole(values: Readonly<Record<FieldName, string>>): void {
  const fieldErrors: Record<string, string> = {}
  for (const { name } of FIELDS) if (values[name] === '') fieldErrors[name] = say('fieldNeeded')
  if (values.Again !== '' && values.Again !== values.NewPassword)
    fieldErrors.Again = say('passwordsDiffer')
  const [first] = Object.values(fieldErrors)
  if (first !== undefined) throw new ServerError(400, { error: first, fieldErrors })
}

interface SectionProps {
  isClosed: boolean
  onChanged(): void
}

function PasswordSection({ isClosed, onChanged }: SectionProps) {
  const form = useRef<HTMLFormElement>(null)
  const fault = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const given = new FormData(event.currentTarget as HTMLFormElement)
    const read = (name: FieldName): string => String(given.get(name) ?? '')
    const body = { Password: read('Password'), NewPassword: read('NewPassword') }
    fault.value = undefined
    isBusy.value = true
    try {
      requireWhole({ ...body, Again: read('Again') })
      await take(wire.POST('/api/v1/auth/password/change', { body }))
      for (const field of form.current?.querySelectorAll('vaadin-password-field') ?? [])
        field.value = ''
      notify(say('passwordIsChanged'))
      onChanged()
    } catch (thrown) {
      fault.value = thrown
    } finally {
      isBusy.value = false
    }
  }
  const isOfField = FIELDS.some(({ name }) => faultOf(fault.value, name) !== undefined)
  return (
    <section aria-labelledby="account-password">
      <h2 id="account-password">{say('password')}</h2>
      <form ref={form} class="account-form" onSubmit={(event) => void submit(event)}>
        {!isOfField && <Fault of={fault.value} />}
        {FIELDS.map(({ name, label, autocomplete }) => (
          <vaadin-password-field
            key={name}
            label={say(label)}
            name={name}
            autocomplete={autocomplete}
            manualValidation
            disabled={isClosed}
            invalid={faultOf(fault.value, name) !== undefined}
            errorMessage={faultOf(fault.value, name) ?? ''}
          />
        ))}
        <div class="buttons">
          <Button kind="primary" isSubmit disabled={isClosed || isBusy.value}>
            {say('changePassword')}
          </Button>
        </div>
      </form>
    </section>
  )
}
