/** Every setting: its type, its bounds, its default and what it does. */

import { LOG_LEVELS } from './log.ts'

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
  | (Described<'text', string> & { pattern?: RegExp; expected?: string; isSecret?: boolean })
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
const pattern = (meaning: string, value: string, form: RegExp, expected: string) =>
  ({ kind: 'text', meaning, default: value, pattern: form, expected }) as const
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
    meaning: 'Production or Development; gives defaults of Svc:Errors, Svc:Swagger:Enabled …',
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
  'Svc:Http:ServerTiming': boolean(
    'Whether answers tell by Server-Timing how long each stage of their request took',
    inDevelopment,
  ),
  'Svc:Log:Level': {
    kind: 'choice',
    meaning: 'What is logged: error, with warn also warnings, with info requests, debug refusals',
    default: 'info',
    choices: LOG_LEVELS,
  },
  'Svc:Log:Requests': boolean('Whether each request writes a line of level info', true),
  'Svc:Sql:Timeout': duration('How long a read may take', 30 * SECOND, 10, HOUR),
  'Svc:Sql:WriteTimeout': duration('How long an authored write may take', 3 * SECOND, 10, HOUR),
  'Svc:Sql:Lanes': integer('Connections for reads that may be slow', 3, 1, 64),
  'Svc:Sql:MaxMemory': {
    kind: 'bytes',
    meaning: 'How much the process may grow while one authored statement runs, before it is ended',
    default: 512 * MB,
    min: 16 * MB,
    max: 64 * 1024 * MB,
  },
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
  'Svc:Results:MaxRows': integer(
    'Rows of one result set of a procedure; more is a 400',
    10_000,
    1,
    1_000_000,
  ),
  'Svc:Results:MaxBytes': {
    kind: 'bytes',
    meaning: 'Bytes of all rows that a grid, a form or a query answers with; more is a 400',
    default: 16 * MB,
    min: 1024,
    max: 256 * MB,
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
  'Svc:Uploads:MaxFileBytes': {
    kind: 'bytes',
    meaning: 'Size of a file that is uploaded for a record',
    default: 100 * MB,
    min: 1,
    max: 1024 * MB,
  },
  'Svc:Uploads:MaxImportBytes': {
    kind: 'bytes',
    meaning: 'Size of a file that is imported',
    default: 1024 * MB,
    min: 1,
    max: 1024 * MB,
  },
  'Svc:Imports:UndoFor': duration(
    'How long an import can be taken back',
    7 * DAY,
    SECOND,
    365 * DAY,
  ),
  'Svc:Uploads:UserQuota': {
    kind: 'bytes',
    meaning: 'What the uploads of one user that wait for a record may take together',
    default: 1024 * MB,
    min: 1,
    max: 1024 * 1024 * MB,
  },
  'Svc:Idempotency:Ttl': duration(
    'How long the first answer to an Idempotency-Key is remembered',
    DAY,
    SECOND,
    365 * DAY,
  ),
  'Svc:Idempotency:RejectMismatch': boolean(
    'Whether an Idempotency-Key that comes with another request is a 400 instead of a replay',
    inDevelopment,
  ),
  'Svc:Exports:Retention': duration(
    'How long a file that was exported can be fetched',
    DAY,
    SECOND,
    365 * DAY,
  ),
  'Svc:Exports:Timeout': duration(
    'How long an export may read its rows before it writes them',
    10 * MINUTE,
    10,
    DAY,
  ),
  'Svc:Imports:Concurrency': integer('Imports that are made at the same time', 2, 1, 16),
  'Svc:Exports:UserQuota': {
    kind: 'bytes',
    meaning: 'What the files of one user that were exported may take together until they expire',
    default: 4096 * MB,
    min: 1,
    max: 1024 * 1024 * MB,
  },
  'Svc:Exports:UserFiles': integer(
    'Files that one user may have lying until they expire: exports, templates, rows with errors',
    1000,
    1,
    1_000_000,
  ),
  'Svc:Exports:Concurrency': integer('Exports that are made at the same time', 2, 1, 16),
  'Svc:Scripts:Timeout': duration(
    'How long a script or a handler of an extension may run before its process is ended',
    MINUTE,
    100,
    DAY,
  ),
  'Svc:Scripts:MaxMemory': {
    kind: 'bytes',
    meaning: 'Memory beyond which the process of an extension is ended',
    default: 512 * MB,
    min: 96 * MB,
    max: 1024 * 1024 * MB,
  },
  'Svc:Scripts:Concurrency': integer('Scripts and handlers that run at the same time', 4, 1, 64),
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
    'Window in which failed sign-ins, refreshes and codes are counted',
    15 * MINUTE,
    SECOND,
    DAY,
  ),
  'Svc:SignIn:Concurrency': integer('Passwords that are checked at the same time', 1, 1, 64),
  'Svc:Refresh:SessionFailures': integer(
    'Refused refresh tokens a session may have in a window',
    100,
    1,
    1e6,
  ),
  'Svc:Mfa:UserFailures': integer('Wrong codes a user may have in a window', 5, 1, 1e6),
  'Svc:Mfa:AddressFailures': integer('Wrong codes an address may have in a window', 100, 1, 1e6),
  'Svc:Mfa:UserSetups': integer('Second factors a user may begin in a window', 20, 1, 1e6),
  'Svc:Mfa:ChallengeLifetime': duration(
    'How long a sign-in waits for its second factor',
    5 * MINUTE,
    SECOND,
    HOUR,
  ),
  'Svc:Mfa:Issuer': pattern(
    'What authenticator apps call this installation',
    'Application Engine',
    /^[^:\p{C}]{1,64}$/u,
    'at most 64 characters, and no colon',
  ),
  'Svc:Mfa:RequiredRoles': list(
    'Roles that nobody uses without a second factor, separated by commas',
    /^[^\s,](?:[^,]{0,126}[^\s,])?$/,
    'names of roles',
  ),
  'Svc:Reset:UserAttempts': integer(
    'Password resets that may be asked for a user in a window',
    5,
    1,
    1e6,
  ),
  'Svc:Reset:AddressAttempts': integer(
    'Password resets that an address may ask for in a window',
    50,
    1,
    1e6,
  ),
  'Svc:Reset:Window': duration('Window in which password resets are counted', HOUR, SECOND, DAY),
  'Svc:Impersonation:MaxTime': duration(
    'How long somebody may act as another user at most',
    HOUR,
    MINUTE,
    DAY,
  ),
  'Svc:Password:MinLength': integer('Characters that a new password needs', 10, 8, 128),
  'Svc:Mail:Host': pattern(
    'SMTP server; without one, mails are files in outbox/ of the data folder',
    '',
    /^[^\s/:@]+$/,
    'a host name or an IPv4 address',
  ),
  'Svc:Mail:Port': integer('Port of the SMTP server', 587, 1, 65_535),
  'Svc:Mail:Security': {
    kind: 'choice',
    meaning: 'StartTls (required, never skipped), Tls from the first byte, or None',
    default: 'StartTls',
    choices: ['StartTls', 'Tls', 'None'],
  },
  'Svc:Mail:CaFile': text('PEM file of the authority that the SMTP server’s certificate is of', ''),
  'Svc:Mail:User': text('Name at the SMTP server; without one nobody signs in there', ''),
  'Svc:Mail:Password': { ...text('Password at the SMTP server', ''), isSecret: true },
  'Svc:Mail:From': pattern(
    'Sender of mails: office@example.com, or Example <office@example.com>',
    'Application Engine <application-engine@localhost>',
    /^(?:[^<>@",;\p{C}]+ <[^\s<>@",;]+@[^\s<>@",;]+>|[^\s<>@",;]+@[^\s<>@",;]+)$/u,
    'a mail address like office@example.com, or Example <office@example.com>',
  ),
  'Svc:Mail:BaseUrl': pattern(
    'Address that links in mails begin with; this machine’s own where it is not set',
    '',
    /^https?:\/\/[^\s/?#@\\]+(?:\/[^\s?#\\]*)?$/,
    'an address like https://app.example.com',
  ),
  'Svc:Mail:ResetPath': pattern(
    'Page under the base address that sets a new password, given ?token=',
    '/reset-password',
    /^\/[^\s?\\]*$/,
    'a path like /reset-password',
  ),
  'Svc:Mail:Timeout': duration('How long the SMTP server may keep silent', 20 * SECOND, 10, HOUR),
  'Svc:Mail:Attempts': integer('Times that a mail is tried before it is given up', 8, 1, 100),
  'Svc:Mail:RetryDelay': duration(
    'Wait before a mail is tried again; each further one is three times as long',
    10 * SECOND,
    1,
    HOUR,
  ),
  'Svc:Mail:Retention': duration(
    'How long mails in outbox/, and what is known of sent ones, are kept',
    14 * DAY,
    MINUTE,
    3650 * DAY,
  ),
  'Svc:Cors:Origins': list(
    'Origins of browsers that may call, separated by commas',
    /^https?:\/\/[^\s/,?#@*]+$/,
    'origins like https://app.example.com',
  ),
  'Svc:Http:BasePath': pattern(
    'Path that every route stands below, passed on by a proxy; health answers beside it, too',
    '',
    /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/,
    'a path like /erp, without a slash at its end',
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
export type SettingValue<N extends SettingName> = (typeof SETTINGS)[N] extends {
  choices: readonly (infer Choice)[]
}
  ? Choice
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
