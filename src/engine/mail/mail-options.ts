/** `Svc:Mail:*`, checked as a whole. */
import { readFileSync } from 'node:fs'
import { MAILBOX } from '../../kernel/mail-address.ts'
import {
  bytes,
  choice,
  DAY,
  duration,
  HOUR,
  integer,
  MB,
  MINUTE,
  SECOND,
  text,
} from '../../kernel/setting.ts'
import { SettingError, type Settings } from '../../kernel/settings.ts'
import type { MailAddress } from './mail.ts'

export interface SmtpOptions {
  host: string
  port: number
  security: 'StartTls' | 'Tls' | 'None'
  /** PEM; undefined: the authorities that the system trusts. */
  ca: string | undefined
  signIn: { user: string; password: string } | undefined
  /** Milliseconds that the server may keep silent. */
  timeoutMs: number
}

export interface MailOptions {
  from: MailAddress
  /** The SMTP server; undefined where mails are files. */
  smtp: SmtpOptions | undefined
  /** Times that a mail is tried. */
  attempts: number
  /** Milliseconds before the second try; three times as long before each further one. */
  retryDelayMs: number
  /** Milliseconds that files and traces of sent mails are kept. */
  retentionMs: number
  /** Bytes of a file that goes with a mail. */
  attachmentBytesMax: number
}

export const MAIL = {
  host: text(
    'Svc:Mail:Host',
    'SMTP server; without one, mails are files in outbox/ of the data folder',
    '',
    { pattern: /^[^\s/:@]+$/, expected: 'a host name or an IPv4 address' },
  ),
  port: integer('Svc:Mail:Port', 'Port of the SMTP server', 587, [1, 65_535]),
  security: choice(
    'Svc:Mail:Security',
    'StartTls (required, never skipped), Tls from the first byte, or None',
    ['StartTls', 'Tls', 'None'],
    'StartTls',
  ),
  caFile: text(
    'Svc:Mail:CaFile',
    'PEM file of the authority that the SMTP server’s certificate is of',
    '',
  ),
  user: text(
    'Svc:Mail:User',
    'User name at the SMTP server; left out to send without signing in',
    '',
  ),
  password: { ...text('Svc:Mail:Password', 'Password at the SMTP server', ''), isSecret: true },
  from: text(
    'Svc:Mail:From',
    'Sender of mails: office@example.com, or Example <office@example.com>',
    'Application Engine <application-engine@localhost>',
    {
      pattern: MAILBOX,
      expected: 'a mail address like office@example.com, or Example <office@example.com>',
    },
  ),
  baseUrl: text(
    'Svc:Mail:BaseUrl',
    'Address that links in mails begin with; this machine’s own where it is not set',
    '',
    {
      pattern: /^https?:\/\/[^\s/?#@\\]+(?:\/[^\s?#\\]*)?$/,
      expected: 'an address like https://app.example.com',
    },
  ),
  timeout: duration('Svc:Mail:Timeout', 'How long the SMTP server may keep silent', 20 * SECOND, [
    10,
    HOUR,
  ]),
  attempts: integer(
    'Svc:Mail:Attempts',
    'Times that a mail is tried before it is given up',
    8,
    [1, 100],
  ),
  retryDelay: duration(
    'Svc:Mail:RetryDelay',
    'Wait before a mail is tried again; each further one is three times as long',
    10 * SECOND,
    [1, HOUR],
  ),
  attachmentMaxBytes: bytes(
    'Svc:Mail:AttachmentMaxBytes',
    'Bytes of a report that goes with a mail; a mail with a larger one is not sent',
    10 * MB,
    [1024, 100 * MB],
  ),
  retention: duration(
    'Svc:Mail:Retention',
    'How long mails in outbox/, and what is known of sent ones, are kept',
    14 * DAY,
    [MINUTE, 3650 * DAY],
  ),
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3})$/i

/** Throws a `SettingError` for settings of mail that do not go together. */
export function readMailOptions(settings: Settings): MailOptions {
  return {
    from: parseSender(settings.get(MAIL.from)),
    smtp: settings.get(MAIL.host) === '' ? undefined : readSmtp(settings),
    attempts: settings.get(MAIL.attempts),
    retryDelayMs: settings.get(MAIL.retryDelay),
    retentionMs: settings.get(MAIL.retention),
    attachmentBytesMax: settings.get(MAIL.attachmentMaxBytes),
  }
}

function readSmtp(settings: Settings): SmtpOptions {
  const host = settings.get(MAIL.host)
  const security = settings.get(MAIL.security)
  const user = settings.get(MAIL.user)
  const password = settings.get(MAIL.password)
  if (settings.get(MAIL.from).includes('@localhost'))
    throw new SettingError('Setting Svc:Mail:Host needs Svc:Mail:From, the sender of mails')
  if ((user === '') !== (password === ''))
    throw new SettingError('Settings Svc:Mail:User and Svc:Mail:Password go together')
  if (user !== '' && security === 'None' && !LOOPBACK.test(host))
    throw new SettingError(
      'Setting Svc:Mail:Security: None would send Svc:Mail:Password for everyone to read',
    )
  return {
    host,
    port: settings.get(MAIL.port),
    security,
    ca: readAuthority(settings.get(MAIL.caFile)),
    signIn: user === '' ? undefined : { user, password },
    timeoutMs: settings.get(MAIL.timeout),
  }
}

function readAuthority(file: string): string | undefined {
  if (file === '') return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new SettingError(`Setting Svc:Mail:CaFile: ${file} cannot be read: ${String(error)}`)
  }
}

function parseSender(text: string): MailAddress {
  const [, name, address] = /^(.*) <(.*)>$/.exec(text) ?? []
  return address === undefined ? { address: text } : { name, address }
}
