/**
 * Settings: `appsettings.json` in the data folder, overridden by credentials of systemd, by the
 * environment, then by flags.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { choice, type Environment, type Setting, type SettingGroup } from './setting.ts'

/** The source of a setting's value. */
type SettingSource = 'default' | 'appsettings.json' | 'credential' | 'environment' | 'flag'

/** A line of `appengine settings`. */
export interface SettingDescription {
  name: string
  value: string
  default: string
  source: SettingSource
  meaning: string
}

/** A setting that is unknown or malformed. Its message names it; the start stops. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

interface Given {
  text: string
  source: SettingSource
}

/** The setting `Svc:Environment`, which defaults of other settings may follow from. */
export const ENVIRONMENT = choice(
  'Svc:Environment',
  'Production or Development; gives defaults of Svc:Errors, Svc:Swagger:Enabled …',
  ['Production', 'Development'],
  'Production',
)

/** The settings of a run. Frozen: a change needs a new start. */
export class Settings {
  readonly #values: ReadonlyMap<Setting, unknown>
  readonly #given: ReadonlyMap<string, Given>

  constructor(values: ReadonlyMap<Setting, unknown>, given: ReadonlyMap<string, Given>) {
    this.#values = values
    this.#given = given
  }

  /**
   * The value of a setting: milliseconds for durations, bytes for sizes.
   * @throws Error for a setting that no part of the product has declared
   */
  get<T>(setting: Setting<T>): T {
    const value = this.#values.get(setting)
    if (value === undefined) throw new Error(`No part declares the setting ${setting.name}`)
    // The setting itself has parsed it.
    return value as T
  }

  /** Settings of the application's own (`App:…`), by their names in lower case. */
  listApp(): ReadonlyMap<string, string> {
    const own = [...this.#given].filter(([name]) => isApplicationName(name))
    return new Map(own.map(([name, { text }]) => [name.toLowerCase(), text]))
  }

  /** Names of the settings whose values are never shown. */
  listSecrets(): string[] {
    return [...this.#values.keys()].flatMap(({ name, isSecret }) => (isSecret ? [name] : []))
  }

  /** Every setting with its meaning, default and present source; secrets are hidden. */
  describe(): SettingDescription[] {
    const environment = this.get(ENVIRONMENT)
    const own = [...this.#values].map(([setting, value]) => {
      const text = setting.format(value)
      return {
        name: setting.name,
        value: setting.isSecret === true && text !== '' ? HIDDEN : text,
        default: setting.format(presetOf(setting, environment)),
        source: this.#given.get(setting.name)?.source ?? ('default' as const),
        meaning: setting.meaning,
      }
    })
    const application = [...this.#given]
      .filter(([name]) => isApplicationName(name))
      .map(([name, { text, source }]) => ({
        name,
        value: text,
        default: '',
        source,
        meaning: 'A setting of the application',
      }))
    return [...own, ...application]
  }
}

/** The value of a variable that others than the engine name, such as `NOTIFY_SOCKET`. */
export const findVariable = (name: string): string | undefined => process.env[name]

/** The text shown in place of a secret that is set. */
const HIDDEN = '********'

const presetOf = <T>({ default: preset }: Setting<T>, environment: Environment): T =>
  preset instanceof Function ? preset(environment) : preset

export interface SettingsOrigin {
  /** The folder whose `appsettings.json` is read, if it has one. */
  dataFolder: string
  /**
   * Defaults to the process's environment; only names that begin with `Svc__` or `App__` count, and
   * `CREDENTIALS_DIRECTORY`, whose files are settings by the same names.
   */
  env?: Readonly<Record<string, string | undefined>>
  /** `--Svc:Sql:Timeout=10s` as name and value. */
  flags?: Readonly<Record<string, string>>
  /**
   * The environment where `Svc:Environment` is not set: Development under `--demo` and `--watch`.
   */
  environment?: Environment | undefined
}

/**
 * Reads, overrides and checks the settings that the groups declare, in their order. Throws a
 * `SettingError` that names the first fault.
 */
export function loadSettings(origin: SettingsOrigin, groups: readonly SettingGroup[]): Settings {
  const declared = groups.flatMap((group) => Object.values(group))
  const spelling = new Map(declared.map(({ name }) => [name.toLowerCase(), name]))
  const given = new Map<string, Given>()
  const take = (pairs: Iterable<[string, string]>, source: SettingSource): void => {
    for (const [name, text] of pairs)
      given.set(requireName(spelling, name, source), { text, source })
  }
  take(loadFile(join(origin.dataFolder, 'appsettings.json')), 'appsettings.json')
  const env = origin.env ?? process.env
  take(fromCredentials(env['CREDENTIALS_DIRECTORY']), 'credential')
  take(fromEnvironment(env), 'environment')
  take(Object.entries(origin.flags ?? {}), 'flag')
  const environment = parseGiven(ENVIRONMENT, given) ?? origin.environment ?? 'Production'
  const values = new Map<Setting, unknown>()
  for (const setting of declared)
    values.set(setting, parseGiven(setting, given) ?? presetOf(setting, environment))
  values.set(ENVIRONMENT, environment)
  return new Settings(values, given)
}

function parseGiven<T>(setting: Setting<T>, given: ReadonlyMap<string, Given>): T | undefined {
  const found = given.get(setting.name)
  if (!found) return undefined
  const parsed = setting.parse(found.text)
  if ('fault' in parsed)
    throw new SettingError(`Setting ${setting.name} (from ${found.source}): ${parsed.fault}`)
  return parsed.value
}

/** Checks that a name is a setting of the application: `App:Name`. */
export const isApplicationName = (name: string): boolean => /^app:./i.test(name)

function requireName(spelling: Map<string, string>, name: string, source: SettingSource): string {
  const known = spelling.get(name.toLowerCase())
  // However the next source spells it, it is the same setting.
  if (known === undefined && isApplicationName(name)) {
    spelling.set(name.toLowerCase(), name)
    return name
  }
  if (known === undefined)
    throw new SettingError(
      `Unknown setting ${name} (from ${source}); "appengine settings" lists those that there are`,
    )
  return known
}

/** `Svc__Mail__Password`, which is `Svc:Mail:Password`. */
const VARIABLE = /^(?:svc|app)__/i

/** `Svc__Mail__Password_File` names a file with the value: secrets of containers lie in files. */
const IN_FILE = /(?<=[^_])_file$/i

const toSettingName = (variable: string): string => variable.replaceAll('__', ':')

function* fromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Iterable<[string, string]> {
  const variables = Object.entries(env).filter(([name]) => VARIABLE.test(name))
  const direct = new Set(variables.map(([name]) => name.toLowerCase()))
  for (const [name, value] of variables) {
    if (value === undefined) continue
    const of = name.replace(IN_FILE, '')
    if (of === name) yield [toSettingName(name), value]
    else if (direct.has(of.toLowerCase()))
      throw new SettingError(`${of} and ${name} are both set; only one of them may be`)
    else yield [toSettingName(of), readSecret(name, value)]
  }
}

/** Credentials of the service (`LoadCredential=` of systemd) that are settings by their names. */
function* fromCredentials(folder: string | undefined): Iterable<[string, string]> {
  if (folder === undefined) return
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch (error) {
    throw new SettingError(`CREDENTIALS_DIRECTORY ${folder} cannot be read: ${String(error)}`)
  }
  for (const name of names)
    if (VARIABLE.test(name)) yield [toSettingName(name), readSecret(name, join(folder, name))]
}

/** The text of a file, without the line's end that editors and `echo` put there. */
function readSecret(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new SettingError(`${name}: the file ${path} cannot be read: ${String(error)}`)
  }
}

function loadFile(path: string): [string, string][] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw new SettingError(`${path} cannot be read: ${String(error)}`)
  }
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new SettingError(`${path} is no JSON: ${error instanceof Error ? error.message : ''}`)
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new SettingError(`${path} must hold a JSON object`)
  return [...flatten(json, '', path)]
}

/**
 * Nested and flat keys alike: `{"Svc": {"Sql": {"Timeout": "30s"}}}` and `{"Svc:Sql:Timeout":
 * "30s"}`.
 */
function* flatten(node: object, prefix: string, path: string): Iterable<[string, string]> {
  for (const [key, value] of Object.entries(node)) {
    const name = prefix === '' ? key : `${prefix}:${key}`
    if (Array.isArray(value)) yield [name, value.map(String).join(',')]
    else if (typeof value === 'object' && value !== null) yield* flatten(value, name, path)
    else if (value === null) throw new SettingError(`Setting ${name} in ${path} is null`)
    else yield [name, String(value)]
  }
}
