/** The dialog of a conflict: who changed what, beside what is typed, and whose value is stored. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { formatInstant, say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { listConflicts, listTheirs, type Side } from '../../state/conflict.ts'
import type { RecordForm, RecordPart } from '../../state/record-form.ts'
import { type Choices, listRowChoices } from '../../state/row-conflicts.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { type ConflictLine, lineOfField, listRowLines } from './conflict-lines.ts'
import { ConflictTable } from './conflict-table.tsx'

type Conflict = Schemas['Conflict']

interface ConflictProps {
  form: RecordForm
  conflict: Conflict
  /** Saves what is typed now. */
  onSave(): void
}

/** Draws the dialog; closed without a choice, all that was typed stays as it is. */
export function ConflictDialog({ form, conflict, onSave }: ConflictProps) {
  const close = (): void => {
    form.conflict.value = undefined
  }
  return (
    <Dialog isLarge label={say('conflict')} onClose={close}>
      <div class="dialog-form">
        <h2>{say('conflict')}</h2>
        {conflict.Current === null ? (
          <ConflictGone onClose={close} />
        ) : (
          <ConflictChoice
            form={form}
            conflict={conflict}
            theirs={conflict.Current}
            onClose={close}
            onSave={onSave}
          />
        )}
      </div>
    </Dialog>
  )
}

/** The record is stored, but not among those that the user may see any more. */
function ConflictGone({ onClose }: { onClose(): void }) {
  return (
    <>
      <p>{say('conflictGone')}</p>
      <div class="buttons">
        <Button kind="primary" onClick={onClose}>
          {say('close')}
        </Button>
      </div>
    </>
  )
}

interface ChoiceProps extends ConflictProps {
  theirs: Schemas['FieldValues']
  onClose(): void
}

function ConflictChoice({ form, conflict, theirs, onClose, onSave }: ChoiceProps) {
  const choices = useSignal<Choices>({})
  const values = { before: form.stored, mine: form.values.value, theirs }
  const conflicts = listConflicts(form.fields, values)
  const parts = form.parts.filter(({ isChanged }) => isChanged.value)
  const both = [
    ...conflicts.filter(({ by }) => by === 'both').map(({ field: { Name } }) => Name),
    ...parts.flatMap((part) => (part.conflict.value ? listRowChoices(part.conflict.value) : [])),
  ]
  const takeAll = (side: Side): void => {
    choices.value = Object.fromEntries(both.map((name) => [name, side]))
  }
  const save = (): void => {
    form.settleConflict(listTheirs(conflicts, choices.value), choices.value)
    if (form.isTouched.value) onSave()
  }
  const who = conflict.ChangedBy ?? say('conflictSomeone')
  const table = (label: string, lines: readonly ConflictLine[]) => (
    <ConflictTable
      label={label}
      who={who}
      lines={lines}
      choices={choices.value}
      onChoose={(name, side) => (choices.value = { ...choices.value, [name]: side })}
    />
  )
  return (
    <>
      <p>{tellWho(who, conflict.ChangedAt)}</p>
      {/* Without a choice in it, the frame itself is what keys scroll. */}
      <div
        class="conflict-parts"
        role="group"
        aria-label={say('conflict')}
        tabIndex={both.length === 0 ? 0 : undefined}
      >
        {conflicts.length > 0 &&
          table(
            form.metadata.Label,
            conflicts.map((each) => lineOfField(each, values)),
          )}
        {parts.map((part) => (
          <ConflictRows key={part.detail.Name} part={part} table={table} />
        ))}
      </div>
      <ChoiceButtons
        isChosen={both.every((name) => choices.value[name] !== undefined)}
        onSave={save}
        onTakeAll={both.length > 0 ? takeAll : undefined}
        onClose={onClose}
      />
    </>
  )
}

interface ChoiceButtonsProps {
  isChosen: boolean
  onSave(): void
  /** Undefined where there is nothing to choose. */
  onTakeAll: ((side: Side) => void) | undefined
  onClose(): void
}

function ChoiceButtons({ isChosen, onSave, onTakeAll, onClose }: ChoiceButtonsProps) {
  return (
    <div class="buttons">
      <Button
        kind="primary"
        disabled={!isChosen}
        hint={isChosen ? undefined : say('conflictChoose')}
        onClick={onSave}
      >
        {say('save')}
      </Button>
      {onTakeAll && (
        <>
          <Button onClick={() => onTakeAll('mine')}>{say('conflictAllMine')}</Button>
          <Button onClick={() => onTakeAll('theirs')}>{say('conflictAllTheirs')}</Button>
        </>
      )}
      <Button onClick={onClose}>{say('cancel')}</Button>
    </div>
  )
}

const tellWho = (who: string, at: string | null): string =>
  at === null ? say('conflictWho', { who }) : say('conflictWhoAt', { who, at: formatInstant(at) })

/** Lines of rows that are drawn; the choice of all is for those beyond, too. */
const LINES_MAX = 200

interface RowsProps {
  part: RecordPart
  table(label: string, lines: readonly ConflictLine[]): ComponentChildren
}

/** The rows of one detail: those of both to choose from, and what others alone did in words. */
function ConflictRows({ part: { detail, fields, conflict }, table }: RowsProps) {
  if (!conflict.value) return null
  const { rows, others } = conflict.value
  const lines = rows.flatMap((row) => listRowLines(row, fields.value))
  const told = [
    others.changed > 0 && say('conflictRowsChanged', { count: others.changed }),
    others.added > 0 && say('conflictRowsAdded', { count: others.added }),
    others.deleted > 0 && say('conflictRowsDeleted', { count: others.deleted }),
  ].filter((each) => each !== false)
  return (
    <section class="conflict-part">
      <h3>{detail.Label}</h3>
      {lines.length > 0 && table(detail.Label, lines.slice(0, LINES_MAX))}
      {lines.length > LINES_MAX && (
        <p class="quiet">{say('conflictMore', { count: lines.length - LINES_MAX })}</p>
      )}
      <p class="quiet">
        {[...told, say(lines.length > 0 ? 'conflictRowsElse' : 'conflictRowsAll')].join(' ')}
      </p>
    </section>
  )
}
