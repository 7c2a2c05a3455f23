/** How the user is notified: of each kind by which channels. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { type Schemas, take, wire } from '../../api/wire.ts'
import { user } from '../../state/session.ts'
import { Fault } from '../../parts/fault.tsx'
import { PushSection } from './push-section.tsx'

type Preference = Schemas['NotificationPreference']

/** Channels in their order; mails need an address. */
const CHANNELS = [
  { name: 'Hub', isMail: false },
  { name: 'Push', isMail: false },
  { name: 'Mail', isMail: true },
  { name: 'Digest', isMail: true },
] as const

type Channel = (typeof CHANNELS)[number]['name']

/** Draws the table; each box is saved as it is changed. */
export function NotificationPreferences() {
  const labels = useSignal<ReadonlyMap<string, string>>(new Map())
  const preferences = useSignal<readonly Preference[] | undefined>(undefined)
  const fault = useSignal<unknown>(undefined)
  useEffect(() => {
    Promise.all([
      take(wire.GET('/api/v1/notifications/kinds')),
      take(wire.GET('/api/v1/notifications/preferences')),
    ]).then(
      ([kinds, found]) => {
        labels.value = new Map(kinds.map(({ Kind, Label }) => [Kind, Label]))
        preferences.value = found
      },
      (thrown: unknown) => (fault.value = thrown),
    )
  }, [])
  const set = async (kind: string, channel: Channel, isOn: boolean): Promise<void> => {
    const before = preferences.value ?? []
    fault.value = undefined
    preferences.value = before.map((each) =>
      each.Kind === kind ? { ...each, [channel]: isOn } : each,
    )
    try {
      const body = { Preferences: [{ Kind: kind, [channel]: isOn }] }
      await take(wire.PUT('/api/v1/notifications/preferences', { body }))
    } catch (thrown) {
      fault.value = thrown
      preferences.value = before
    }
  }
  const found = preferences.value
  return (
    <>
      <section aria-labelledby="account-channels">
        <h2 id="account-channels">{say('channels')}</h2>
        <p class="quiet">{say('channelsHelp')}</p>
        <Fault of={fault.value} />
        {!found && fault.value === undefined && <p class="quiet">{say('loading')}</p>}
        {found && (
          <ChannelTable
            preferences={found}
            nameKind={(kind) => labels.value.get(kind) ?? kind}
            onChange={(kind, channel, isOn) => void set(kind, channel, isOn)}
          />
        )}
      </section>
      <PushSection />
    </>
  )
}

interface ChannelTableProps {
  preferences: readonly Preference[]
  nameKind(kind: string): string
  onChange(kind: string, channel: Channel, isOn: boolean): void
}

function ChannelTable({ preferences, nameKind, onChange }: ChannelTableProps) {
  const now = user.value
  const hasAddress = typeof now === 'object' && now.Email !== null
  return (
    <table class="plain-table channels">
      <thead>
        <tr>
          <th scope="col">{say('channelKind')}</th>
          {CHANNELS.map(({ name }) => (
            <th key={name} scope="col">
              {say(`channel_${name}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {preferences.map((each) => (
          <tr key={each.Kind}>
            <th scope="row">{nameKind(each.Kind)}</th>
            {CHANNELS.map(({ name, isMail }) => (
              <td key={name}>
                <input
                  type="checkbox"
                  class="row-box"
                  aria-label={`${nameKind(each.Kind)}: ${say(`channel_${name}`)}`}
                  checked={each[name]}
                  disabled={isMail && !hasAddress}
                  title={isMail && !hasAddress ? say('noAddress') : undefined}
                  onChange={({ currentTarget }) => onChange(each.Kind, name, currentTarget.checked)}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
