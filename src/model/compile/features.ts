/**
 * Features that a column, field, step field, filter or parameter declares, on top of inherited
 * ones.
 */
import { RE2JS } from 're2js'
import { listChildren, placeOf, readCount, readFlag, readText, readWords } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { compileDataSet, compileDefault } from './field-queries.ts'
import { checkLiteral } from './literal.ts'
import { compileLookup } from './lookup.ts'
import type { FieldFeatures, FieldType, Option, Pattern } from '../compiled/field-features.ts'
import { DECIMAL_SCALE_DEFAULT } from '../fields/decimal.ts'
import { compareNumbers, FieldFault } from '../fields/field-kind.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import { TEXT_LENGTH_DEFAULT } from '../fields/text.ts'
import { toWords } from '../names.ts'
import type { Element } from '../parse/element.ts'

/** Sources of an element's features: those it inherits, overrides, and names to bind. */
interface FeatureScope {
  /** The inherited features. */
  base?: FieldFeatures
  /** Name and type where they differ from those of the element. */
  name?: string
  type?: FieldType
  /** Names that Default, DataSet and Lookup queries may bind. */
  names: () => Iterable<string>
}

/** Compiles the features of an element; its queries follow once the gate is open. */
export function compileFeatures(
  c: Compilation,
  element: Element,
  scope: FeatureScope,
): FieldFeatures {
  const base = scope.base
  const name = scope.name ?? readText(element, 'Name') ?? ''
  const type = scope.type ?? (readText(element, 'Type') as FieldType | undefined) ?? base?.type
  const features: FieldFeatures = {
    name,
    label: c.labelOf(element, base?.label ?? labelByName(c, element, name)),
    synonyms: c.findText(element, 'Synonyms') ?? base?.synonyms,
    type: type ?? 'Text',
    required: readFlag(element, 'Required') ?? base?.required ?? false,
    maxLength: readCount(element, 'MaxLength') ?? base?.maxLength,
    keepsBlanks: readText(element, 'Blanks') === 'Keep' || base?.keepsBlanks,
    scale: readCount(element, 'Scale') ?? base?.scale,
    min: readText(element, 'Min') ?? base?.min,
    max: readText(element, 'Max') ?? base?.max,
    pattern: compilePattern(c, element, base?.pattern),
    options: readOptions(c, element) ?? base?.options ?? [],
    format: readText(element, 'Format') ?? base?.format,
    unit: c.findText(element, 'Unit') ?? base?.unit,
    help: c.findText(element, 'Help') ?? base?.help,
    default: base?.default,
    lookup: compileLookup(c, element, scope.names) ?? base?.lookup,
    dataSet: base?.dataSet,
    references: base?.references,
    maxCount: readCount(element, 'MaxCount') ?? base?.maxCount,
    maxBytes: readCount(element, 'MaxBytes') ?? base?.maxBytes,
    accept: element.attributes.Accept ? readWords(element, 'Accept') : (base?.accept ?? []),
    place: element.place,
  }
  completeByType(c, element, features)
  checkValues(c, element, features)
  compileDefault(c, element, features, scope.names)
  compileDataSet(c, element, features, scope.names)
  return features
}

/** The name in words, which other languages need a text for. */
function labelByName(c: Compilation, element: Element, name: string): string {
  c.untitled.add(element)
  return toWords(name)
}

/** Scale, MaxLength and MaxCount have values where the type needs them; no other type has them. */
function completeByType(c: Compilation, element: Element, features: FieldFeatures): void {
  const { isText, number, structure, takesBounds } = FIELD_KINDS[features.type]
  const [isScaled, holdsFiles] = [number === 'scaled', structure === 'files']
  const belongs: [string, boolean][] = [
    ['Scale', isScaled],
    ['Min', takesBounds],
    ['Max', takesBounds],
    ['MaxLength', isText],
    ['Pattern', isText],
    ['Blanks', isText && features.references === undefined],
    ['MaxCount', holdsFiles],
    ['MaxBytes', holdsFiles],
    ['Accept', holdsFiles],
  ]
  for (const [name, fits] of belongs) {
    if (fits || readText(element, name) === undefined) continue
    c.faults.add(placeOf(element, name), `${name} does not belong to the type ${features.type}`)
  }
  features.maxLength = isText ? (features.maxLength ?? TEXT_LENGTH_DEFAULT) : undefined
  features.scale = isScaled ? (features.scale ?? DECIMAL_SCALE_DEFAULT) : undefined
  if (holdsFiles) features.maxCount ??= 1
}

/** Options, Min and Max are values of the type. */
function checkValues(c: Compilation, element: Element, features: FieldFeatures): void {
  for (const option of listChildren(element, 'Option')) {
    checkLiteral(c, option, features, 'Value')
  }
  checkLiteral(c, element, features, 'Min')
  checkLiteral(c, element, features, 'Max')
  const { min, max } = features
  if (min === undefined || max === undefined) return
  const kind = FIELD_KINDS[features.type]
  const [least, greatest] = [kind.parse(min, features), kind.parse(max, features)]
  if (least instanceof FieldFault || greatest instanceof FieldFault) return
  const order = kind.number ? compareNumbers(min, max) : kind.compare(least, greatest)
  if (order > 0) {
    c.faults.add(
      placeOf(element, element.attributes.Min === undefined ? 'Max' : 'Min'),
      'Min is above Max',
    )
  }
}

function readOptions(c: Compilation, element: Element): Option[] | undefined {
  const options = listChildren(element, 'Option')
  if (options.length === 0) return undefined
  return options.map((option) => {
    const value = option.attributes.Value ?? ''
    const synonyms = c.findText(option, 'Synonyms')
    return { value, label: c.labelOf(option, value), ...(synonyms && { synonyms }) }
  })
}

/**
 * The Pattern of an element, or the inherited one with its own message; by a linear engine, and
 * what that refuses is a fault.
 */
function compilePattern(
  c: Compilation,
  element: Element,
  inherited: Pattern | undefined,
): Pattern | undefined {
  const source = readText(element, 'Pattern')
  const message = c.findText(element, 'PatternMessage')
  if (source === undefined) {
    if (message === undefined) return inherited
    if (inherited) return { ...inherited, message }
    c.faults.add(placeOf(element, 'PatternMessage'), 'PatternMessage goes with a Pattern')
    return undefined
  }
  const known = c.patterns.get(source)
  if (known) return { source, message, regex: known }
  try {
    const regex = RE2JS.compile(source)
    c.patterns.set(source, regex)
    return { source, message, regex }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    c.faults.add(
      placeOf(element, 'Pattern'),
      `Pattern is not a regular expression that runs in linear time: ${reason}`,
    )
    return undefined
  }
}
