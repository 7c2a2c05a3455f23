/** The timeline of a record: who changed what from what to what, the newest first. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { formatInstant, say } from '../../texts/texts.ts'
import { type Schemas, take, wire } from '../../api/wire.ts'
import type { MetadataField } from '../../fields/field-kind.ts'
import { formatField } from '../../fields/kinds.ts'
import { Button } from '../button.tsx'
import { Fault } from '../fault.tsx'

interface TimelineProps {
  metadata: Schemas['MetadataResult']
  keys: Schemas['FieldValues']
  /** After a save the entries are loaded again. */
  isSaving: boolean
  /** Another one after each load of the record, as behind an action. */
  loaded: unknown
}

type Entry = Schemas['TimelineEntry']

/** The entries that are loaded, older ones on demand, and what there is to say behind them. */
export function Timeline({ metadata, keys, isSaving, loaded }: TimelineProps) {
  const shown = useSignal<Schemas['Timeline'] | undefined>(undefined)
  const fault = useSignal<unknown>(undefined)
  const isLoading = useSignal(false)
  const load = async (before: string | null, gone?: AbortSignal): Promise<void> => {
    isLoading.value = true
    try {
      const body = { Object: metadata.Name, Keys: keys, ...(before !== null && { Before: before }) }
      const page = await take(wire.POST('/api/v1/svc/timeline', { body }))
      if (gone?.aborted) return
      const earlier = before === null ? [] : (shown.value?.Entries ?? [])
      shown.value = { ...page, Entries: [...earlier, ...page.Entries] }
      fault.value = undefined
    } catch (thrown) {
      if (!gone?.aborted) fault.value = thrown
    } finally {
      if (!gone?.aborted) isLoading.value = false
    }
  }
  useEffect(() => {
    if (isSaving) return undefined
    const gone = new AbortController()
    void load(null, gone.signal)
    return () => gone.abort()
  }, [metadata.Name, JSON.stringify(keys), isSaving, loaded])
  const timeline = shown.value
  return (
    <>
      <Fault of={fault.value} />
      {!timeline && isLoading.value && <p class="quiet">{say('loading')}</p>}
      {timeline && (
        <ol class="timeline">
          {timeline.Entries.map((entry, at) => (
            <TimelineItem key={`${entry.At} ${at}`} entry={entry} fields={metadata.Fields} />
          ))}
        </ol>
      )}
      {timeline?.Next != null && (
        <Button disabled={isLoading.value} onClick={() => void load(timeline.Next)}>
          {say('timelineOlder')}
        </Button>
      )}
      {timeline && <TimelineEnd timeline={timeline} />}
    </>
  )
}

/** Says why there is nothing, or nothing older. */
function TimelineEnd({ timeline }: { timeline: Schemas['Timeline'] }) {
  const { Entries, Next, IsAudited, IsArchived } = timeline
  if (Next !== null) return null
  if (IsArchived) return <p class="quiet">{say('timelineArchived')}</p>
  if (Entries.length > 0) return null
  return <p class="quiet">{say(IsAudited ? 'timelineNone' : 'timelineNotKept')}</p>
}

const HEADS = {
  created: 'timelineCreated',
  changed: 'timelineChanged',
  comment: 'timelineCommented',
  file: 'timelineFiles',
  workflow: 'timelineMoved',
  print: 'timelinePrinted',
} as const

function TimelineItem({ entry, fields }: { entry: Entry; fields: readonly MetadataField[] }) {
  const { At, By, ActedBy, Kind, Text } = entry
  const who = By?.DisplayName ?? say('timelineOther')
  const changes = entry.Fields.map((change) => describeChange(change, fields, Kind))
  const list = (
    <dl>
      {changes.map(({ label, text }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
  return (
    <li>
      <div class="timeline-head">
        <span>{say(HEADS[Kind], { who })}</span>
        <time class="quiet" dateTime={At}>
          {formatInstant(At)}
        </time>
      </div>
      {ActedBy && <p class="quiet">{say('timelineActedBy', { who: ActedBy.DisplayName })}</p>}
      {Kind === 'created' && changes.length > 0 ? (
        <details>
          <summary>{say('timelineValues', { count: changes.length })}</summary>
          {list}
        </details>
      ) : (
        changes.length > 0 && list
      )}
      {Text !== null && <p class="timeline-text">{Text}</p>}
    </li>
  )
}

/** A change in words: of a new record its value alone. */
function describeChange(
  change: Schemas['TimelineField'],
  fields: readonly MetadataField[],
  kind: Entry['Kind'],
): { label: string; text: string } {
  const field = fields.find(({ Name }) => Name === change.Field)
  const to = formatSide(field, change.To, change.ToLabel)
  const from = formatSide(field, change.From, change.FromLabel)
  const text = kind === 'created' ? to : say('timelineFromTo', { from, to })
  return { label: change.Label, text }
}

function formatSide(
  field: MetadataField | undefined,
  value: Schemas['JsonValue'],
  label: string | null | undefined,
): string {
  if (value === null) return say('timelineEmpty')
  if (typeof label === 'string') return label
  if (Array.isArray(value)) return value.map(String).join(', ')
  return field ? formatField(field, { [field.Name]: value }) : String(value)
}
