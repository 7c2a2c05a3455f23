/** The certificate of the server and its key: read from files and held against each other. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { DAY } from '../../kernel/setting.ts'
import { SettingError } from '../../kernel/settings.ts'
import { LISTENING } from './settings.ts'

/** Paths of two PEM files. */
export interface CertificateFiles {
  readonly certificate: string
  readonly key: string
}

/** A certificate that its key belongs to, in the texts that a server takes. */
export interface Certificate {
  /** PEM of the server's own certificate, then of its chain. */
  readonly cert: string
  readonly key: string
  /** The moment from which clients refuse it: the earliest end in the chain. */
  readonly expiresAt: Date
  readonly chain: readonly X509Certificate[]
}

/** Days before its end from which a certificate is warned of. */
const WARNED_DAYS = 14

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g
const ENCRYPTED_KEY = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m
const KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/

/** Reads both files. @throws SettingError which says what is wrong with which file */
export function readCertificate(files: CertificateFiles): Certificate {
  const cert = readFile(LISTENING.certificate.name, files.certificate)
  const key = readFile(LISTENING.key.name, files.key)
  const chain = readChain(files.certificate, cert)
  requireMatch(files, chain, readKey(files.key, key))
  const ends = chain.map((one) => Date.parse(one.validTo))
  return { cert, key, chain, expiresAt: new Date(Math.min(...ends)) }
}

function readFile(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw fault(setting, `${path} cannot be read (${REASONS[code] ?? code})`)
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  EISDIR: 'it is a folder',
}

function readChain(path: string, pem: string): readonly [X509Certificate, ...X509Certificate[]] {
  const { name } = LISTENING.certificate
  try {
    const [own, ...others] = (pem.match(CERTIFICATES) ?? []).map((one) => new X509Certificate(one))
    if (own) return [own, ...others]
  } catch (error) {
    throw fault(name, `${path} holds a damaged certificate (${String(error)})`)
  }
  if (KEY.test(pem) || ENCRYPTED_KEY.test(pem))
    throw fault(name, `${path} holds a private key; the certificate belongs here`)
  throw fault(
    name,
    `${path} holds no certificate in PEM, which begins with "-----BEGIN CERTIFICATE-----". ` +
      `From DER: openssl x509 -inform der -in ${path} -out cert.pem`,
  )
}

function readKey(path: string, pem: string): KeyObject {
  const { name } = LISTENING.key
  if (ENCRYPTED_KEY.test(pem))
    throw fault(
      name,
      `${path} is encrypted, and no one is there at a start to type its passphrase. ` +
        `Decrypted, for the server's user alone: openssl pkey -in ${path} -out key.pem`,
    )
  if (!KEY.test(pem))
    throw fault(
      name,
      `${path} holds no private key in PEM, which begins with "-----BEGIN PRIVATE KEY-----"`,
    )
  try {
    return createPrivateKey(pem)
  } catch (error) {
    throw fault(name, `${path} holds a damaged key (${String(error)})`)
  }
}

function requireMatch(
  files: CertificateFiles,
  [own, ...others]: readonly [X509Certificate, ...X509Certificate[]],
  key: KeyObject,
): void {
  if (own.checkPrivateKey(key)) return
  const isOther = others.some((one) => one.checkPrivateKey(key))
  throw fault(
    LISTENING.key.name,
    isOther
      ? `${files.key} is the key of a later certificate in ${files.certificate}: the server's ` +
          'own must come first, then those that signed it'
      : `${files.key} is not the key of the certificate in ${files.certificate} ` +
          `(${nameOf(own)}). Give both files of the same certificate`,
  )
}

const fault = (setting: string, sentence: string): SettingError =>
  new SettingError(`Setting ${setting}: ${sentence}`)

/** `CN=app.example.com`, or the first line of its subject. */
const nameOf = ({ subject, subjectAltName }: X509Certificate): string =>
  /^CN=.*$/m.exec(subject ?? '')?.[0] ?? subject?.split('\n')[0] ?? subjectAltName ?? 'no name'

/**
 * Sentences on what clients will refuse or refuse soon: times, names, order of the chain. `host`
 * is the name by which clients come, such as `app.example.com`; '' where it is not known.
 */
export const describeCertificate = (
  certificate: Certificate,
  now: Date,
  host: string,
): readonly string[] => [
  ...describeTimes(certificate, now),
  ...describeNames(certificate, host),
  ...describeOrder(certificate),
]

function describeTimes({ chain }: Certificate, now: Date): string[] {
  return chain.flatMap((one, at) => {
    const [from, to] = [new Date(one.validFrom), new Date(one.validTo)]
    const which = `The TLS certificate ${at === 0 ? '' : 'of the chain '}${nameOf(one)}`
    if (now < from)
      return [`${which} is not valid before ${from.toISOString()}: clients refuse it until then`]
    if (now >= to) return [`${which} expired at ${to.toISOString()}: clients refuse it. Renew it`]
    const days = Math.floor((to.getTime() - now.getTime()) / DAY)
    if (days >= WARNED_DAYS) return []
    return [`${which} expires at ${to.toISOString()}, in ${days} days. Renew it`]
  })
}

function describeNames({ chain: [own] }: Certificate, host: string): string[] {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  if (own === undefined || bare === '') return []
  const named = isIP(bare) > 0 ? own.checkIP(bare) : own.checkHost(bare, { subject: 'never' })
  if (named !== undefined) return []
  return [
    `The TLS certificate is not for ${host}, the host of Svc:Mail:BaseUrl, but for ` +
      `${own.subjectAltName ?? 'no name'}: clients that come by that name refuse it`,
  ]
}

function describeOrder({ chain }: Certificate): string[] {
  const broken = chain.findIndex((one, at) => {
    const issuer = chain[at + 1]
    return issuer !== undefined && !one.checkIssued(issuer)
  })
  if (broken < 0) return []
  return [
    `The chain of the TLS certificate is out of order: ${nameOf(chain[broken + 1]!)} did not ` +
      `sign ${nameOf(chain[broken]!)}. Each must be followed by the one that signed it`,
  ]
}
