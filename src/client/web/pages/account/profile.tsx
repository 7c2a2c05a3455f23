/** Facts of the user, and how the client shows things to them. */
import '@vaadin/combo-box/vaadin-combo-box.js'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { LANGUAGES, language, say, zone } from '../../texts/texts.ts'
import { type Schemas, take, wire } from '../../api/wire.ts'
import { density, setDensity, setTheme, theme } from '../../state/appearance.ts'
import { hasSingleKeys, setSingleKeys } from '../../state/keys.ts'
import { notify } from '../../state/notices.ts'
import { chooseLanguage, user } from '../../state/session.ts'
import { Fault } from '../../parts/fault.tsx'

/** Draws both. */
export function Profile() {
  const now = user.value
  if (typeof now !== 'object') return null
  const facts: readonly [string, string | null][] = [
    [say('name'), now.DisplayName],
    [say('accountUserName'), now.UserName],
    [say('accountEmail'), now.Email],
    [say('company'), now.Company.Name],
    [say('roles'), now.Roles.join(', ')],
  ]
  return (
    <>
      <section>
        <dl class="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value === null || value === '' ? '–' : value}</dd>
            </div>
          ))}
        </dl>
        <p class="quiet">{say('accountFactsHelp')}</p>
      </section>
      <Looks />
    </>
  )
}

/** Language, zone, colours, density and keys. */
function Looks() {
  return (
    <section aria-labelledby="account-looks">
      <h2 id="account-looks">{say('accountLooks')}</h2>
      <div class="account-fields">
        <Choice
          label={say('language')}
          value={language.value.split('-')[0] ?? 'en'}
          choices={Object.entries(LANGUAGES)}
          onChoose={(name) => void chooseLanguage(name)}
        />
        <ZoneChoice />
        <Choice
          label={say('theme')}
          value={theme.value}
          choices={[
            ['system', say('themeSystem')],
            ['light', say('themeLight')],
            ['dark', say('themeDark')],
          ]}
          onChoose={setTheme}
        />
        <Choice
          label={say('density')}
          value={density.value}
          choices={[
            ['comfortable', say('comfortable')],
            ['compact', say('compact')],
          ]}
          onChoose={setDensity}
        />
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={hasSingleKeys.value}
          onChange={({ currentTarget }) => setSingleKeys(currentTarget.checked)}
        />
        {say('singleKeys')}
      </label>
      <p class="quiet">{say('accountLooksHelp')}</p>
    </section>
  )
}

interface ChoiceProps<T extends string> {
  label: string
  value: T
  choices: readonly (readonly [T, string])[]
  onChoose(value: T): void
}

function Choice<T extends string>({ label, value, choices, onChoose }: ChoiceProps<T>) {
  return (
    <label class="stacked">
      {label}
      <select
        class="select"
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = choices.find(([name]) => name === currentTarget.value)
          if (chosen) onChoose(chosen[0])
        }}
      >
        {choices.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

/** `Europe/Berlin (UTC+1)` */
function describeZone({ TimeZone, UtcOffsetMinutes }: Schemas['TimeZone']): string {
  const sign = UtcOffsetMinutes < 0 ? '−' : '+'
  const [hours, minutes] = [Math.abs(UtcOffsetMinutes) / 60, Math.abs(UtcOffsetMinutes) % 60]
  const rest = minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`
  return `${TimeZone.replaceAll('_', ' ')} (UTC${sign}${Math.floor(hours)}${rest})`
}

/** The zone by which instants are shown; without one of the user's own the company's holds. */
function ZoneChoice() {
  const zones = useSignal<{ value: string; label: string }[]>([])
  const own = useSignal<Schemas['EffectiveTimeZone'] | undefined>(undefined)
  const fault = useSignal<unknown>(undefined)
  useEffect(() => {
    Promise.all([
      take(wire.GET('/api/v1/svc/timezone')),
      take(wire.GET('/api/v1/svc/timezone/zones')),
    ]).then(
      ([now, list]) => {
        zones.value = list.map((each) => ({ value: each.TimeZone, label: describeZone(each) }))
        own.value = now
      },
      (thrown: unknown) => (fault.value = thrown),
    )
  }, [])
  const choose = async (TimeZone: string | null): Promise<void> => {
    fault.value = undefined
    try {
      own.value = await take(wire.PUT('/api/v1/svc/timezone', { body: { TimeZone } }))
      zone.value = own.value.TimeZone
      notify(say('saved'))
    } catch (thrown) {
      fault.value = thrown
    }
  }
  const now = own.value
  return (
    <div>
      <vaadin-combo-box
        label={say('timeZone')}
        items={zones.value}
        itemLabelPath="label"
        itemValuePath="value"
        clearButtonVisible
        placeholder={now && say('zoneOfCompany', { zone: now.Company })}
        value={now?.User ?? ''}
        disabled={!now}
        onvalue-changed={({ detail }) => {
          if (now && (detail.value ?? '') !== (now.User ?? ''))
            void choose(detail.value === '' ? null : (detail.value ?? null))
        }}
      />
      <Fault of={fault.value} />
    </div>
  )
}
