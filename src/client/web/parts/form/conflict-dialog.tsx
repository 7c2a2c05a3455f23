/** The dialog of a conflict: who changed what, beside what is typed, and whose value is stored. */
import { useSignal } from '@preact/signals'
import { formatInstant, say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import {
  type ConflictField,
  type ConflictValues,
  listConflicts,
  listTheirs,
  type Side,
} from '../../state/conflict.ts'
import type { RecordForm } from '../../state/record-form.ts'
import { formatField } from '../../fields/kinds.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'

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
  const choices = useSignal<Readonly<Record<string, Side>>>({})
  const values = { before: form.stored, mine: form.values.value, theirs }
  const conflicts = listConflicts(form.fields, values)
  const both = conflicts.filter(({ by }) => by === 'both')
  const isChosen = both.every(({ field }) => choices.value[field.Name] !== undefined)
  const takeAll = (side: Side): void => {
    choices.value = Object.fromEntries(both.map(({ field }) => [field.Name, side]))
  }
  const save = (): void => {
    form.settleConflict(listTheirs(conflicts, choices.value))
    if (form.isTouched.value) onSave()
  }
  const who = conflict.ChangedBy ?? say('conflictSomeone')
  const parts = form.parts.filter(({ isChanged }) => isChanged.value)
  return (
    <>
      <p>{tellWho(who, conflict.ChangedAt)}</p>
      {conflicts.length > 0 && (
        <ConflictTable
          who={who}
          conflicts={conflicts}
          values={values}
          choices={choices.value}
          onChoose={(name, side) => (choices.value = { ...choices.value, [name]: side })}
        />
      )}
      {parts.length > 0 && (
        <p class="quiet">
          {say('conflictRows', { details: parts.map(({ detail }) => detail.Label).join(', ') })}
        </p>
      )}
      <div class="buttons">
        <Button
          kind="primary"
          disabled={!isChosen}
          hint={isChosen ? undefined : say('conflictChoose')}
          onClick={save}
        >
          {say('save')}
        </Button>
        {both.length > 0 && (
          <>
            <Button onClick={() => takeAll('mine')}>{say('conflictAllMine')}</Button>
            <Button onClick={() => takeAll('theirs')}>{say('conflictAllTheirs')}</Button>
          </>
        )}
        <Button onClick={onClose}>{say('cancel')}</Button>
      </div>
    </>
  )
}

const tellWho = (who: string, at: string | null): string =>
  at === null ? say('conflictWho', { who }) : say('conflictWhoAt', { who, at: formatInstant(at) })

interface TableProps {
  who: string
  conflicts: readonly ConflictField[]
  values: ConflictValues
  choices: Readonly<Record<string, Side>>
  onChoose(name: string, side: Side): void
}

/** Fields by rows; a field that both changed has a choice between the values of both. */
function ConflictTable({ who, conflicts, values, choices, onChoose }: TableProps) {
  // Without a choice in it, the table itself is what keys scroll.
  const tabIndex = conflicts.some(({ by }) => by === 'both') ? undefined : 0
  return (
    <div class="conflict-frame" tabIndex={tabIndex} role="group" aria-label={say('conflict')}>
      <table class="conflict-table">
        <thead>
          <tr>
            <th scope="col">{say('field')}</th>
            <th scope="col">{say('conflictBefore')}</th>
            <th scope="col">{who}</th>
            <th scope="col">{say('conflictMine')}</th>
          </tr>
        </thead>
        <tbody>
          {conflicts.map((conflict) => (
            <ConflictRow
              key={conflict.field.Name}
              conflict={conflict}
              values={values}
              chosen={conflict.by === 'both' ? choices[conflict.field.Name] : conflict.by}
              who={who}
              onChoose={onChoose}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface RowProps extends Pick<TableProps, 'values' | 'who' | 'onChoose'> {
  conflict: ConflictField
  chosen: Side | undefined
}

function ConflictRow({ conflict: { field, by }, values, chosen, who, onChoose }: RowProps) {
  const { Name, Label } = field
  const cell = (side: Side, head: string) => {
    const text = formatField(field, values[side])
    return (
      <td data-chosen={chosen === side || undefined} data-head={head}>
        {by === 'both' ? (
          <label class="conflict-choice">
            <input
              type="radio"
              name={`conflict-${Name}`}
              checked={chosen === side}
              aria-label={`${Label}, ${head}: ${text === '' ? say('conflictEmpty') : text}`}
              onChange={() => onChoose(Name, side)}
            />
            <ConflictText text={text} />
          </label>
        ) : (
          <ConflictText text={text} />
        )}
      </td>
    )
  }
  return (
    <tr>
      <th scope="row">
        {Label}
        {by !== 'both' && (
          <small>
            {by === 'mine' ? say('conflictOnlyMine') : say('conflictOnlyTheirs', { who })}
          </small>
        )}
      </th>
      <td data-head={say('conflictBefore')}>
        <ConflictText text={formatField(field, values.before)} />
      </td>
      {cell('theirs', who)}
      {cell('mine', say('conflictMine'))}
    </tr>
  )
}

const ConflictText = ({ text }: { text: string }) =>
  text === '' ? <span class="quiet">{say('conflictEmpty')}</span> : <span>{text}</span>
