/** The timeline of a record: its comments, and who changed what from what to what, newest first. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { formatInstant, say } from '../../texts/texts.ts'
import { type Schemas, take, wire } from '../../api/wire.ts'
import { followComments } from '../../state/comments.ts'
import { nameDraft } from '../../state/drafts.ts'
import { user } from '../../state/session.ts'
import type { MetadataField } from '../../fields/field-kind.ts'
import { formatField } from '../../fields/kinds.ts'
import { Button } from '../button.tsx'
import { Fault } from '../fault.tsx'
import { CommentBody } from './comment-body.tsx'
import { CommentHead } from './comment-head.tsx'
import { MailFacts } from './mail-facts.tsx'

interface TimelineProps {
  metadata: Schemas['MetadataResult']
  keys: Schemas['FieldValues']
  /** After a save the entries are loaded again. */
  isSaving: boolean
  /** Another one after each load of the record, as behind an action. */
  loaded: unknown
}

type Entry = Schemas['TimelineEntry']

/** Entries of one page, and at most of one that is loaded again. */
const PAGE = 30
const PAGE_MAX = 100

/** Loads the entries of a record, and again as it or its comments change. */
function useEntries({ metadata, keys, isSaving, loaded }: TimelineProps) {
  const shown = useSignal<Schemas['Timeline'] | undefined>(undefined)
  const fault = useSignal<unknown>(undefined)
  const isLoading = useSignal(false)
  const turn = useRef(0)
  const record = { Object: metadata.Name, Keys: keys }
  const name = JSON.stringify(record)
  const load = async (before: string | null): Promise<void> => {
    // Of two loads the later one counts, in whichever order they are answered.
    const mine = ++turn.current
    isLoading.value = true
    const known = shown.peek()?.Entries ?? []
    // Loaded again, as much is shown as was before.
    const Limit = before === null ? Math.min(PAGE_MAX, Math.max(PAGE, known.length)) : PAGE
    try {
      const body = { ...record, Limit, ...(before !== null && { Before: before }) }
      const page = await take(wire.POST('/api/v1/svc/timeline', { body }))
      if (mine !== turn.current) return
      const earlier = before === null ? [] : known
      shown.value = { ...page, Entries: [...earlier, ...page.Entries] }
      fault.value = undefined
    } catch (thrown) {
      if (mine === turn.current) fault.value = thrown
    } finally {
      if (mine === turn.current) isLoading.value = false
    }
  }
  const again = (): void => void load(null)
  useEffect(() => {
    if (isSaving) return undefined
    void load(null)
    return () => void turn.current++
  }, [name, isSaving, loaded])
  useEffect(() => (metadata.Comments ? followComments(record, again) : undefined), [name])
  return { record, shown, fault, isLoading, load, again }
}

/** The entries that are loaded, older ones on demand, and what there is to say behind them. */
export function Timeline(props: TimelineProps) {
  const { metadata, keys } = props
  const { record, shown, fault, isLoading, load, again } = useEntries(props)
  const timeline = shown.value
  const draftOf = (part: string): string => nameCommentDraft(metadata.Slug, keys, part)
  return (
    <>
      {metadata.Comments && <CommentHead record={record} draft={draftOf('new')} onChange={again} />}
      <Fault of={fault.value} />
      {!timeline && isLoading.value && <p class="quiet">{say('loading')}</p>}
      {timeline && (
        <ol class="timeline">
          {nameEntries(timeline.Entries).map(([key, entry]) => (
            <TimelineItem key={key} entry={entry} fields={metadata.Fields}>
              {entry.Comment ? (
                <CommentBody
                  comment={entry.Comment}
                  text={entry.Text ?? ''}
                  draft={draftOf(String(entry.Comment.Id))}
                  onChange={again}
                />
              ) : (
                entry.Mail && <MailFacts mail={entry.Mail} subject={entry.Text} />
              )}
            </TimelineItem>
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

/** Entries with names that they keep as others come in before them: a comment may be in change. */
function nameEntries(entries: readonly Entry[]): [key: string, entry: Entry][] {
  const counts = new Map<string, number>()
  return entries
    .toReversed()
    .map((entry): [string, Entry] => {
      const name = entry.Comment ? `comment ${entry.Comment.Id}` : `${entry.At} ${entry.Kind}`
      const count = counts.get(name) ?? 0
      counts.set(name, count + 1)
      return [`${name} ${count}`, entry]
    })
    .reverse()
}

/** The name of the draft of a comment on a record, or of a change of one. */
function nameCommentDraft(slug: string, keys: Schemas['FieldValues'], part: string): string {
  const signedIn = user.peek()
  if (typeof signedIn !== 'object') return ''
  return nameDraft(signedIn, `comments of ${slug}`, [...Object.values(keys).map(String), part])
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
  action: 'timelineRan',
  comment: 'timelineCommented',
  file: 'timelineFiles',
  workflow: 'timelineMoved',
  mail: 'timelineMailed',
  print: 'timelinePrinted',
} as const

interface ItemProps {
  entry: Entry
  fields: readonly MetadataField[]
  /** The body of a comment or mail, in place of its text. */
  children: ComponentChildren
}

function TimelineItem({ entry, fields, children }: ItemProps) {
  const { At, By, ActedBy, Kind, Text } = entry
  const who = By?.DisplayName ?? say('timelineOther')
  const isInHead = Kind === 'action'
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
        <span>{say(HEADS[Kind], { who, what: Text ?? '' })}</span>
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
      {children || (Text !== null && !isInHead && <p class="timeline-text">{Text}</p>)}
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
