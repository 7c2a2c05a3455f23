/** The value that a record has now, with its label: also where it is no option any more. */
import type { Field, View } from '../../../model/model.ts'
import { quote } from '../../../model/quote.ts'
import { Bindings } from '../bindings.ts'
import { isServed, namesRecord } from '../read/find-view.ts'
import { composeValue, findLabel } from './labels.ts'
import { findOption, toText, type OptionRows } from './option-query.ts'
import type { FieldAccess } from './option-rows.ts'
import { parseParameter } from '../parameters.ts'
import { composeOver } from '../read/row-forms.ts'
import { projectField } from '../read/projection.ts'
import { bindNames, findSource } from '../read/source.ts'
import { parseValue, toWire } from '../value.ts'

type Entry = Record<string, string>

/** A field of a view, asked for with the request's own Parameters: they hold the record's key. */
export type RequestedOption = Omit<FieldAccess, 'view'> & { view: View }

/**
 * The entry of the value that Parameters hold, else of the stored record's, unless it is on the
 * page already. What is no option is labelled only where a record that the caller may see has it,
 * so that no label of a hidden record can be asked for by its key.
 */
export async function loadStoredOption(
  requested: RequestedOption,
  rows: OptionRows | undefined,
  options: readonly Entry[],
): Promise<Entry | undefined> {
  const own = requested.view.fieldByName.get(requested.field.name.toLowerCase())
  const stored = own && (await loadStored(requested, own))
  const wanted = readGiven(requested) ?? stored?.Value
  if (wanted === undefined || wanted === '') return undefined
  if (options.some(({ Value }) => Value === wanted)) return undefined
  const option = rows && (await findOption(requested.reader, rows, wanted))
  return option ?? (stored?.Value === wanted ? stored : undefined)
}

function readGiven({ field, parameters }: RequestedOption): string | undefined {
  const given = parameters.get(field.name.toLowerCase())
  if (given === undefined || given === null || Array.isArray(given)) return undefined
  const parsed = parseValue(field, given)
  if (parsed.fault !== undefined || parsed.value === null) return undefined
  return String(toWire(field, parsed.value))
}

/** The field of the record that Parameters name, through the caller's rows. */
async function loadStored(requested: RequestedOption, own: Field): Promise<Entry | undefined> {
  const { reader, view, grant, context, parameters } = requested
  const isAsked = view.keys.length > 0 && namesRecord(view, parameters)
  if (requested.field !== own || !isAsked || !grant.reads || !isServed(view, grant, own)) {
    return undefined
  }
  const source = findSource(view, grant, 'read')
  const bindings = new Bindings()
  bindNames(source.names, bindings, context, { view, parameters })
  const keys = view.keys.map((key) => {
    const value = parseParameter(key.name, view, parameters.get(key.name.toLowerCase()))
    return `${quote(key.name)} = ${bindings.add(value)}`
  })
  const value = toText(projectField(own, view, grant))
  const label = findLabel(view, own)
  const shown = label ? composeValue(label, grant) : value
  const entry = `json_object('Value',coalesce(${value},''),'Label',coalesce(${shown},${value},''))`
  const sql = composeOver(
    source,
    (form) => `${form.with}SELECT ${entry} FROM ${form.from} ${form.where([], keys)} LIMIT 1`,
  )
  const { quick, of } = source
  const found = await reader.text({ ...sql, args: bindings.args(), quick, of })
  return found === '' ? undefined : (JSON.parse(found) as Entry)
}
