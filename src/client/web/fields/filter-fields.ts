/** Fields that rows are filtered by: those of a view, labels of references, parts of dates. */
import { say } from '../texts/texts.ts'
import type { Schemas } from '../api/wire.ts'
import { isChosen } from './chosen.ts'
import type { MetadataField } from './field-kind.ts'

type Fields = Pick<Schemas['MetadataResult'], 'Fields'>

const DATE_PARTS = ['hour', 'day', 'weekday', 'week', 'month', 'quarter', 'year'] as const

/** A field that holds what it shows, with nothing to choose from. */
const toPlainText = (field: MetadataField, Name: string): MetadataField => ({
  ...field,
  Name,
  Type: 'Text',
  Format: null,
  Options: [],
  Lookup: null,
  DataSet: null,
  References: null,
  LabelField: null,
  Multiple: false,
})

/** The label of a reference as a field of its own, which is searched as text. */
export const toLabelField = (field: MetadataField): MetadataField | undefined =>
  field.LabelField === null || field.Multiple ? undefined : toPlainText(field, field.LabelField)

/**
 * The field that a filter names: `CustomerId`, `CustomerId__Label`, `OrderedAt:weekday`. Undefined
 * for one that the view has not.
 */
export function findFilterField({ Fields }: Fields, name: string): MetadataField | undefined {
  const key = name.toLowerCase()
  const field = Fields.find(({ Name }) => Name.toLowerCase() === key)
  if (field) return field
  const labelled = Fields.find(({ LabelField }) => LabelField?.toLowerCase() === key)
  if (labelled) return toLabelField(labelled)
  const [start = '', word] = key.split(':')
  const dated = Fields.find(({ Name }) => Name.toLowerCase() === start)
  const part = DATE_PARTS.find((each) => each === word)
  if (!dated || !part) return undefined
  const Label = say('labelPart', { label: dated.Label, part: say(`datePart_${part}`) })
  return { ...toPlainText(dated, name), Label }
}

/** The field of the view that a filter is over: itself, or the one whose label it searches. */
export const findBaseField = ({ Fields }: Fields, name: string): MetadataField | undefined =>
  Fields.find(({ Name, LabelField }) => Name === name || LabelField === name)

/**
 * Fields that a filter offers, those of the grid first. Of two with one label, the name of a record
 * and its key, the one that is chosen from a list: it is searched as text, too.
 */
export function listFilterFields({ Fields }: Fields): MetadataField[] {
  const shown = Fields.filter(({ Hidden, Stamp }) => !Hidden && !Stamp)
  const [inGrid, others] = [true, false].map((isIn) =>
    shown.filter(({ In }) => In.includes('Grid') === isIn),
  )
  const all = [...(inGrid ?? []), ...(others ?? [])]
  const isTaken = (field: MetadataField, at: number): boolean =>
    all.some((other, place) => {
      if (other === field || other.Label !== field.Label) return false
      return isChosen(other) === isChosen(field) ? place < at : isChosen(other)
    })
  return all.filter((field, at) => !isTaken(field, at))
}
