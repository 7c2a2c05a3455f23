/** How the records of a file are meant: new or stored, found by what, written in which way. */
import { numberFormat, timeFormat } from '../../texts/formats.ts'
import { language, say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { type ImportMode, listKeyFields } from './plan-import.ts'
import type { StepProps } from './step-props.ts'

interface OptionsProps extends Pick<StepProps, 'task'> {
  preview: Schemas['ImportPreview']
}

/** Draws the options. */
export function ImportOptions({ task, preview }: OptionsProps) {
  return (
    <div class="import-options">
      {task.modes.value.length > 1 && <ModeChoice task={task} />}
      <KeyChoice task={task} preview={preview} />
      <CultureChoice task={task} />
    </div>
  )
}

const MODES: Readonly<Record<ImportMode, () => string>> = {
  insert: () => say('importMode_insert'),
  update: () => say('importMode_update'),
  upsert: () => say('importMode_upsert'),
}

function ModeChoice({ task }: Pick<StepProps, 'task'>) {
  return (
    <fieldset class="choices">
      <legend>{say('importMode')}</legend>
      {task.modes.value.map((mode) => (
        <label key={mode}>
          <input
            type="radio"
            name="import-mode"
            checked={task.choice.value.mode === mode}
            onChange={() => task.setMode(mode)}
          />
          {MODES[mode]()}
        </label>
      ))}
    </fieldset>
  )
}

/** Fields that stored records are found by, of those that columns bring. */
function KeyChoice({ task, preview }: OptionsProps) {
  const choice = task.choice.value
  if (choice.mode === 'insert') return null
  const toggle = (field: string): void => {
    const { keyFields } = choice
    const next = keyFields.includes(field)
      ? keyFields.filter((each) => each !== field)
      : [...keyFields, field]
    task.choose({ keyFields: next })
  }
  return (
    <fieldset class="choices">
      <legend>{say('importKeys')}</legend>
      {listKeyFields(preview, choice).map(({ Name, Field, Label }) => (
        <label key={Name}>
          <input
            type="checkbox"
            checked={choice.keyFields.includes(Field)}
            onChange={() => toggle(Field)}
          />
          {Label}
        </label>
      ))}
    </fieldset>
  )
}

/** Ways of writing numbers and dates that files often have. */
const CULTURES = ['de-DE', 'en-GB', 'en-US', 'fr-FR'] as const

const SAMPLE_NUMBER = 1234.5
const SAMPLE_DAY = new Date(2026, 11, 31)

/** A number and a day as a culture writes them: `1.234,5 · 31.12.2026`. */
function sampleOf(culture: string): string {
  const number = numberFormat(culture).format(SAMPLE_NUMBER)
  const day = timeFormat(culture, { year: 'numeric', month: '2-digit', day: '2-digit' })
  return `${number} · ${day.format(SAMPLE_DAY)}`
}

function CultureChoice({ task }: Pick<StepProps, 'task'>) {
  const names = new Intl.DisplayNames(language.value, { type: 'language' })
  return (
    <label class="choice-line">
      <span>{say('importCulture')}</span>
      <select
        class="select"
        value={task.choice.value.culture}
        onChange={(event) => task.choose({ culture: event.currentTarget.value })}
      >
        <option value="">{say('importCultureOwn')}</option>
        {CULTURES.map((culture) => (
          <option key={culture} value={culture}>
            {`${sampleOf(culture)} (${names.of(culture) ?? culture})`}
          </option>
        ))}
      </select>
    </label>
  )
}
