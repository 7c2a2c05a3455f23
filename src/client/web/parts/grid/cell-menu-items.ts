/** The items of a cell's menu: filters by its value, its text, its record, its column. */
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { addressOf, go, setQuery } from '../../state/address.ts'
import { groupNames } from '../../state/grid-layout.ts'
import { gridQuery } from '../../state/grid-query.ts'
import { gridPermissions } from '../../state/grid-rows.ts'
import { notify } from '../../state/notices.ts'
import type { LookupTarget } from '../../state/objects.ts'
import type { MetadataField } from '../../fields/field-kind.ts'
import { operatorsOf, valueKindsOf } from '../../fields/filter-kinds.ts'
import { groupsOf } from '../../fields/grouping.ts'
import { formatField } from '../../fields/kinds.ts'
import { VALUE_OPERATORS } from '../../fields/operators.ts'
import { copyText } from '../copy-text.ts'
import { addFilter, addGroupFilter } from '../filters/add-filter.ts'
import { beginCellEdit, isEditable } from './cell-edit.ts'
import { type CellMenuTarget, type GridState, HEAD_ROW } from './grid-state.ts'
import { groupText } from './group-text.ts'
import type { MenuItem } from '../menu.tsx'

/** Adds a filter, and has the focus wait for the first line that it leaves. */
function narrow(state: GridState, { column }: CellMenuTarget, add: () => void): void {
  add()
  state.go({ row: 0, column })
}

/** The words of both filters: by the value, by its day, by whether there is one. */
function sayFilters(field: MetadataField, isEmpty: boolean): [string, string] {
  const isPresence = !operatorsOf(field).includes(VALUE_OPERATORS.same)
  if (isEmpty) return [say('cellOnlyEmpty'), say('cellOnlyFilled')]
  if (isPresence) return [say('cellOnlyFilled'), say('cellOnlyEmpty')]
  return valueKindsOf(field).includes('time')
    ? [say('cellFilterDay'), say('cellExcludeDay')]
    : [say('cellFilter'), say('cellExclude')]
}

/** Both filters, and the text of the cell. */
function planValueItems(
  target: CellMenuTarget,
  state: GridState,
  { words, text, add }: { words: [string, string]; text: string; add(isExcluded: boolean): void },
): MenuItem[] {
  return [
    ...words.map((word, at) => ({
      text: word,
      run: () => narrow(state, target, () => add(at === 1)),
    })),
    ...(text === '' ? [] : [{ text: say('cellCopy'), run: () => copy(text) }]),
  ]
}

const copy = (text: string): void =>
  void copyText(text).then(
    () => notify(say('copied')),
    () => notify(say('unexpected'), 'error'),
  )

/** Ways to open the row and to change the value of its cell. */
function planRowItems(
  state: GridState,
  { line, column, field }: CellMenuTarget,
  row: Schemas['FieldValues'],
): MenuItem[] {
  const isTitle = state.isNarrow || column - 1 === state.titleColumn
  const reason =
    gridPermissions.value?.Update === true
      ? say('cellFixed', { label: field.Label })
      : say('noRight')
  return [
    ...(isTitle
      ? [
          {
            text: say('cellNewTab'),
            run: () => void open(state.addressOf(row, line), '_blank', 'noopener'),
          },
        ]
      : []),
    ...(state.isNarrow
      ? []
      : [
          {
            text: say('cellEdit', { label: field.Label }),
            reason: isEditable(field) ? undefined : reason,
            run: () => void beginCellEdit(state),
          },
        ]),
  ]
}

/** The way to the record that the cell refers to. */
function planReference(
  state: GridState,
  { line, field }: CellMenuTarget,
  row: Schemas['FieldValues'],
  referenced: LookupTarget | undefined,
): MenuItem[] {
  const value = row[field.Name]
  if (!referenced || value === null || value === undefined || field.Multiple) return []
  const run = (): void => {
    state.leave(line)
    go(addressOf(['object', referenced.slug, String(value)]))
  }
  return [{ text: say('openRecord', { name: formatField(field, row) }), run }]
}

/** Asks for the rows in another order, or in groups; the focus waits for the first line. */
function arrange(
  state: GridState,
  { line, column }: CellMenuTarget,
  changes: { sort: string } | { group: string | undefined },
): void {
  setQuery({ ...changes, row: undefined })
  state.go({ row: line === HEAD_ROW ? HEAD_ROW : 0, column })
}

/** The order and the groups of the whole grid, by the column of the cell. */
function planColumnItems(state: GridState, target: CellMenuTarget): MenuItem[] {
  const { Name } = target.field
  const direction = gridQuery.value.sort.find(({ Field }) => Field === Name)?.Direction
  const names = groupsOf(target.field)
  const isGrouped = groupNames.value.some((name) => name.split(':')[0] === Name)
  // Of the parts of a date a month is what most look for.
  const group = names.find((name) => name.endsWith(':month')) ?? names[0]
  return [
    {
      text: say('cellSortUp'),
      isChecked: direction === 'asc',
      run: () => arrange(state, target, { sort: Name }),
    },
    {
      text: say('cellSortDown'),
      isChecked: direction === 'desc',
      run: () => arrange(state, target, { sort: `-${Name}` }),
    },
    ...(group === undefined
      ? []
      : [
          {
            text: sayGroup(group, isGrouped),
            run: () => arrange(state, target, { group: isGrouped ? undefined : group }),
          },
        ]),
  ]
}

const sayGroup = (name: string, isGrouped: boolean): string =>
  isGrouped ? say('cellUngroup') : say(name.includes(':') ? 'cellGroupMonth' : 'cellGroup')

/** All items of a cell's menu; the first is below a heading that says what the cell says. */
export function planCellItems(
  state: GridState,
  target: CellMenuTarget,
  referenced: LookupTarget | undefined,
): MenuItem[] {
  const { field, line } = target
  const { row, group } = state.source.at(line) ?? {}
  const column = planColumnItems(state, target)
  if (group) {
    const value = group.facts[group.name] ?? null
    const { text } = groupText(state.metadata, group)
    const words: [string, string] =
      value === null ? sayFilters(field, true) : [say('cellFilter'), say('cellExclude')]
    const add = (isExcluded: boolean): void => addGroupFilter(group.name, value, isExcluded)
    const items = planValueItems(target, state, { words, text: value === null ? '' : text, add })
    return headed(`${field.Label}: ${text}`, [...items, ...column])
  }
  if (!row) return headed(field.Label, column)
  const text = formatField(field, row)
  const add = (isExcluded: boolean): void => addFilter(field, row[field.Name], isExcluded)
  const words = sayFilters(field, text === '')
  return headed(text === '' ? field.Label : `${field.Label}: ${text}`, [
    ...planValueItems(target, state, { words, text, add }),
    ...planRowItems(state, target, row),
    ...column,
    ...planReference(state, target, row, referenced),
  ])
}

const headed = (heading: string, [first, ...others]: readonly MenuItem[]): MenuItem[] =>
  first ? [{ ...first, heading }, ...others] : []
