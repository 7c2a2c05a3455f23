/**
 * The `@` parameters that an authored statement may name (src/model/README.md, Context parameters).
 */
import { ZONE_PARAMETER } from '../../store/read/zone-table.ts'
import { suggest } from './fault-list.ts'
import { checkFormer, FORMER_PREFIX, IS_NEW } from './former-names.ts'
import type { FieldType } from '../compiled/field-features.ts'

/** A parameter that the engine binds, with its meaning for the reference. */
interface ContextParameter {
  type: FieldType
  meaning: string
}

/** Context parameters; `@User_…` and `@Next_…` come on top. */
export const CONTEXT_PARAMETERS = {
  CurrentUserId: { type: 'Integer', meaning: 'The caller: the Id in svc_users.' },
  CurrentUserName: { type: 'Text', meaning: 'The user name of the caller.' },
  CurrentCompanyId: { type: 'Integer', meaning: 'The company in which the caller works.' },
  CurrentRoles: { type: 'Json', meaning: 'The roles of the caller in it, a JSON array of names.' },
  ImpersonatorId: {
    type: 'Integer',
    meaning: 'The user who acts as the caller; NULL if there is none.',
  },
  Now: { type: 'DateTime', meaning: 'The instant of the request, in UTC; it is taken once.' },
  Today: { type: 'Date', meaning: "The day of Now in the caller's time zone." },
  MonthStart: { type: 'Date', meaning: 'The first day of the month of Today.' },
  YearStart: { type: 'Date', meaning: 'The first day of the year of Today.' },
  TimeZone: { type: 'Text', meaning: "The IANA name of the caller's time zone." },
  UtcOffsetMinutes: { type: 'Integer', meaning: 'How far that zone is from UTC at Now.' },
  FormLoadTime: {
    type: 'DateTime',
    meaning: 'When the form was loaded, as the client says in a submit; elsewhere Now.',
  },
} as const satisfies Readonly<Record<string, ContextParameter>>

/** A name that every statement may bind. */
export type ContextName = keyof typeof CONTEXT_PARAMETERS

const CONTEXT_TYPES: ReadonlyMap<string, FieldType> = new Map(
  Object.entries(CONTEXT_PARAMETERS).map(([name, { type }]) => [name, type]),
)
const CONTEXT_NAMES = [...CONTEXT_TYPES.keys()]

/** Finds the type of a context parameter; undefined for any other name. */
export const findContextType = (name: string): FieldType | undefined => CONTEXT_TYPES.get(name)
/** The same by the name in lower case. */
export const contextTypeOf = (key: string): FieldType | undefined =>
  CONTEXT_TYPES.get(CONTEXT_BY_KEY.get(key) ?? '')

const CONTEXT_BY_KEY = new Map(CONTEXT_NAMES.map((name) => [name.toLowerCase(), name]))
const USER_PREFIX = 'User_'
const NEXT_PREFIX = 'Next_'

/** Parameters that are bound by the form of their name, for the reference. */
export const FORMED_PARAMETERS: Readonly<Record<string, string>> = {
  [`${USER_PREFIX}<Attribute>`]:
    'A declared attribute of the caller; NULL where they lack it, which matches nothing.',
  [`${NEXT_PREFIX}<Sequence>`]:
    'The next number of a declared Sequence, drawn in this transaction; in statements that write.',
  [`${FORMER_PREFIX}<Column>`]:
    'What the column of the record held before this change, NULL on create; where a record is ' +
    'written: Validate, On, Compute.',
  [IS_NEW]: '1 where the change creates the record, else 0; in the same places.',
}

/** Names that a statement may use beside the context. */
export interface ParameterScope {
  /** Names of fields, parameters and results; matched without regard to case. */
  names: () => Iterable<string>
  /** True when it may name its own output columns: a request's Parameters of their names bind. */
  namesOutputs: boolean
  /** True when the statement writes, so that `@Next_…` may draw a number. */
  writes: boolean
  /** Columns of the record that it is about, for `@Old_<Column>` and `@IsNew`. */
  columns?: Columns | undefined
  /** Known types of the names, by lower-case name. */
  types?: ReadonlyMap<string, FieldType> | undefined
  /** True when its value is stored for all readers, and so independent of a caller's zone. */
  isKept?: boolean | undefined
}

/** Names of columns, once they are known. */
export type Columns = () => Iterable<string>

/** Declarations of the model about parameters. */
export interface DeclaredParameters {
  attributes: ReadonlyMap<string, FieldType>
  sequences: ReadonlyMap<string, unknown>
  /** Kinds of scripts with faults, while a model is compiled. */
  faulty?: { hasEntity: boolean; hasRbac: boolean }
}

/** Context parameters only: conditions on rows. */
export const CONTEXT_ONLY: ParameterScope = { names: () => [], namesOutputs: false, writes: false }

/** A query of a view: its own output columns, and the Parameters that the view declares. */
export function queryScope(names: () => Iterable<string>): ParameterScope {
  return { names, namesOutputs: true, writes: false }
}

/** The context and these names. */
export function scopeOf(
  names: () => Iterable<string>,
  further: Partial<Omit<ParameterScope, 'names' | 'namesOutputs'>> = {},
): ParameterScope {
  const { writes = false, columns, types, isKept } = further
  return { names, namesOutputs: false, writes, columns, types, isKept }
}

/** Returns the types of declared things, by lower-case name. */
export const typesOf = (
  declared: Iterable<{ name: string; type: FieldType }>,
): ReadonlyMap<string, FieldType> =>
  new Map([...declared].map(({ name, type }) => [name.toLowerCase(), type]))

/**
 * Says which value of its own the engine binds by a name, so that no column and no request can bear
 * it: a context parameter, or a declared attribute or sequence. Undefined where the name is free.
 */
export function findReserved(name: string, declared: DeclaredParameters): string | undefined {
  if (CONTEXT_BY_KEY.has(name.toLowerCase())) return 'a context parameter'
  const found = findDeclared(name, declared)
  return found && `the ${found.kind} ${found.name}`
}

/** Finds the declared attribute or sequence that a name binds, in whatever case it is written. */
export function findDeclared(
  name: string,
  { attributes, sequences }: DeclaredParameters,
): { kind: 'user attribute' | 'Sequence'; name: string } | undefined {
  const key = name.toLowerCase()
  const find = (prefix: string, names: ReadonlyMap<string, unknown>): string | undefined => {
    if (!key.startsWith(prefix.toLowerCase())) return undefined
    const written = name.slice(prefix.length)
    if (names.has(written)) return written
    return names.keys().find((each) => each.toLowerCase() === written.toLowerCase())
  }
  const attribute = find(USER_PREFIX, attributes)
  if (attribute !== undefined) return { kind: 'user attribute', name: attribute }
  const sequence = find(NEXT_PREFIX, sequences)
  return sequence === undefined ? undefined : { kind: 'Sequence', name: sequence }
}

/** Checks a statement's parameter: the fault, or undefined when it is known. */
export function checkParameter(
  name: string,
  scope: ParameterScope,
  declared: DeclaredParameters,
  outputs: readonly string[] = [],
): string | undefined {
  // The gate lets no author write it.
  if (name === ZONE_PARAMETER) return undefined
  if (name.startsWith('_')) return `@${name} is reserved for the engine: begin with a letter`
  const context = CONTEXT_BY_KEY.get(name.toLowerCase())
  if (context !== undefined) return context === name ? undefined : `Write @${context} for @${name}`
  const key = name.toLowerCase()
  const drawn = findDeclared(name, declared)
  if (drawn?.kind === 'user attribute') return checkAttribute(name, drawn.name)
  if (drawn) return checkSequence(name, drawn.name, scope)
  const names = [...scope.names(), ...(scope.namesOutputs ? outputs : [])]
  if (names.some((known) => known.toLowerCase() === key)) return undefined
  if (key.startsWith(USER_PREFIX.toLowerCase())) return missAttribute(name, declared)
  if (key.startsWith(NEXT_PREFIX.toLowerCase())) return missSequence(name, declared)
  const former = scope.columns ? checkFormer(name, scope.columns()) : null
  if (former !== null) return former
  const attributes = [...declared.attributes.keys()].map((each) => `${USER_PREFIX}${each}`)
  const nearest = suggest(name, [...names, ...CONTEXT_NAMES, ...attributes])
  return `There is no parameter @${name}${nearest}`
}

const checkAttribute = (name: string, attribute: string): string | undefined =>
  checkSpelling(name, `${USER_PREFIX}${attribute}`)

const checkSpelling = (name: string, wanted: string): string | undefined =>
  name === wanted ? undefined : `Write @${wanted} for @${name}`

function checkSequence(name: string, sequence: string, scope: ParameterScope): string | undefined {
  const fault = checkSpelling(name, `${NEXT_PREFIX}${sequence}`)
  if (fault !== undefined || scope.writes) return fault
  return `@${name} draws a number: only statements that write may name it`
}

/** The fault of a name that looks like an attribute's; none while its Rbac may be faulty. */
function missAttribute(
  name: string,
  { attributes, faulty }: DeclaredParameters,
): string | undefined {
  if (name.startsWith(USER_PREFIX) && faulty?.hasRbac) return undefined
  const attribute = name.slice(USER_PREFIX.length)
  const declare = `declare <UserAttribute Name="${attribute}"/> in Rbac`
  const nearest = suggest(attribute, attributes.keys())
  return `@${name} names no declared user attribute: ${declare}${nearest}`
}

/** The same of a sequence. */
function missSequence(name: string, { sequences, faulty }: DeclaredParameters): string | undefined {
  if (name.startsWith(NEXT_PREFIX) && faulty?.hasEntity) return undefined
  const nearest = suggest(name.slice(NEXT_PREFIX.length), sequences.keys())
  return `@${name} names no declared Sequence${nearest}`
}
