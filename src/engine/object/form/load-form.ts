/** One record for a form or a read-only view, or the defaults of a new one. */
import { notFound } from '../../../kernel/failure.ts'
import { toIsoTime } from '../../../kernel/iso-time.ts'
import { say } from '../../../kernel/messages.ts'
import type { SqlRead, SqlValue } from '../../../store/sql.ts'
import type { FieldFeatures } from '../../../model/compiled/field-features.ts'
import type { Field } from '../../../model/compiled/field.ts'
import { quote } from '../../../model/sql/quote.ts'
import { composeShadowed } from '../../../model/sql/shadow.ts'
import { Bindings } from '../bindings.ts'
import { findFormShape, type FormMode, planFormOf } from './form-plan.ts'
import { mayGiveField } from './option-depends.ts'
import { findPick } from './pick.ts'
import { type Present, takePresent } from './present-values.ts'
import { parseParameter, readParameters } from '../parameters.ts'
import { loadDefault } from '../read/defaults.ts'
import { namesRecord } from '../read/find-view.ts'
import { composeValue, findLabel, isSeen } from '../read/labels.ts'
import { parseCells } from '../read/page-cells.ts'
import { composeRowPermissions, listRowRights, readRowRights } from '../read/permissions.ts'
import { composeJsonObject, projectPair, visibleFields } from '../read/projection.ts'
import type { QueryCache } from '../read/query-cache.ts'
import { composeOver } from '../read/row-forms.ts'
import { noteRows, tellsRows } from '../read/shown-records.ts'
import { bindNames, findSource, mayRunInline, type Source } from '../read/source.ts'
import { takeParameters } from '../read/view-parameters.ts'
import type { FieldRight, FormRequest } from '../schema.ts'
import { parseValue, toWire } from '../value.ts'
import type { ViewAccess, ViewUse } from '../view-access.ts'

type RowRights = Readonly<Record<string, FieldRight>>

const NO_RIGHTS: RowRights = {}

/** One refusal for a missing record and a record that a row filter hides. */
export const missingRecord = () =>
  notFound(say`There is no such record`, { code: 'RECORD_NOT_FOUND' })

/** The view of a form, read through the query cache. */
type FormAccess = ViewAccess<QueryCache>

/** A FormResult as JSON text. @throws notFound for a key that the caller's rows do not hold. */
export async function loadForm(
  access: FormAccess,
  request: FormRequest,
  mode: FormMode,
): Promise<string> {
  const { view, grant, reader } = access
  const parameters = readParameters(request.Parameters)
  if (mode === 'Form' && view.entity && !namesRecord(view, parameters)) {
    const values = await loadNewRecord(access, parameters)
    const may = grant.may('Create')
    return toFormResult(JSON.stringify(values), access, { isNew: true, may, rights: NO_RIGHTS })
  }
  const source = findSource(view, grant, 'read')
  const versions = reader.versionsOf(source.tables)
  const { known, read } = planRead(source, access, { parameters, mode })
  const found = await reader.text(read, versions)
  if (found === '') throw missingRecord()
  const [permitted, flags = '', stored = ''] = parseCells(found)
  const listed = listRowRights(view, grant)
  const rights = listed.length === 0 ? NO_RIGHTS : readRowRights(listed, flags)
  const values = view.formQuery
    ? await loadFormQuery(access, known, { mode, rights }, stored)
    : stored
  noteRows(view, grant.model, values)
  const may = mode === 'Form' && grant.may('Update') && permitted !== '0'
  return toFormResult(values, access, { isNew: false, may, rights })
}

/** The statement, with the parameters that the view knows. */
function planRead(
  source: Source,
  access: FormAccess,
  { parameters, mode }: { parameters: ReadonlyMap<string, unknown>; mode: FormMode },
): { known: ReadonlyMap<string, unknown>; read: SqlRead } {
  const { view, grant } = access
  const shape = findFormShape(source, access, parameters)
  const isKnown = shape.isWhole && view.parameters.size === 0
  const known = isKnown ? parameters : takeParameters(view, grant, parameters)
  const ofKnown = known === parameters ? shape : findFormShape(source, access, known)
  const read = planFormOf(source, ofKnown, access, { parameters: known, mode })
  return { known, read: { ...read, isTold: tellsRows(view, grant.model) } }
}

/**
 * FormQuery only supplies values: the row itself was found by the TableQuery, and what comes of
 * another row, by whatever parameters, is not taken.
 */
async function loadFormQuery(
  access: FormAccess,
  parameters: ReadonlyMap<string, unknown>,
  { mode, rights }: { mode: FormMode; rights: RowRights },
  values: string,
): Promise<string> {
  const { view, grant, context, reader } = access
  const query = view.formQuery
  if (!query) return values
  const outputs = new Set(query.columns.map((column) => column.name.toLowerCase()))
  const fields = visibleFields(view, grant, mode).filter((field) => {
    const name = field.labelOf ?? field.name
    return outputs.has(name.toLowerCase()) && rights[name] !== 'Hidden'
  })
  const shadowScope = grant.allCompanies ? 'all' : 'company'
  const bindings = new Bindings()
  const names = new Set([...query.parameters, 'CurrentCompanyId'])
  const stored = JSON.parse(values) as Record<string, unknown>
  const keys = view.keys.map((key) => [key.name.toLowerCase(), stored[key.name]] as const)
  bindNames(names, bindings, context, { view, parameters: new Map([...parameters, ...keys]) })
  const row = composeJsonObject(fields.map((field) => projectPair(field, view, grant)))
  const own = view.keys
    .filter((key) => outputs.has(key.name.toLowerCase()))
    .map((key) => {
      const value = parseParameter(key.name, view, stored[key.name])
      return `${quote(key.name)} = ${bindings.add(value)}`
    })
  const where = own.length > 0 ? ` WHERE ${own.join(' AND ')}` : ''
  const text = composeShadowed(
    grant.model,
    query.reads,
    shadowScope,
    (head) => `${head}SELECT ${row} FROM (\n${query.text}\n)${where} LIMIT 1`,
  )
  const runs = mayRunInline(query, grant.model) ? 'measured' : 'lane'
  const supplied = await reader.text({ ...text, args: bindings.args(), runs, of: view.name })
  if (supplied === '') throw missingRecord()
  const given = JSON.parse(supplied) as Record<string, unknown>
  return JSON.stringify({ ...stored, ...given, ...(await findMoved(access, stored, given)) })
}

/** Labels of references that the FormQuery gives other values than the stored record. */
async function findMoved(
  access: FormAccess,
  stored: Record<string, unknown>,
  supplied: Record<string, unknown>,
): Promise<Record<string, string | null>> {
  const labels: Record<string, string | null> = {}
  const parameters = new Map(
    Object.entries(supplied).map(([name, value]) => [name.toLowerCase(), value] as const),
  )
  for (const name of Object.keys(supplied)) {
    const label = access.view.fieldByName.get(name.toLowerCase())
    const field = access.view.fieldByName.get(label?.labelOf?.toLowerCase() ?? '')
    if (!field || supplied[field.name] === stored[field.name]) continue
    const parsed = parseValue(field, supplied[field.name])
    const value = parsed.fault === undefined ? parsed.value : null
    labels[name] = (await findPick({ ...access, field, parameters }, value)) ?? null
  }
  return labels
}

/**
 * Defaults, with what the request's Parameters say of fields that the caller may write and of
 * parents. A record is called by its name only where the caller may pick it, or sees it as a
 * parent.
 */
async function loadNewRecord(
  access: FormAccess,
  parameters: ReadonlyMap<string, unknown>,
): Promise<Record<string, unknown>> {
  const { view, grant } = access
  const parents = grant.model.viewIndex.parents.get(view.name)
  const mayGive = ({ name }: FieldFeatures): boolean => mayGiveField(view, grant, name, true)
  const stored = new Map<string, unknown>()
  const present = await takePresent({ ...access, mayGive, parents, stored }, parameters)
  const fields = visibleFields(view, grant, 'Form')
  const own = fields.filter((field) => field.labelOf === undefined && !field.link)
  const defaults = { ...access, parameters: present.values }
  const values: Record<string, unknown> = {}
  const labels = new Map<string, string | null>()
  for (const field of own) {
    const given = mayGive(field) ? givenValue(field, parameters, access) : undefined
    const value = given ?? (await loadDefault(field, defaults))
    values[field.name] = toWire(field, value)
    labels.set(field.name, await findLabelOf({ access, present, field }, given, value))
  }
  return Object.fromEntries(
    fields.map((field) => {
      if (field.link) return [field.name, []]
      const { labelOf } = field
      return [
        field.name,
        labelOf === undefined ? values[field.name] : (labels.get(labelOf) ?? null),
      ]
    }),
  )
}

/** Finds the label of a new record's value; null if the caller may neither pick nor see it. */
async function findLabelOf(
  { access, present, field }: { access: FormAccess; present: Present; field: Field },
  given: SqlValue | undefined,
  value: SqlValue,
): Promise<string | null> {
  const name = field.name.toLowerCase()
  const label = findLabel(access.view, field)
  if (value === null || !label || !isSeen(access.grant, label)) return null
  const parameters = present.values
  if (given === undefined) return (await findPick({ ...access, field, parameters }, value)) ?? null
  if (!parameters.has(name)) return null
  const picked = present.labels.get(name)
  return picked === undefined ? loadLabel(access, field, value) : picked
}

/** Returns the value a request gives a field; a request never decides a record's company. */
function givenValue(
  field: Field,
  parameters: ReadonlyMap<string, unknown>,
  { view, grant }: Pick<ViewUse, 'view' | 'grant'>,
): SqlValue | undefined {
  const isStamped = field.column?.name === view.entity?.company && !grant.allCompanies
  const given = parameters.get(field.name.toLowerCase())
  if (given === undefined || (field.column !== undefined && isStamped)) return undefined
  const parsed = parseValue(field, given)
  return parsed.fault === undefined ? parsed.value : undefined
}

function toFormResult(
  values: string,
  { view, grant, context }: FormAccess,
  { isNew, may, rights }: { isNew: boolean; may: boolean; rights: RowRights },
): string {
  // Seven decimals: milliseconds, four zeros and the Z.
  const loadTime = toIsoTime(context.now).slice(0, -1)
  return (
    `{"Values":${values},"Permissions":${composeRowPermissions(view, grant, rights)},` +
    `"CanSubmit":${may},"FormLoadTime":"${loadTime}0000Z","IsNew":${isNew}}`
  )
}

/**
 * Loads the label of the record that a value refers to, without a gate of its own: for a record
 * that the caller is known to see.
 */
async function loadLabel(
  { reader, view, grant, context }: ViewAccess,
  field: Field,
  value: SqlValue,
): Promise<string | null> {
  const label = findLabel(view, field)
  if (!label) return null
  const bindings = new Bindings()
  const source = findSource(view, grant, 'read')
  bindNames(source.names, bindings, context, { view, parameters: new Map() })
  const row = `SELECT ${bindings.add(value)} AS ${quote(field.name)}`
  const cell = `json_array(${composeValue(label, grant)})`
  const sql = composeOver(source, (form) => `${form.with}SELECT ${cell} FROM (${row})`)
  const read = { ...sql, args: bindings.args(), runs: 'measured' as const, of: source.of }
  const [text] = JSON.parse(await reader.text(read)) as [string | null]
  return text
}
