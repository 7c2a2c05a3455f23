/** The dialog in which a System user begins to act as another one: as whom, what for, how long. */
import '@vaadin/combo-box/vaadin-combo-box.js'
import '@vaadin/text-field/vaadin-text-field.js'
import type { ComboBoxDataProvider } from '@vaadin/combo-box'
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { ServerError } from '../../api/server-error.ts'
import { take, wire } from '../../api/wire.ts'
import { startImpersonation } from '../../state/session.ts'
import { CardForm, type CardValues } from '../../parts/card-form.tsx'
import { Dialog } from '../../parts/dialog.tsx'

/** The role whose holders nobody acts as. */
const SYSTEM = 'System'
const MINUTES = [15, 30, 60] as const
const REASON_LETTERS_MAX = 500

interface Choice {
  id: number
  name: string
}

/** Users who can sign in and are not System, a page at a time, by what is typed. */
const findUsers: ComboBoxDataProvider<Choice> = async ({ page, pageSize, filter }, callback) => {
  const query = { search: filter, active: true, page: page + 1, pageSize }
  const { Rows } = await take(wire.GET('/api/v1/svc/auth/users', { params: { query } }))
  const choices = Rows.filter(({ Roles }) => Roles.every(({ Role }) => Role !== SYSTEM)).map(
    ({ Id, DisplayName, UserName }) => ({ id: Id, name: `${DisplayName} (${UserName})` }),
  )
  const before = page * pageSize + choices.length
  callback(choices, Rows.length === pageSize ? before + 1 : before)
}

/** Draws the dialog. */
export function ImpersonationDialog({ onClose }: { onClose(): void }) {
  const chosen = useSignal<Choice | null>(null)
  const provider = useMemo(() => findUsers, [])
  const start = async ({ reason = '', minutes = '' }: CardValues): Promise<void> => {
    if (!chosen.value) throw new ServerError(400, { error: say('chooseUser') })
    if (reason.trim() === '') throw new ServerError(400, { error: say('reasonNeeded') })
    const [UserId, Minutes] = [chosen.value.id, Number(minutes)]
    await startImpersonation({ UserId, Reason: reason.trim(), Minutes })
    onClose()
  }
  return (
    <Dialog label={say('impersonate')} onClose={onClose}>
      <CardForm
        heading={say('impersonate')}
        help={say('impersonateHelp')}
        action={say('impersonateStart')}
        onSubmit={start}
        onCancel={onClose}
      >
        <vaadin-combo-box
          label={say('user')}
          itemLabelPath="name"
          itemIdPath="id"
          dataProvider={provider}
          selectedItem={chosen.value}
          onselected-item-changed={({ detail }) =>
            (chosen.value = (detail.value as Choice | null | undefined) ?? null)
          }
        />
        <vaadin-text-field
          label={say('reason')}
          name="reason"
          maxlength={REASON_LETTERS_MAX}
          autocomplete="off"
        />
        <label class="stacked">
          {say('endsAfter')}
          <select class="select" name="minutes">
            {MINUTES.map((count) => (
              <option key={count} value={count}>
                {say('minutes', { count })}
              </option>
            ))}
          </select>
        </label>
      </CardForm>
    </Dialog>
  )
}
