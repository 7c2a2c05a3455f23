/** Passwords that are forgotten, set anew by a link, and changed after the first sign-in. */
import '@vaadin/password-field/vaadin-password-field.js'
import '@vaadin/text-field/vaadin-text-field.js'
import { useSignal } from '@preact/signals'
import { ServerError } from '../../api/server-error.ts'
import { take, wire } from '../../api/wire.ts'
import { say } from '../../texts/texts.ts'
import { Card } from './card.tsx'

/** Asks for a link by mail; the answer is the same whether the account exists. */
export function ForgottenPassword({ onBack }: { onBack(): void }) {
  const isSent = useSignal(false)
  const send = async ({ username = '' }: Readonly<Record<string, string>>): Promise<void> => {
    if (isSent.value) return onBack()
    await take(wire.POST('/api/v1/auth/password/forgot', { body: { UserName: username } }))
    isSent.value = true
  }
  return (
    <Card
      heading={say('forgotten')}
      help={isSent.value ? say('forgottenSent') : say('forgottenHelp')}
      action={isSent.value ? say('back') : say('sendLink')}
      onSubmit={send}
    >
      {!isSent.value && (
        <vaadin-text-field
          label={say('userName')}
          name="username"
          autocomplete="username"
          required
          manualValidation
        />
      )}
      <button class="link-button" type="button" onClick={onBack}>
        {say('back')}
      </button>
    </Card>
  )
}

/** Sets a password by the link of a mail. */
export function ResetPassword({ token, onDone }: { token: string; onDone(): void }) {
  return (
    <NewPassword
      help={undefined}
      onPassword={async (NewPassword) => {
        await take(
          wire.POST('/api/v1/auth/password/reset', { body: { Token: token, NewPassword } }),
        )
        onDone()
      }}
    />
  )
}

/** Changes a one-time password, which opens nothing else. */
export function ChangePassword({
  password,
  onDone,
}: {
  password: string
  onDone(tokens: undefined): void
}) {
  return (
    <NewPassword
      help={say('changeNeeded')}
      onPassword={async (NewPassword) => {
        await take(
          wire.POST('/api/v1/auth/password/change', { body: { Password: password, NewPassword } }),
        )
        onDone(undefined)
      }}
    />
  )
}

function NewPassword({
  help,
  onPassword,
}: {
  help: string | undefined
  onPassword(password: string): Promise<void>
}) {
  return (
    <Card
      heading={say('newPassword')}
      {...(help !== undefined && { help })}
      action={say('changePassword')}
      onSubmit={async ({ password = '', again = '' }) => {
        if (password !== again) throw new ServerError(400, { error: say('passwordsDiffer') })
        await onPassword(password)
      }}
    >
      <vaadin-password-field
        label={say('newPassword')}
        name="password"
        autocomplete="new-password"
        required
        manualValidation
      />
      <vaadin-password-field
        label={say('newPasswordAgain')}
        name="again"
        autocomplete="new-password"
        required
        manualValidation
      />
    </Card>
  )
}
