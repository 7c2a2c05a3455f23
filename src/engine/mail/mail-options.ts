/** `Svc:Mail:*`, checked as a whole. */
import { readFileSync } from 'node:fs'
import { SettingError } from '../../kernel/settings.ts'
import type { Settings } from '../../kernel/settings.ts'
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
  /** Undefined: mails are files. */
  smtp: SmtpOptions | undefined
  /** Times that a mail is tried. */
  attempts: number
  /** Milliseconds before the second try; three times as long before each further one. */
  retryDelayMs: number
  /** Milliseconds that files and traces of sent mails are kept. */
  retentionMs: number
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3})$/i

/** Throws a `SettingError` for settings of mail that do not go together. */
export function readMailOptions(settings: Settings): MailOptions {
  return {
    from: parseSender(settings.get('Svc:Mail:From')),
    smtp: settings.get('Svc:Mail:Host') === '' ? undefined : readSmtp(settings),
    attempts: settings.get('Svc:Mail:Attempts'),
    retryDelayMs: settings.get('Svc:Mail:RetryDelay'),
    retentionMs: settings.get('Svc:Mail:Retention'),
  }
}

function readSmtp(settings: Settings): SmtpOptions {
  const host = settings.get('Svc:Mail:Host')
  const security = settings.get('Svc:Mail:Security')
  const user = settings.get('Svc:Mail:User')
  const password = settings.get('Svc:Mail:Password')
  if (settings.get('Svc:Mail:From').includes('@localhost'))
    throw new SettingError('Setting Svc:Mail:Host needs Svc:Mail:From, the sender of mails')
  if ((user === '') !== (password === ''))
    throw new SettingError('Settings Svc:Mail:User and Svc:Mail:Password go together')
  if (user !== '' && security === 'None' && !LOOPBACK.test(host))
    throw new SettingError(
      'Setting Svc:Mail:Security: None would send Svc:Mail:Password for everyone to read',
    )
  return {
    host,
    port: settings.get('Svc:Mail:Port'),
    security: security === 'Tls' || security === 'None' ? security : 'StartTls',
    ca: readAuthority(settings.get('Svc:Mail:CaFile')),
    signIn: user === '' ? undefined : { user, password },
    timeoutMs: settings.get('Svc:Mail:Timeout'),
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
