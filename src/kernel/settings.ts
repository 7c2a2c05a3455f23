/**
 * Settings: `appsettings.json` in the data folder, overridden by the environment, then by flags.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatSetting, parseSetting } from './setting-value.ts'
import { SETTINGS } from './setting-table.ts'
import type { SettingName, SettingShape, SettingValue } from './setting-table.ts'

/** Where a value came from. */
export type SettingSource = 'default' | 'appsettings.json' | 'environment' | 'flag'

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

/** The settings of a run. Frozen: a change needs a new start. */
export class Settings {
  readonly #values: ReadonlyMap<string, unknown>
  readonly #given: ReadonlyMap<string, Given>

  constructor(values: ReadonlyMap<string, unknown>, given: ReadonlyMap<string, Given>) {
    this.#values = values
    this.#given = given
  }

  /** The value of a setting: milliseconds for durations, bytes for sizes. */
  get<N extends SettingName>(name: N): SettingValue<N> {
    // The value was parsed by the setting's own row of the table.
    return this.#values.get(name) as SettingValue<N>
  }

  /** A setting of the application's own (`App:…`), without regard to case. */
  findApp(name: string): string | undefined {
    const key = name.toLowerCase()
    for (const [known, { text }] of this.#given) if (known.toLowerCase() === key) return text
    return undefined
  }

  /** Every setting with its meaning, default and present source; secrets are hidden. */
  describe(): SettingDescription[] {
    const environment = this.get('Svc:Environment')
    const own = Object.entries(SETTINGS).map(([name, row]) => {
      const shape: SettingShape = row
      const preset =
        typeof shape.default === 'function' ? shape.default(environment) : shape.default
      return {
        name,
        value: hide(shape, formatSetting(shape, this.#values.get(name))),
        default: formatSetting(shape, preset),
        source: this.#given.get(name)?.source ?? ('default' as const),
        meaning: shape.meaning,
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

/** What stands for a secret that is set. */
const HIDDEN = '********'

const hide = (shape: SettingShape, text: string): string =>
  shape.kind === 'text' && shape.isSecret && text !== '' ? HIDDEN : text

export interface SettingsOrigin {
  /** Its `appsettings.json` is read, when there is one. */
  dataFolder: string
  /** Defaults to the process's environment; only names that begin with `Svc__` or `App__` count. */
  env?: Readonly<Record<string, string | undefined>>
  /** `--Svc:Sql:Timeout=10s` as name and value. */
  flags?: Readonly<Record<string, string>>
  /**
   * The environment when nobody sets `Svc:Environment`: Development under `--demo` and `--watch`.
   */
  environment?: 'Production' | 'Development'
}

/** Reads, overrides and checks the settings. Throws a `SettingError` that names the first fault. */
export function loadSettings(origin: SettingsOrigin): Settings {
  const given = new Map<string, Given>()
  const take = (pairs: Iterable<[string, string]>, source: SettingSource): void => {
    for (const [name, text] of pairs) given.set(requireName(name, source), { text, source })
  }
  take(loadFile(join(origin.dataFolder, 'appsettings.json')), 'appsettings.json')
  take(fromEnvironment(origin.env ?? process.env), 'environment')
  take(Object.entries(origin.flags ?? {}), 'flag')
  return new Settings(parseAll(given, origin.environment), given)
}

function parseAll(
  given: ReadonlyMap<string, Given>,
  preset: 'Production' | 'Development' = 'Production',
): Map<string, unknown> {
  const parse = (name: string, shape: SettingShape): unknown => {
    const found = given.get(name)
    if (!found) return undefined
    const parsed = parseSetting(shape, found.text)
    if ('fault' in parsed)
      throw new SettingError(`Setting ${name} (from ${found.source}): ${parsed.fault}`)
    return parsed.value
  }
  const stated = parse('Svc:Environment', SETTINGS['Svc:Environment'])
  const environment = (stated ?? preset) === 'Development' ? 'Development' : 'Production'
  const values = new Map<string, unknown>()
  for (const [name, row] of Object.entries(SETTINGS)) {
    const shape: SettingShape = row
    const fallback =
      typeof shape.default === 'function' ? shape.default(environment) : shape.default
    values.set(name, parse(name, shape) ?? fallback)
  }
  values.set('Svc:Environment', environment)
  return values
}

const SPELLING = new Map(Object.keys(SETTINGS).map((name) => [name.toLowerCase(), name]))

const isApplicationName = (name: string): boolean => /^app:./i.test(name)

function requireName(name: string, source: SettingSource): string {
  if (isApplicationName(name)) return name
  const known = SPELLING.get(name.toLowerCase())
  if (known === undefined)
    throw new SettingError(
      `Unknown setting ${name} (from ${source}); "appengine settings" lists those that there are`,
    )
  return known
}

function* fromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Iterable<[string, string]> {
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && /^(svc|app)__/i.test(name)) yield [name.replaceAll('__', ':'), value]
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
