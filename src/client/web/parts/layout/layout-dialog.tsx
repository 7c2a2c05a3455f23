/** The dialog that arranges a grid: which columns, in which order, how wide, pinned, summed up. */
import { type Signal, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { TOTAL_FUNCTIONS, TREE_NAME } from '../../state/grid-layout.ts'
import { groupsOf, isSummable } from '../../fields/grouping.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { Icon } from '../icon.tsx'
import {
  applyLayout,
  changeColumn,
  type LayoutPlan,
  placeColumn,
  type PlannedColumn,
  readLayout,
  readPin,
  shiftColumn,
  standardLayout,
} from './layout-plan.ts'

type Metadata = Schemas['MetadataResult']

/** Levels of groups that a grid has; the explorer takes more, readers do not. */
const LEVELS_MAX = 3

const WIDTH_MIN = 48
const WIDTH_MAX = 1200

interface LayoutProps {
  metadata: Metadata
  onClose(): void
}

/** Draws the dialog; nothing is another until it is applied. */
export function LayoutDialog({ metadata, onClose }: LayoutProps) {
  const plan = useSignal<LayoutPlan>(readLayout(metadata))
  const hasNone = plan.value.columns.every(({ isShown }) => !isShown)
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (hasNone) return
    applyLayout(plan.value, metadata)
    onClose()
  }
  return (
    <Dialog label={say('layout')} isLarge onClose={onClose}>
      <form class="dialog-form" onSubmit={submit}>
        <h2>{say('layoutOf', { label: metadata.Label })}</h2>
        <GroupChoices metadata={metadata} plan={plan} />
        <ColumnTable plan={plan} />
        <div class="buttons">
          <Button
            kind="primary"
            isSubmit
            disabled={hasNone}
            hint={hasNone ? say('exportNoColumn') : undefined}
          >
            {say('apply')}
          </Button>
          <Button onClick={() => (plan.value = standardLayout(metadata))}>
            {say('layoutStandard')}
          </Button>
          <Button onClick={onClose}>{say('cancel')}</Button>
        </div>
      </form>
    </Dialog>
  )
}

interface PlanProps {
  plan: Signal<LayoutPlan>
}

/** The fields that rows can be grouped by, in words: `Ordered at: month`. */
function listGroups({ Fields, Tree }: Metadata): { name: string; text: string }[] {
  const tree = Tree === null ? [] : [{ name: TREE_NAME, text: say('groupTree') }]
  const fields = Fields.filter(({ In, Hidden }) => In.includes('Grid') && !Hidden).flatMap(
    (field) =>
      groupsOf(field).map((name) => {
        const part = name.split(':')[1] as 'day' | undefined
        const text = part === undefined ? field.Label : `${field.Label}: ${say(`part_${part}`)}`
        return { name, text }
      }),
  )
  return [...tree, ...fields]
}

function GroupChoices({ metadata, plan }: PlanProps & { metadata: Metadata }) {
  const { groups } = plan.value
  const choices = listGroups(metadata)
  if (choices.length === 0) return null
  const choose = (level: number, name: string): void => {
    const next = name === '' ? groups.slice(0, level) : groups.slice(0, level).concat(name)
    const rest =
      name === '' || name === TREE_NAME
        ? []
        : groups.slice(level + 1).filter((each) => each !== name)
    plan.value = { ...plan.value, groups: [...next, ...rest] }
  }
  const isTree = groups[0] === TREE_NAME
  const levels = isTree ? 1 : Math.min(LEVELS_MAX, groups.length + 1)
  return (
    <fieldset class="layout-groups">
      <legend>{say('groupBy')}</legend>
      {Array.from({ length: levels }, (_, level) => (
        <select
          key={level}
          class="select"
          aria-label={say('groupLevel', { level: level + 1 })}
          value={groups[level] ?? ''}
          onChange={(event) => choose(level, event.currentTarget.value)}
        >
          <option value="">{say('groupNone')}</option>
          {choices
            .filter(({ name }) => name !== TREE_NAME || level === 0)
            .filter(({ name }) => name === groups[level] || !groups.includes(name))
            .map(({ name, text }) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
        </select>
      ))}
    </fieldset>
  )
}

function ColumnTable({ plan }: PlanProps) {
  const dragged = useRef<string | undefined>(undefined)
  const { columns } = plan.value
  return (
    <div class="layout-frame">
      <table class="layout-table">
        <thead>
          <tr>
            <th scope="col">{say('column')}</th>
            <th scope="col">{say('columnWidth')}</th>
            <th scope="col">{say('columnPin')}</th>
            <th scope="col">{say('columnTotal')}</th>
            <th scope="col">{say('columnOrder')}</th>
          </tr>
        </thead>
        <tbody>
          {columns.map((column, at) => (
            <ColumnLine
              key={column.field.Name}
              plan={plan}
              column={column}
              at={at}
              last={columns.length - 1}
              dragged={dragged}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface LineProps extends PlanProps {
  column: PlannedColumn
  at: number
  last: number
  dragged: { current: string | undefined }
}

function ColumnLine({ plan, column, at, last, dragged }: LineProps) {
  const { field, isShown } = column
  const name = field.Name
  const change = (changes: Partial<PlannedColumn>): void => {
    plan.value = changeColumn(plan.value, name, changes)
  }
  const drop = (): void => {
    const moved = dragged.current
    if (moved !== undefined) plan.value = placeColumn(plan.value, moved, name)
  }
  return (
    <tr
      draggable
      onDragStart={() => (dragged.current = name)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      <td>
        <label>
          <input type="checkbox" checked={isShown} onChange={() => change({ isShown: !isShown })} />
          {field.Label}
        </label>
      </td>
      <td>
        <WidthInput column={column} onChange={(width) => change({ width })} />
      </td>
      <td>
        <PinChoice column={column} onChange={(pin) => change({ pin })} />
      </td>
      <td>
        {isSummable(field) && (
          <TotalChoice column={column} onChange={(total) => change({ total })} />
        )}
      </td>
      <td class="layout-order">
        <ShiftButton plan={plan} column={column} step={-1} disabled={at === 0} />
        <ShiftButton plan={plan} column={column} step={1} disabled={at === last} />
      </td>
    </tr>
  )
}

interface ChoiceProps<T> {
  column: PlannedColumn
  onChange(value: T): void
}

function PinChoice({ column: { field, pin }, onChange }: ChoiceProps<PlannedColumn['pin']>) {
  return (
    <select
      class="select"
      aria-label={`${field.Label}: ${say('columnPin')}`}
      value={pin ?? ''}
      onChange={(event) => onChange(readPin(event.currentTarget.value))}
    >
      <option value="">{say('pin_none')}</option>
      <option value="start">{say('pin_start')}</option>
      <option value="end">{say('pin_end')}</option>
    </select>
  )
}

function TotalChoice({ column: { field, total }, onChange }: ChoiceProps<string>) {
  return (
    <select
      class="select"
      aria-label={`${field.Label}: ${say('columnTotal')}`}
      value={total}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">{say('total_none')}</option>
      {TOTAL_FUNCTIONS.map((each) => (
        <option key={each} value={each}>
          {say(`total_${each}`)}
        </option>
      ))}
    </select>
  )
}

function WidthInput({ column: { field, width }, onChange }: ChoiceProps<number | undefined>) {
  return (
    <input
      class="select layout-width"
      type="number"
      min={WIDTH_MIN}
      max={WIDTH_MAX}
      aria-label={`${field.Label}: ${say('columnWidth')}`}
      placeholder={say('widthAuto')}
      value={width ?? ''}
      onChange={({ currentTarget: { valueAsNumber } }) =>
        onChange(Number.isNaN(valueAsNumber) ? undefined : valueAsNumber)
      }
    />
  )
}

interface ShiftProps extends PlanProps {
  column: PlannedColumn
  step: 1 | -1
  disabled: boolean
}

function ShiftButton({ plan, column: { field }, step, disabled }: ShiftProps) {
  const text = `${field.Label}: ${say(step < 0 ? 'columnUp' : 'columnDown')}`
  return (
    <button
      type="button"
      class="icon-button"
      title={text}
      aria-label={text}
      aria-disabled={disabled}
      onClick={() => !disabled && (plan.value = shiftColumn(plan.value, field.Name, step))}
    >
      <Icon name={step < 0 ? 'chevron-up' : 'chevron-down'} />
    </button>
  )
}
