/** The certificate that the server serves, followed as its files change. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import { DAY } from '../../kernel/setting.ts'
import { SettingError, type Settings } from '../../kernel/settings.ts'
import { MAIL } from '../../engine/mail/mail-options.ts'
import {
  type Certificate,
  type CertificateFiles,
  describeCertificate,
  readCertificate,
} from './certificate.ts'
import { LISTENING } from './settings.ts'

interface CertificateParts {
  readonly folder: string
  readonly settings: Settings
  readonly clock: Clock
  readonly log: Log
}

/** The two files of `Svc:Http:Tls`, and what of them is served now. */
export class ServedCertificate {
  readonly #files: CertificateFiles
  readonly #host: string
  readonly #parts: CertificateParts
  #current: Certificate
  #toldAt = -Infinity
  /** Texts that were refused at an earlier look; none of them is told twice. */
  #refused: { texts: string; isTold: boolean } | undefined

  constructor(files: CertificateFiles, parts: CertificateParts) {
    this.#files = files
    this.#parts = parts
    this.#host = hostOf(parts.settings.get(MAIL.baseUrl))
    this.#current = readCertificate(files)
    this.#warn()
  }

  get current(): Certificate {
    return this.#current
  }

  /**
   * Reads the files again where they changed: the new certificate, undefined where it is the same.
   * A pair that does not fit is told at the second look, as its files are written one by one; the
   * one before is served on.
   */
  findChange(): Certificate | undefined {
    if (this.#parts.clock.now().getTime() - this.#toldAt >= DAY) this.#warn()
    const texts = readTexts(this.#files)
    const isSame = texts === `${this.#current.cert}\n${this.#current.key}`
    if (isSame) this.#refused = undefined
    if (isSame || (this.#refused?.texts === texts && this.#refused.isTold)) return undefined
    try {
      return readCertificate(this.#files)
    } catch (error) {
      if (!(error instanceof SettingError)) throw error
      const isSecond = this.#refused?.texts === texts
      this.#refused = { texts, isTold: isSecond }
      if (isSecond)
        this.#parts.log.error(
          'the new TLS certificate is not taken; the one before serves on',
          error,
        )
      return undefined
    }
  }

  /** Notes the certificate that is served from now on. */
  take(certificate: Certificate): void {
    this.#current = certificate
    this.#refused = undefined
    this.#warn()
  }

  #warn(): void {
    const { clock, log } = this.#parts
    const now = clock.now()
    this.#toldAt = now.getTime()
    for (const sentence of describeCertificate(this.#current, now, this.#host)) log.warn(sentence)
  }
}

/**
 * Opens the certificate of the settings; undefined where they name none.
 * @throws SettingError where only one of both is named, or they cannot be served
 */
export function openCertificate(parts: CertificateParts): ServedCertificate | undefined {
  const [certificate, key] = [
    parts.settings.get(LISTENING.certificate),
    parts.settings.get(LISTENING.key),
  ]
  if (certificate === '' && key === '') {
    if (parts.settings.get(LISTENING.redirectPort) > 0)
      throw new SettingError(
        `Setting ${LISTENING.redirectPort.name}: there is no https to send callers to. ` +
          `Set ${LISTENING.certificate.name} and ${LISTENING.key.name}`,
      )
    return undefined
  }
  if (certificate === '' || key === '') {
    const [given, missing] = [LISTENING.certificate.name, LISTENING.key.name]
    throw new SettingError(
      key === '' ? `${given} needs ${missing}, too` : `${missing} needs ${given}, too`,
    )
  }
  const { folder } = parts
  return new ServedCertificate(
    { certificate: resolve(folder, certificate), key: resolve(folder, key) },
    parts,
  )
}

/** The host of an https address; '' for any other. */
const hostOf = (address: string): string =>
  address.startsWith('https:') ? new URL(address).hostname : ''

/** Both texts, as one; a file that cannot be read counts as empty. */
const readTexts = ({ certificate, key }: CertificateFiles): string =>
  `${readText(certificate)}\n${readText(key)}`

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
