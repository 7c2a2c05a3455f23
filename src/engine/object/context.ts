/**
 * The context parameters that every authored statement may name (src/model/README.md, Context
 * parameters).
 */
import type { Clock } from '../../kernel/clock.ts'
import { Lru } from '../../kernel/lru.ts'
import { composeSpans } from '../../kernel/zone-spans.ts'
import { dayIn, utcOffsetMinutes } from '../../kernel/zones.ts'
import { ZONE_PARAMETER } from '../../store/read/zone-table.ts'
import type { SqlValue } from '../../store/sql.ts'
import {
  type ContextName,
  type DeclaredParameters,
  findDeclared,
} from '../../model/compile/parameters.ts'
import type { FieldType } from '../../model/compiled/field-features.ts'
import { plainShape } from '../../model/fields/field-shape.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { CompanyOfWork } from '../../access/callers/engine-caller.ts'
import { parseValue } from './value.ts'

/** Caller, instant and model of a request: all that a context parameter may depend on. */
export interface Context {
  caller: Caller | undefined
  /** The company of the engine's own work, which has no caller; undefined: no one company. */
  company?: CompanyOfWork | undefined
  now: Date
  /** `@FormLoadTime`; submits only. */
  formLoadTime?: string
  model: Model
}

/** The context of one request: its instant is taken once. */
export const newContext = (engine: { clock: Clock }, caller: Caller, model: Model): Context => ({
  caller,
  now: engine.clock.now(),
  model,
})

const CONTEXT: Readonly<Record<ContextName, (context: Context) => SqlValue>> = {
  CurrentUserId: (c) => c.caller?.userId ?? null,
  CurrentUserName: (c) => c.caller?.userName ?? null,
  CurrentCompanyId: (c) => c.caller?.companyId ?? c.company?.id ?? null,
  CurrentRoles: (c) => JSON.stringify(c.caller?.roles ?? []),
  ImpersonatorId: (c) => c.caller?.impersonatorId ?? null,
  Now: (c) => c.now.toISOString(),
  Today: (c) => dayIn(c.now, zoneOf(c)),
  MonthStart: (c) => `${dayIn(c.now, zoneOf(c)).slice(0, 7)}-01`,
  YearStart: (c) => `${dayIn(c.now, zoneOf(c)).slice(0, 4)}-01-01`,
  TimeZone: zoneOf,
  UtcOffsetMinutes: (c) => utcOffsetMinutes(c.now, zoneOf(c)),
  FormLoadTime: (c) => c.formLoadTime ?? c.now.toISOString(),
}

const BY_NAME: ReadonlyMap<string, (context: Context) => SqlValue> = new Map([
  ...Object.entries(CONTEXT),
  // Bound for SQL that reads svc_zone; authors cannot name it.
  [ZONE_PARAMETER, (c) => composeSpans(zoneOf(c))],
])

function zoneOf(context: Context): string {
  return context.caller?.timeZone ?? context.company?.timeZone ?? 'UTC'
}

/**
 * Spellings by lower-case name: SQL of extensions is not held to one (src/model/README.md, Context
 * parameters).
 */
const SPELLINGS = new Map([...BY_NAME.keys()].map((name) => [name.toLowerCase(), name]))

/** Tells whether a name is a context parameter's, in whatever spelling. */
export const isContextParameter = (name: string): boolean => SPELLINGS.has(name.toLowerCase())

/** Context parameters whose value no two requests share: nothing is kept under it. */
export const INSTANTS: ReadonlySet<string> = new Set<ContextName>(['Now', 'FormLoadTime'])

/** Tells whether a context parameter is the instant of its request, in whatever spelling. */
export const isInstant = (name: string): boolean =>
  INSTANTS.has(SPELLINGS.get(name.toLowerCase()) ?? '')

const NAMES_KEPT = 1000
const NAME_KEPT_MAX = 100
const namesOf = new WeakMap<DeclaredParameters, Lru<string, boolean>>()

/**
 * Tells whether the engine binds a name, which a request can never set: that of a context
 * parameter, or of an attribute or sequence that the model declares.
 */
export function isContextName(name: string, model: DeclaredParameters): boolean {
  if (BY_NAME.has(name)) return true
  let names = namesOf.get(model)
  if (!names) namesOf.set(model, (names = new Lru(NAMES_KEPT)))
  const known = names.find(name)
  if (known !== undefined) return known
  const is = isContextParameter(name) || findDeclared(name, model) !== undefined
  return name.length <= NAME_KEPT_MAX ? names.keep(name, is) : is
}

/**
 * The value of a context parameter; an attribute that the user lacks is NULL and matches nothing.
 */
export function contextValue(name: string, context: Context): SqlValue {
  const known = BY_NAME.get(name)
  if (known) return known(context)
  if (!/^user_/i.test(name)) {
    const spelled = SPELLINGS.get(name.toLowerCase())
    return spelled === undefined ? null : contextValue(spelled, context)
  }
  const attribute = spellAttribute(name.slice('User_'.length), context)
  const value = context.caller?.attributes[attribute]
  if (value === undefined) return null
  return parseAttribute(context.model.attributes.get(attribute) ?? 'Text', value)
}

/** An attribute as the model declares it, by its name in any case. */
function spellAttribute(name: string, { model, caller }: Context): string {
  if (caller?.attributes[name] !== undefined || model.attributes.has(name)) return name
  const key = name.toLowerCase()
  return [...model.attributes.keys()].find((each) => each.toLowerCase() === key) ?? name
}

/** An attribute is a text that a user typed: one that does not fit its type counts as missing. */
function parseAttribute(type: FieldType, value: string): SqlValue {
  const parsed = parseValue(plainShape('Attribute', type), value)
  return parsed.fault === undefined ? parsed.value : null
}
