/** Every setting: its type, its bounds, its default and what it does. */

export type Environment = 'Production' | 'Development'

/** What all settings have; a default may follow from `Svc:Environment`. */
interface Described<Kind extends string, T> {
  kind: Kind
  meaning: string
  default: T | ((environment: Environment) => T)
}

/**
 * `duration` is in milliseconds; `bytes` reads `8MB` and plain numbers; `list` is comma-separated.
 */
export type SettingShape =
  | (Described<'duration', number> & { min: number; max: number })
  | (Described<'integer', number> & { min: number; max: number })
  | (Described<'bytes', number> & { min: number; max: number })
  | Described<'boolean', boolean>
  | (Described<'text', string> & { pattern?: RegExp; expected?: string })
  | (Described<'list', readonly string[]> & { each: RegExp; expected: string })
  | (Described<'choice', string> & { choices: readonly string[] })

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MB = 1024 * 1024

const duration = (meaning: string, ms: number, min: number, max: number) =>
  ({ kind: 'duration', meaning, default: ms, min, max }) as const
const integer = (meaning: string, value: number, min: number, max: number) =>
  ({ kind: 'integer', meaning, default: value, min, max }) as const
const boolean = (meaning: string, value: boolean | ((environment: Environment) => boolean)) =>
  ({ kind: 'boolean', meaning, default: value }) as const
const text = (meaning: string, value: string) =>
  ({ kind: 'text', meaning, default: value }) as const
const list = (meaning: string, each: RegExp, expected: string) =>
  ({ kind: 'list', meaning, default: [] as readonly string[], each, expected }) as const

const inDevelopment = (environment: Environment): boolean => environment === 'Development'

/**
 * The settings by name. A name that is not here, and not of the application (`App:`), stops the
 * start.
 */
export const SETTINGS = {
  'Svc:Environment': {
    kind: 'choice',
    meaning: 'Production or Development; gives the defaults of Svc:Errors and Svc:Swagger:Enabled',
    default: 'Production',
    choices: ['Production', 'Development'],
  },
  'Svc:Language': {
    kind: 'text',
    meaning: 'Language of answers where Accept-Language names none that there is, such as en',
    default: 'en',
    pattern: /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/,
    expected: 'a language tag like en or pt-BR',
  },
  'Svc:Errors': boolean('Whether a 5xx answer tells its real message', inDevelopment),
  'Svc:Swagger:Enabled': boolean(
    'Whether /swagger and /swagger/json are served, to everyone',
    inDevelopment,
  ),
  'Svc:Log:Requests': boolean('Whether each request writes a line into the log', true),
  'Svc:Sql:Timeout': duration('How long a read may take', 30 * SECOND, 10, HOUR),
  'Svc:Sql:WriteTimeout': duration('How long an authored write may take', 3 * SECOND, 10, HOUR),
  'Svc:Sql:Lanes': integer('Connections for reads that may be slow', 3, 1, 64),
  'Svc:Cache:MaxBytes': {
    kind: 'bytes',
    meaning: 'Memory for answers that are kept until a table under them changes; 0 keeps none',
    default: 32 * MB,
    min: 0,
    max: 64 * 1024 * MB,
  },
  'Svc:Search:MaxBytes': {
    kind: 'bytes',
    meaning: 'Memory for the texts that grids are searched in; 0 has every search read the tables',
    default: 64 * MB,
    min: 0,
    max: 64 * 1024 * MB,
  },
  'Svc:Writer:MaxWait': duration(
    'How long a mutation may wait for its turn',
    10 * SECOND,
    10,
    HOUR,
  ),
  'Svc:Objects:RequireRowVersion': boolean(
    'Whether a write to an entity with Concurrency="Enabled" must bring its RowVersion',
    true,
  ),
  'Svc:Tokens:AccessLifetime': duration('Life of an access token', 15 * MINUTE, SECOND, DAY),
  'Svc:Tokens:RefreshLifetime': duration('Life of a refresh token', 14 * DAY, MINUTE, 3650 * DAY),
  'Svc:Tokens:Issuer': text('The claim iss of access tokens', 'application-engine'),
  'Svc:Tokens:Audience': text('The claim aud of access tokens', 'application-engine'),
  'Svc:SignIn:UserFailures': integer('Failed sign-ins a user may have in a window', 10, 1, 1e6),
  'Svc:SignIn:AddressFailures': integer(
    'Failed sign-ins an address may have in a window',
    100,
    1,
    1e6,
  ),
  'Svc:SignIn:Window': duration(
    'Window in which failed sign-ins are counted',
    15 * MINUTE,
    SECOND,
    DAY,
  ),
  'Svc:SignIn:Concurrency': integer('Passwords that are checked at the same time', 1, 1, 64),
  'Svc:Password:MinLength': integer('Characters that a new password needs', 10, 8, 128),
  'Svc:Cors:Origins': list(
    'Origins of browsers that may call, separated by commas',
    /^https?:\/\/[^\s/,?#@*]+$/,
    'origins like https://app.example.com',
  ),
  'Svc:Http:MaxBodyBytes': {
    kind: 'bytes',
    meaning: 'Size of a JSON request body',
    default: 8 * MB,
    min: 1024,
    max: 128 * MB,
  },
  'Svc:Http:TrustedProxies': list(
    'Addresses of proxies whose X-Forwarded-For tells the address of the caller',
    /^[0-9a-f.:]+$/i,
    'IP addresses',
  ),
} as const satisfies Record<string, SettingShape>

export type SettingName = keyof typeof SETTINGS

/** The type of a setting's value. */
export type SettingValue<N extends SettingName> = N extends 'Svc:Environment'
  ? Environment
  : ValueOfKind[(typeof SETTINGS)[N]['kind']]

interface ValueOfKind {
  duration: number
  integer: number
  bytes: number
  boolean: boolean
  text: string
  list: readonly string[]
  choice: string
}
