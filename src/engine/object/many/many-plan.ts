/** A bulk edit as its request asks for it: every refusal that needs no record. */
import { createHash } from 'node:crypto'
import { Failure, type FieldErrors, invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import { MB } from '../../../kernel/setting.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Link } from '../../../model/compiled/field.ts'
import { Grant } from '../../../access/rights/grant.ts'
import type { SubmitManyRequest } from '../many-schema.ts'
import type { Mutation } from '../mutation.ts'
import { readParameters } from '../parameters.ts'
import { requireView } from '../read/find-view.ts'
import { keyValues, readKey, requireEntity } from '../record/record.ts'
import { keyText } from '../record/written-row.ts'
import { STAMP } from '../rules/conflict.ts'
import type { EntityUse } from '../view-access.ts'

/** Records of one bulk edit: other writes wait for it, which takes 0.3 ms a record. */
export const MANY_ROWS_MAX = 10_000

/** A record of a bulk edit. */
export interface ManyRow {
  /** In the order of the entity's keys. */
  key: readonly SqlValue[]
  /**
   * Its stamp; of an entity without one a hash of its columns; null where the request does not say
   * how it was.
   */
  mark: string | null
}

/** A bulk edit that passed its gate. */
export interface ManyPlan extends EntityUse {
  request: SubmitManyRequest
  /** Values that each record gets, as they were sent. */
  values: Readonly<Record<string, unknown>>
  /** The lists of keys that it sets. */
  links: readonly Link[]
  skipsBadRows: boolean
  isDryRun: boolean
  /** The records that Keys name; undefined where filters choose them. */
  rows: readonly ManyRow[] | undefined
}

/** Plans a bulk edit. @throws denied, notFound; invalid for what no record is needed to refuse. */
export function planMany(mutation: Mutation, request: SubmitManyRequest): ManyPlan {
  const use = requireUse(mutation, request)
  const isByKeys = requireChoice(request)
  if (!isByKeys) use.grant.requireVerb('View')
  const values = requireValues(use, request)
  return {
    ...use,
    ...toChange(use, request, values),
    isDryRun: request.DryRun === true,
    rows: isByKeys ? requireKeys(mutation, use, request.Keys ?? []) : undefined,
  }
}

function requireUse(
  { caller, model, context }: Mutation,
  { FormName }: Pick<SubmitManyRequest, 'FormName'>,
): EntityUse {
  const view = requireView(model, FormName)
  const grant = Grant.require(caller, model, view.resource, ['Update'])
  return { view, grant, context, entity: requireEntity(view) }
}

const toChange = (
  use: EntityUse,
  request: SubmitManyRequest,
  values: Readonly<Record<string, unknown>>,
) => ({
  request,
  values,
  links: listLinks(use, values),
  skipsBadRows: request.OnError?.toLowerCase() === 'skip',
})

/** The same of records that are kept: those that a job is to change. @throws denied, notFound */
export function planKeptMany(
  mutation: Mutation,
  request: Pick<SubmitManyRequest, 'FormName' | 'Parameters' | 'OnError'>,
): ManyPlan {
  const use = requireUse(mutation, request)
  const values = requireValues(use, request)
  return { ...use, ...toChange(use, request, values), isDryRun: false, rows: undefined }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

/** True for Keys. No choice is not a choice of all: who means all sends `Filters: []`. */
function requireChoice({ Keys, Filters, SearchText, Preset, Token, DryRun }: SubmitManyRequest) {
  const isByFilter = [Filters, SearchText, Preset].some(isGiven)
  if (isGiven(Keys) === isByFilter)
    throw invalid(say`Name the records by Keys, or by Filters, SearchText and Preset`)
  if (isByFilter && DryRun !== true && !isGiven(Token))
    throw invalid(say`Send the Token of a dry run: it says which records are meant`, {
      code: 'TOKEN_REQUIRED',
    })
  return !isByFilter
}

function requireValues({ view }: EntityUse, { Parameters }: SubmitManyRequest) {
  const names = [...readParameters(Parameters).keys()]
  const own = names.find(
    (name) =>
      name === STAMP.toLowerCase() || view.keys.some((key) => key.name.toLowerCase() === name),
  )
  if (own !== undefined)
    throw invalid(say`Parameters hold what the records get. Name the records by Keys.`)
  if (names.every((name) => name === 'formloadtime'))
    throw invalid(say`Parameters must hold a value that the records get`)
  return Parameters ?? {}
}

function listLinks({ view }: EntityUse, values: Readonly<Record<string, unknown>>): Link[] {
  const names = readParameters(values)
  const links = view.linked.flatMap(({ name, link }) =>
    link && names.has(name.toLowerCase()) ? [link] : [],
  )
  return [...new Map(links.map((link) => [link.entity.name, link])).values()]
}

/** @throws invalid naming each key that is not one, and each record that is named twice */
function requireKeys(
  { engine }: Mutation,
  use: EntityUse,
  keys: readonly Readonly<Record<string, unknown>>[],
): ManyRow[] {
  if (keys.length === 0) throw invalid(say`Keys name no record`)
  if (keys.length > MANY_ROWS_MAX) throw tooMany()
  const faults: FieldErrors = {}
  const places = new Map<string, number>()
  const rows: ManyRow[] = []
  for (const [at, each] of keys.entries()) {
    const parameters = readParameters(each)
    const key = readRowKey(use, parameters, (fault) => (faults[`Keys[${at}]`] = fault))
    if (!key) continue
    const stamp = parameters.get(STAMP.toLowerCase())
    const mark = use.entity.concurrency ? readMark(stamp) : null
    if (use.entity.concurrency && mark === null && engine.requireRowVersion)
      faults[`Keys[${at}].${STAMP}`] =
        say`${STAMP} is missing. Send the value that the record was loaded with.`
    const text = keyText(key)
    const first = places.get(text)
    if (first !== undefined) faults[`Keys[${at}]`] = say`This is the record of Keys[${first}] again`
    else places.set(text, at)
    rows.push({ key, mark })
  }
  const [fault] = Object.values(faults)
  if (fault) {
    const isStamp = Object.keys(faults).every((name) => name.endsWith(STAMP))
    const code = isStamp ? 'ROW_VERSION_REQUIRED' : 'VALIDATION_FAILED'
    throw new Failure('validation', fault, { code, fieldErrors: faults })
  }
  return rows
}

/** Bytes that the values of a bulk edit may take in all its records together. */
const BYTES_MAX = 64 * MB

/** Refuses values that would fill the disk, each record having them. @throws invalid */
export function requireModest({ values }: ManyPlan, count: number): void {
  const bytes = Buffer.byteLength(JSON.stringify(values)) * count
  if (bytes <= BYTES_MAX) return
  const [all, most] = [Math.ceil(bytes / MB), BYTES_MAX / MB]
  throw invalid(
    say`The values take ${all} MB in all records together, at most ${most} may be. Choose fewer.`,
    { code: 'TOO_LARGE_VALUES' },
  )
}

/** The refusal of more records than a bulk edit takes. */
export const tooMany = (): Failure =>
  invalid(say`A bulk edit takes at most ${MANY_ROWS_MAX} records. Choose fewer.`, {
    code: 'TOO_MANY_RECORDS',
  })

function readRowKey(
  { view, entity }: EntityUse,
  parameters: ReadonlyMap<string, unknown>,
  refuse: (fault: Failure['text']) => void,
): SqlValue[] | undefined {
  try {
    const key = readKey({ view, entity }, parameters)
    if (key) return keyValues(entity, key)
    refuse(say`The key is missing: ${view.keys.map(({ name }) => name).join(', ')}`)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    refuse(error.text)
  }
  return undefined
}

/** A stamp as it was sent: what is none counts as stale. */
function readMark(given: unknown): string | null {
  if (given === undefined || given === null || given === '') return null
  return typeof given === 'string' || typeof given === 'number' ? String(given) : '-'
}

/**
 * A hash of the choice and the values that a token of a dry run is of, and of the rights that it
 * was made with: a key of the same user with less of them has dry runs of its own.
 */
export function hashRequest({ view, request, grant: { caller } }: ManyPlan): string {
  const { Filters, SearchText, Preset, Parameters } = request
  const { roles, attributes, apiKey, impersonatorId } = caller
  const by = [roles, attributes, apiKey?.id, impersonatorId]
  const parts = [view.name, Filters, SearchText, Preset, Parameters, by].map((each) => each ?? null)
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}
