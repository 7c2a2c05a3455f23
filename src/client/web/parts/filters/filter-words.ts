/** Filters in words: `Status is New or Open`, `(Region is Coast or Total is above 100)`. */
import { language, say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import {
  type FilterNode,
  type FilterScalar,
  type GridFilter,
  isGroup,
  isList,
  OPERATORS,
} from '../../state/filter-tree.ts'
import { isChosen } from '../../fields/chosen.ts'
import { sayDateWord } from '../../fields/date-words.ts'
import type { MetadataField } from '../../fields/field-kind.ts'
import { findFilterField } from '../../fields/filter-fields.ts'
import { formatValue, isValueOf, sayOperator, valueKindsOf } from '../../fields/filter-kinds.ts'
import { isWithin, toToldOperator } from '../../fields/operators.ts'

/** The fields of a view, and labels of values as far as they are known. */
export interface WordsScope {
  metadata: Pick<Schemas['MetadataResult'], 'Fields'>
  labelOf(field: MetadataField, value: FilterScalar): string | undefined
}

/** Values of a list that are told one by one. */
export const TOLD_VALUES_MAX = 4

/** A condition or a group in words. */
export function sayFilter(node: FilterNode, scope: WordsScope): string {
  if (!isGroup(node)) return sayCondition(node, scope)
  const word = say(node.Logic === 'or' ? 'filterOr' : 'filterAnd')
  return `(${node.Filters.map((each) => sayFilter(each, scope)).join(` ${word} `)})`
}

function sayCondition(filter: GridFilter, scope: WordsScope): string {
  const { Field, Operator, ValueField } = filter
  const field = findFilterField(scope.metadata, Field)
  const label = field?.Label ?? Field
  if (ValueField !== undefined) {
    const other = findFilterField(scope.metadata, ValueField)?.Label ?? ValueField
    return [label, operatorText(field, Operator), other].join(' ')
  }
  if (OPERATORS[Operator].takes === 'nothing') return `${label} ${operatorText(field, Operator)}`
  const told = toToldOperator(Operator)
  return [label, operatorText(field, told), sayValues(filter, field, scope)].join(' ')
}

const operatorText = (
  field: MetadataField | undefined,
  operator: GridFilter['Operator'],
): string => (field ? sayOperator(field, operator) : say(`operator_${operator}`))

function sayValues(
  { Operator, Value }: GridFilter,
  field: MetadataField | undefined,
  scope: WordsScope,
): string {
  const tell = (value: FilterScalar | null): string =>
    field ? sayValue(field, value, { scope, isWithin: isWithin(Operator) }) : String(value ?? '')
  if (!isList(Value)) return tell(Value)
  const isPair = OPERATORS[Operator].takes === 'pair'
  const told = Value.slice(0, TOLD_VALUES_MAX).map(tell)
  const others = Value.length - told.length
  if (others > 0) told.push(say('filterOthers', { number: others }))
  return join(told, isPair ? 'conjunction' : 'disjunction')
}

const join = (texts: readonly string[], type: Intl.ListFormatType): string =>
  new Intl.ListFormat(language.value, { type }).format(texts)

interface Telling {
  scope: WordsScope
  /** True where the value says when something is, not what it is before or after. */
  isWithin: boolean
}

/** One value: a date word, the label of a key, an option, else as its field shows it. */
function sayValue(
  field: MetadataField,
  value: FilterScalar | null,
  { scope, isWithin }: Telling,
): string {
  if (value === null || value === '') return say('filterValueEmpty')
  const word = valueKindsOf(field).includes('word') ? sayDateWord(value, isWithin) : undefined
  if (word !== undefined) return word
  const label = isChosen(field) ? scope.labelOf(field, value) : undefined
  if (label !== undefined) return label
  return isValueOf(field, value) ? formatValue(field, value) : String(value)
}
