/** One record for a form or a read-only view, or the defaults of a new one. */
import type { Grant } from '../../../access/grant.ts'
import { notFound } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { Field, View } from '../../../model/model.ts'
import { quote } from '../../../model/quote.ts'
import { composeShadowed } from '../../../model/shadow.ts'
import type { SqlRead } from '../../../store/sql.ts'
import { Bindings } from '../bindings.ts'
import type { Context } from '../context.ts'
import { loadDefaults } from './defaults.ts'
import type { KeptReader } from './kept.ts'
import { parseParameter, readParameters } from '../write/parameters.ts'
import { composeOver, type RowForm } from './own-rows.ts'
import { composeJsonObject, projectPair, projectRow, visibleFields } from './projection.ts'
import { askReader } from '../scalar.ts'
import type { FormRequest } from '../schema.ts'
import { bindNames, composeCondition, findSource, mayEarn, type Source } from './source.ts'
import { filterScope, planParents } from './table.ts'
import { takeParameters } from './view-parameters.ts'
import { loadLabels } from '../lookup/unsaved-labels.ts'
import { parseValue, toWire } from '../value.ts'

export type FormMode = 'Form' | 'View'

const SEPARATOR = '\u001e'

/** The same refusal for a record that is not there and one that a row filter hides. */
export const missingRecord = () => notFound(say`No such record`, { code: 'RECORD_NOT_FOUND' })

/** What a form is loaded with. */
export interface FormScope {
  reader: KeptReader
  view: View
  grant: Grant
  context: Context
}

/** A FormResult as JSON text. @throws notFound for a key that the caller's rows do not hold. */
export async function loadForm(
  scope: FormScope,
  request: FormRequest,
  mode: FormMode,
): Promise<string> {
  const { view, grant } = scope
  const parameters = readParameters(request.Parameters)
  if (mode === 'Form' && view.entity && !namesRecord(view, parameters)) {
    const values = await loadNewRecord(scope, parameters)
    return toFormResult(JSON.stringify(values), scope, { isNew: true, may: grant.may('Create') })
  }
  const noted = scope.reader.note(findSource(view, grant, 'read').tables)
  const known = takeParameters(view, grant, parameters)
  const found = await scope.reader.text(planForm(scope, known, mode), noted)
  if (found === '') throw missingRecord()
  const cut = found.lastIndexOf(SEPARATOR)
  const isPermitted = found.slice(cut + 1) !== '0'
  const values = await loadFormQuery(scope, known, mode, found.slice(0, cut))
  const may = mode === 'Form' && grant.may('Update') && isPermitted
  return toFormResult(values, scope, { isNew: false, may })
}

/** Whether all key fields have a value. */
export function namesRecord(view: View, parameters: ReadonlyMap<string, unknown>): boolean {
  return view.keys.every((key) => {
    const value = parameters.get(key.name.toLowerCase())
    return value !== undefined && value !== null && value !== ''
  })
}

/** The first row that the key and parents leave, and whether its Permit of Update holds. */
export function planForm(
  { view, grant, context }: FormScope,
  parameters: ReadonlyMap<string, unknown>,
  mode: FormMode,
): SqlRead {
  const bindings = new Bindings()
  const source = findSource(view, grant, 'read')
  bindNames(source.names, bindings, context, { view, parameters })
  const scope = filterScope(view, grant, bindings, context)
  const where = [planParents(scope, parameters)].filter((part) => part !== '')
  const compose = (form: RowForm): string => {
    const row = projectRow(view, visibleFields(view, grant, mode), grant)
    const permit = view.permits.find((candidate) => candidate.capability === 'Update')
    const permitted = permit ? `coalesce(${composeCondition(permit.when)}, 0) <> 0` : '1'
    const select = `SELECT ${row} || char(30) || (${permitted})`
    return `${form.with}${select} FROM ${form.from} ${form.where(where)} LIMIT 1`
  }
  const text = composeOver(source, compose, (woven) =>
    source.texts.find(mode + where.join(), woven),
  )
  const isByKey = view.keys.length > 0 && namesRecord(view, parameters)
  const quick = isByKey ? formQuickness(view, source) : 'never'
  return { ...text, args: bindings.args(), quick, of: source.of }
}

/** A generated view narrowed to its key is a point read; without a key it may read every row. */
function formQuickness(view: View, source: Source): SqlRead['quick'] {
  const isPlain = source.filter === '' && view.permits.length === 0
  return view.isGenerated && isPlain ? 'always' : source.quick
}

/**
 * FormQuery only supplies values: the row itself was judged on the TableQuery, and what comes of
 * another row, by whatever parameters, is not taken.
 */
async function loadFormQuery(
  scope: FormScope,
  parameters: ReadonlyMap<string, unknown>,
  mode: FormMode,
  values: string,
): Promise<string> {
  const { view, grant, context, reader } = scope
  const query = view.formQuery
  if (!query) return values
  const outputs = new Set(query.columns.map((column) => column.name.toLowerCase()))
  const fields = visibleFields(view, grant, mode).filter((field) =>
    outputs.has((field.labelOf ?? field.name).toLowerCase()),
  )
  const shadowScope = grant.allCompanies ? 'all' : 'company'
  const bindings = new Bindings()
  const names = new Set([...query.parameters, 'CurrentCompanyId'])
  const judged = JSON.parse(values) as Record<string, unknown>
  const keys = view.keys.map((key) => [key.name.toLowerCase(), judged[key.name]] as const)
  bindNames(names, bindings, context, { view, parameters: new Map([...parameters, ...keys]) })
  const row = composeJsonObject(fields.map((field) => projectPair(field, view, grant)))
  const own = view.keys
    .filter((key) => outputs.has(key.name.toLowerCase()))
    .map((key) => {
      const value = parseParameter(key.name, view, judged[key.name])
      return `${quote(key.name)} = ${bindings.add(value)}`
    })
  const where = own.length > 0 ? ` WHERE ${own.join(' AND ')}` : ''
  const text = composeShadowed(
    grant.model,
    query.reads,
    shadowScope,
    (head) => `${head}SELECT ${row} FROM (\n${query.text}\n)${where} LIMIT 1`,
  )
  const quick = mayEarn(query) ? 'earned' : 'never'
  const supplied = await reader.text({ ...text, args: bindings.args(), quick, of: view.name })
  if (supplied === '') throw missingRecord()
  return JSON.stringify({ ...judged, ...JSON.parse(supplied) })
}

/** Defaults, with what the request's Parameters (parents) say already. */
async function loadNewRecord(
  scope: FormScope,
  parameters: ReadonlyMap<string, unknown>,
): Promise<Record<string, unknown>> {
  const { reader, view, grant, context } = scope
  const fields = visibleFields(view, grant, 'Form')
  const own = fields.filter((field) => field.labelOf === undefined && !field.link)
  const ask = askReader(reader)
  const defaults = await loadDefaults(own, { view, grant, context, parameters, ask })
  const stored = new Map(
    own.map((field) => [
      field,
      givenValue(field, parameters, scope) ?? defaults.get(field) ?? null,
    ]),
  )
  const labels = await loadLabels(scope, stored)
  const values: Record<string, unknown> = {}
  for (const field of fields) {
    if (field.link) values[field.name] = []
    else if (field.labelOf === undefined)
      values[field.name] = toWire(field, stored.get(field) ?? null)
    else values[field.name] = labels[field.name] ?? null
  }
  return values
}

/** What a request gives a field; whose company a record is of is never the request's to say. */
function givenValue(
  field: Field,
  parameters: ReadonlyMap<string, unknown>,
  { view, grant }: Pick<FormScope, 'view' | 'grant'>,
) {
  const isStamped = field.column?.name === view.entity?.company && !grant.allCompanies
  const given = parameters.get(field.name.toLowerCase())
  if (given === undefined || (field.column !== undefined && isStamped)) return undefined
  const parsed = parseValue(field, given)
  return parsed.fault === undefined ? parsed.value : undefined
}

function toFormResult(
  values: string,
  { grant, context }: FormScope,
  { isNew, may }: { isNew: boolean; may: boolean },
): string {
  const loadTime = context.now.toISOString().replace('Z', '0000Z')
  return (
    `{"Values":${values},"Permissions":${grant.permissionsJson},` +
    `"CanSubmit":${may},"FormLoadTime":"${loadTime}","IsNew":${isNew}}`
  )
}
