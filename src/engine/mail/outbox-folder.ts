/** Mails as `.eml` files in the data folder, where no SMTP server is set. */
import { open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { makeFolder, syncFolder } from '../../kernel/durable.ts'
import { NOTHING_READ, planHeaders } from './composed.ts'
import { MailFailure } from './mail.ts'
import type { Mail, MailAddress, Transport } from './mail.ts'

/** Files that are kept, besides their age: the newest. */
export const OUTBOX_FILES_MAX = 1000

const UNFINISHED = '.tmp'

export interface OutboxOptions {
  /** Made when the first mail comes. */
  folder: string
  from: MailAddress
  clock: Clock
  retentionMs: number
}

/**
 * Each mail is a file for its owner alone, on the disk before `deliver` resolves; a name that ends
 * in `.eml` is that of a whole mail. Names sort by time. Files beyond `retentionMs` and
 * `OUTBOX_FILES_MAX` are removed when another comes.
 */
export class OutboxFolder implements Transport {
  readonly #options: OutboxOptions
  /** One after the other: clearing up meets no file of another mail that is not whole yet. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  deliver(mail: Mail): Promise<void> {
    const written = this.#last.then(() => this.#write(mail))
    this.#last = written.catch(() => undefined)
    return written
  }

  close(): void {}

  async #write(mail: Mail): Promise<void> {
    const { folder, from, clock } = this.#options
    const bytes = await compose(mail, from, clock.now())
    const name = `${toStamp(clock.now())}-${newId()}.eml`
    try {
      makeFolder(folder)
      await this.#clear()
      await writeWhole(join(folder, name + UNFINISHED), bytes)
      await rename(join(folder, name + UNFINISHED), join(folder, name))
      await syncFolder(folder)
    } catch (error) {
      throw new MailFailure(`The outbox cannot be written: ${String(error)}`, false)
    }
  }

  async #clear(): Promise<void> {
    const { folder, clock, retentionMs } = this.#options
    const names = (await readdir(folder)).sort()
    const mails = names.filter((name) => name.endsWith('.eml'))
    const oldest = toStamp(new Date(clock.now().getTime() - retentionMs))
    const surplus = mails.slice(0, Math.max(0, mails.length - OUTBOX_FILES_MAX + 1))
    const gone = new Set([
      ...surplus,
      ...mails.filter((name) => name < oldest),
      ...names.filter((name) => name.endsWith(`.eml${UNFINISHED}`)),
    ])
    for (const name of gone) await rm(join(folder, name), { force: true })
  }
}

/** `20261121T221755123Z`. */
const toStamp = (at: Date): string => at.toISOString().replace(/[-:.]/g, '')

/** Parts in 8 bits, so that whoever opens the file can read it and copy what it says. */
async function compose(mail: Mail, from: MailAddress, date: Date): Promise<Buffer> {
  const { createTransport } = await import('nodemailer')
  const composer = createTransport({ streamTransport: true, buffer: true, ...NOTHING_READ })
  const { message } = await composer.sendMail({
    ...planHeaders(mail, from),
    date,
    alternatives: [
      { raw: planPart('text/plain', mail.text) },
      { raw: planPart('text/html', mail.html) },
    ],
  })
  if (!Buffer.isBuffer(message)) throw new Error('The mail was not composed in memory')
  return message
}

const planPart = (type: string, text: string): string =>
  `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n` +
  text.replace(/\r?\n/g, '\r\n')

async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}
