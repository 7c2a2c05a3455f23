/**
 * The record of a print: what its view serves to the caller on any surface, held to company, row
 * filter and field rules by the same statement that reads a form.
 */
import { type FieldErrors, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { dayIn } from '../../kernel/zones.ts'
import type { SqlRead, SqlValue } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import { type FieldCondition, listConditionFields } from '../../model/compiled/field-condition.ts'
import type { Field } from '../../model/compiled/field.ts'
import type { Print } from '../../model/compiled/print.ts'
import type { View } from '../../model/compiled/view.ts'
import { listKeyNames } from '../../model/print-arguments.ts'
import { quote } from '../../model/sql/quote.ts'
import { Bindings } from '../object/bindings.ts'
import { missingRecord } from '../object/form/load-form.ts'
import { readParameters } from '../object/parameters.ts'
import { isServed } from '../object/read/find-view.ts'
import { findLabel } from '../object/read/labels.ts'
import { composeRaw } from '../object/read/masked.ts'
import { composeJsonArray, composeJsonObject, projectPair } from '../object/read/projection.ts'
import { composeOver } from '../object/read/row-forms.ts'
import { noteKeys } from '../object/read/shown-records.ts'
import { bindNames, findSource } from '../object/read/source.ts'
import { filterScope, planParents } from '../object/read/table.ts'
import { takeParameters } from '../object/read/view-parameters.ts'
import { type ConditionEvaluation, holdsWhen } from '../object/rules/field-condition.ts'
import { parseKey, parseValue, toWire } from '../object/value.ts'
import type { ViewUse } from '../object/view-access.ts'

/** A print of a view as a caller uses it. */
export interface PrintUse extends ViewUse {
  print: Print
}

/** The record of a print, within what the caller sees. */
export class PrintRecord {
  readonly use: ViewUse
  /** Values by the name of their field; fields that the caller does not see are left out. */
  readonly values: Readonly<Record<string, unknown>>
  /** Values of fields that Details hold their rows by, seen or not; never shown as text. */
  readonly parents: Readonly<Record<string, unknown>>
  /** Labels of values that are picked from rows, by the lower-case names of their fields. */
  readonly labels: ReadonlyMap<string, string>
  readonly #evaluation: ConditionEvaluation
  readonly #draft: ReadonlyMap<string, SqlValue>

  constructor(
    use: ViewUse,
    values: Readonly<Record<string, unknown>>,
    parents: Readonly<Record<string, unknown>>,
    labels: ReadonlyMap<string, string> = new Map(),
  ) {
    const { view, context } = use
    const zone = context.caller?.timeZone ?? 'UTC'
    this.use = use
    this.values = values
    this.parents = parents
    this.labels = labels
    this.#evaluation = { view, zone, today: dayIn(context.now, zone) }
    this.#draft = new Map(
      Object.entries(values).map(([name, value]) => {
        const field = view.fieldByName.get(name.toLowerCase())
        const parsed = field && parseValue(field, value)
        return [name.toLowerCase(), parsed?.fault === undefined ? (parsed?.value ?? null) : null]
      }),
    )
  }

  /** A field of a name in any case, where the caller sees it. */
  findField(name: string): Field | undefined {
    const field = this.use.view.fieldByName.get(name.toLowerCase())
    return field && field.name in this.values ? field : undefined
  }

  /** Evaluates a condition; false where it depends on a field that the caller does not see. */
  holds(when: FieldCondition | undefined): boolean {
    if (when === undefined) return true
    const isSeen = listConditionFields(when).every((name) => this.findField(name) !== undefined)
    return isSeen && this.#evaluate(when)
  }

  /** Tells whether a form would show the field of this record. */
  shows({ visibleWhen }: Field): boolean {
    return visibleWhen === undefined || this.#evaluate(visibleWhen)
  }

  #evaluate(when: FieldCondition): boolean {
    return holdsWhen(when, this.#draft, this.#evaluation)
  }
}

/**
 * Reads the arguments of a print as parameters of its view: those of the key by any of its names,
 * and those that the view declares. Drops the rest.
 * @throws validation naming each part of the key that is missing
 */
export function readPrintArguments(
  view: View,
  given: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, unknown> {
  const all = readParameters({ ...given })
  const taken = new Map<string, unknown>()
  const faults: FieldErrors = {}
  for (const name of view.parameters.keys()) if (all.has(name)) taken.set(name, all.get(name))
  for (const field of view.keys) {
    const { name } = field
    const by = listKeyNames(view, name).find((each) => !isBlank(all.get(each.toLowerCase())))
    if (by === undefined) faults[name] = say`${name} is required`
    else taken.set(name.toLowerCase(), readKey(field, all.get(by.toLowerCase())))
  }
  if (Object.keys(faults).length > 0) throw validation(faults)
  return taken
}

/** Reads a key: `0400` is 400 when someone looks up who took the record. Other values stay. */
function readKey(field: Field, given: unknown): unknown {
  const parsed = parseKey(field, given)
  return parsed.fault === undefined ? toWire(field, parsed.value) : given
}

/** The key among the arguments of a print, as records of the audit log have it. */
export const listKey = (
  { keys }: View,
  parameters: ReadonlyMap<string, unknown>,
): (string | number)[] =>
  keys.map(({ name }) => {
    const value = parameters.get(name.toLowerCase())
    return typeof value === 'number' ? value : String(value ?? '')
  })

const isBlank = (value: unknown): boolean => value === undefined || value === null || value === ''

/** @throws notFound for a key that the caller's rows do not hold, as for a missing record */
export async function loadPrintRecord(
  reader: Pick<Reader, 'text'>,
  use: PrintUse,
  parameters: ReadonlyMap<string, unknown>,
): Promise<PrintRecord> {
  const text = await reader.text(planRecord(use, parameters))
  noteKeys(use.view, text === '' ? [] : [listKey(use.view, parameters)])
  if (text === '') throw missingRecord()
  const [values, parents] = JSON.parse(text) as [Record<string, unknown>, Record<string, unknown>]
  return new PrintRecord(use, values, parents)
}

function planRecord(
  { print, view, grant, context }: PrintUse,
  parameters: ReadonlyMap<string, unknown>,
): SqlRead {
  const bindings = new Bindings()
  const source = findSource(view, grant, 'read')
  const known = takeParameters(view, grant, parameters)
  bindNames(source.names, bindings, context, { view, parameters: known })
  const where = [planParents(filterScope(view, grant, bindings, context), known)]
  const fields = listFields({ print, view, grant, context })
  const values = composeJsonObject(fields.map((field) => projectPair(field, view, grant)))
  const names = new Set(view.details.flatMap(({ parent }) => parent.map((each) => each.parent)))
  const parents = [...names].map((name) => `'${name}',${composeRaw(view, grant, quote(name))}`)
  const row = composeJsonArray([values, composeJsonObject(parents)])
  const text = composeOver(
    source,
    (form) => `${form.with}SELECT ${row} FROM ${form.from} ${form.where(where)} LIMIT 1`,
  )
  return { ...text, args: bindings.args(), runs: 'lane', of: source.of }
}

/** Fields that the print names and the caller gets, with labels, and fields of their conditions. */
function listFields({ print, view, grant }: PrintUse): Field[] {
  const find = (name: string): Field[] => {
    const field = view.fieldByName.get(name.toLowerCase())
    return field && isServed(view, grant, field) ? [field] : []
  }
  const named = print.fields.flatMap(find)
  const further = named.flatMap((field) => [
    findLabel(view, field) ?? [],
    field.visibleWhen ? listConditionFields(field.visibleWhen).flatMap(find) : [],
  ])
  return [...new Set([...named, ...further.flat()])]
}
