/** Mails by a real SMTP server, and as files. */
import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '../../src/kernel/log.ts'
import { writeText } from '../../src/engine/mail/email-template.ts'
import { Links } from '../../src/engine/mail/links.ts'
import { readMailOptions } from '../../src/engine/mail/mail-options.ts'
import { type Mail, MailFailure } from '../../src/engine/mail/mail.ts'
import { openMailer } from '../../src/engine/mail/mailer.ts'
import { OUTBOX_FILES_MAX } from '../../src/engine/mail/transports.ts'
import { configure } from '../../src/app.ts'
import { TEST_CERTIFICATE, TEST_KEY } from '../support/certificate.ts'
import { temporaryFolder } from '../support/executable.ts'
import { TestClock } from '../support/identity.ts'
import { readOutbox } from '../support/outbox.ts'
import { mailBy, startSmtp } from '../support/smtp.ts'

const LETTER: Mail = {
  to: { name: 'Bo, "the" reader', address: 'bo@example.test' },
  ...writeText('Grüße', 'Two lines\nof text.\n\nAnd <more>.'),
}

const toSettings = (flags: Record<string, string>) =>
  configure({ dataFolder: '/nowhere', env: {}, flags })

/** A post of its own, in a folder that goes with it. */
function startPost(flags: Record<string, string> = {}) {
  const home = temporaryFolder()
  const clock = new TestClock()
  const lines: string[] = []
  const log = createLog(clock, (text) => lines.push(text))
  const options = readMailOptions(toSettings(flags))
  const mailer = openMailer(options, { folder: home.path, clock, log })
  const end = async (): Promise<void> => {
    await mailer.stop()
    home[Symbol.dispose]()
  }
  return { mailer, clock, lines, folder: home.path, [Symbol.asyncDispose]: end }
}

async function failureOf(work: Promise<unknown>): Promise<MailFailure> {
  try {
    await work
  } catch (error) {
    if (error instanceof MailFailure) return error
    throw error
  }
  throw new Error('It did not fail')
}

/** A file that goes with a mail, of bytes that no text has. */
const SHEET = {
  name: 'Rechnung ä.pdf',
  contentType: 'application/pdf',
  content: Buffer.from(Array.from({ length: 3000 }, (_, at) => at % 256)),
}

/** The bytes of the one attachment of a mail. */
function attachmentIn(text: string): Buffer {
  const part = /Content-Disposition: attachment[^]*?\r?\n\r?\n([A-Za-z0-9+/=\s]+)/.exec(text)
  return Buffer.from(part?.[1]?.replace(/\s/g, '') ?? '', 'base64')
}

describe('by SMTP', () => {
  test('a file goes with a mail, to the byte, beside its text', async () => {
    await using smtp = await startSmtp()
    await using sender = startPost(mailBy(smtp))
    await sender.mailer.deliver({ ...LETTER, attachments: [SHEET] })
    const text = smtp.mails[0]?.text ?? ''
    expect(attachmentIn(text).equals(SHEET.content)).toBe(true)
    expect(text).toContain('Content-Type: application/pdf')
    expect(text).toContain('Two lines')
  })

  test('a mail arrives whole: sender, recipient, subject, text and HTML', async () => {
    await using smtp = await startSmtp()
    await using sender = startPost(mailBy(smtp))
    await sender.mailer.deliver({ ...LETTER, id: '7.1' })
    const [mail, ...others] = smtp.mails
    expect(others).toEqual([])
    expect(mail).toMatchObject({ from: 'desk@example.test', to: ['bo@example.test'] })
    for (const line of [
      'From: The desk <desk@example.test>',
      'To: "Bo, \\"the\\" reader" <bo@example.test>',
      'Message-ID: <7.1@example.test>',
      'Auto-Submitted: auto-generated',
      'Two lines',
      '<p>Two lines<br>of text.</p>',
      '<p>And &lt;more&gt;.</p>',
    ])
      expect(mail?.text).toContain(line)
    expect(mail?.text).toMatch(/^Subject: =\?UTF-8\?/m)
  })

  test('what is filled in adds no recipient and no head', async () => {
    await using smtp = await startSmtp()
    await using sender = startPost(mailBy(smtp))
    const evil = 'Hello\r\nBcc: evil@example.test\r\n\r\nBody'
    const to = { name: evil, address: 'bo@example.test' }
    await sender.mailer.deliver({ to, ...writeText(evil, 'Text') })
    expect(smtp.mails[0]?.to).toEqual(['bo@example.test'])
    expect(smtp.mails[0]?.text).not.toMatch(/^Bcc/im)
    const twice = { address: 'bo@example.test, evil@example.test' }
    await failureOf(sender.mailer.deliver({ ...LETTER, to: twice })).catch(() => undefined)
    expect(smtp.mails.flatMap((mail) => mail.to)).not.toContain('evil@example.test')
  })

  test('the server that wants a name and a password gets them', async () => {
    await using smtp = await startSmtp({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) => {
        if (username === 'desk' && password === 'a secret') return done(null, { user: username })
        done(new Error('No'))
      },
    })
    const known = { 'Svc:Mail:User': 'desk', 'Svc:Mail:Password': 'a secret' }
    await using sender = startPost({ ...mailBy(smtp), ...known })
    await sender.mailer.deliver(LETTER)
    expect(smtp.mails[0]?.user).toBe('desk')
    const wrong = { ...known, 'Svc:Mail:Password': 'not the secret' }
    await using other = startPost({ ...mailBy(smtp), ...wrong })
    const failure = await failureOf(other.mailer.deliver(LETTER))
    expect(failure.message).not.toContain('not the secret')
    expect(failure.isFinal).toBe(false)
  })

  test('StartTls is never skipped, and a certificate of nobody is refused', async () => {
    await using plain = await startSmtp()
    await using sender = startPost({ ...mailBy(plain), 'Svc:Mail:Security': 'StartTls' })
    await failureOf(sender.mailer.deliver(LETTER))
    await using secured = await startSmtp({ disabledCommands: [] })
    await using other = startPost({ ...mailBy(secured), 'Svc:Mail:Security': 'StartTls' })
    await failureOf(other.mailer.deliver(LETTER))
    expect([...plain.mails, ...secured.mails]).toEqual([])
  })

  test.each([
    ['StartTls', false],
    ['Tls', true],
  ])('%s reaches a server whose authority is named, and nobody can listen', async (how, secure) => {
    const tls = { disabledCommands: [], key: TEST_KEY, cert: TEST_CERTIFICATE, secure }
    await using smtp = await startSmtp(tls)
    using home = temporaryFolder()
    const file = join(home.path, 'authority.pem')
    writeFileSync(file, TEST_CERTIFICATE)
    const security = { 'Svc:Mail:Security': how, 'Svc:Mail:CaFile': file }
    await using sender = startPost({ ...mailBy(smtp), ...security })
    await sender.mailer.deliver(LETTER)
    expect(smtp.mails).toMatchObject([{ to: ['bo@example.test'], isEncrypted: true }])
  })

  test('a server that is silent is given up after the time that is set', async () => {
    const silent = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: () => undefined },
    })
    try {
      await using sender = startPost({ ...mailBy(silent), 'Svc:Mail:Timeout': '50ms' })
      const failure = await failureOf(sender.mailer.deliver(LETTER))
      expect(failure.isFinal).toBe(false)
    } finally {
      silent.stop(true)
    }
  })

  test('a mail from memory is tried again until it leaves', async () => {
    await using smtp = await startSmtp()
    await using sender = startPost({ ...mailBy(smtp), 'Svc:Mail:Attempts': '100' })
    await smtp.stop()
    sender.mailer.send({ topic: 'test', write: async () => LETTER })
    await until(() => sender.lines.join('').includes('a mail waits for another try'))
    await smtp.start()
    await sender.mailer.idle()
    expect(smtp.mails).toHaveLength(1)
    expect(sender.lines.join('')).not.toContain('bo@example.test')
  })

  test('one that is refused for good is not tried again, and the log names nobody', async () => {
    await using smtp = await startSmtp()
    await using sender = startPost(mailBy(smtp))
    smtp.refusals.set('bo@example.test', 550)
    sender.mailer.send({ topic: 'test', write: async () => LETTER })
    await sender.mailer.idle()
    expect(smtp.connections()).toBe(1)
    expect(sender.lines.join('')).toContain('550')
    expect(sender.lines.join('')).not.toContain('bo@example.test')
    smtp.refusals.set('bo@example.test', 450)
    sender.mailer.send({ topic: 'test', write: async () => LETTER })
    await until(() => smtp.connections() >= 3)
    smtp.refusals.clear()
    await sender.mailer.idle()
    expect(smtp.mails).toHaveLength(1)
  })

  test('a stop gives up what waits, and takes no more', async () => {
    await using smtp = await startSmtp()
    const settings = { ...mailBy(smtp), 'Svc:Mail:RetryDelay': '1h' }
    await using sender = startPost(settings)
    await smtp.stop()
    sender.mailer.send({ topic: 'waiting', write: async () => LETTER })
    await until(() => sender.lines.join('').includes('a mail waits for another try'))
    await sender.mailer.stop()
    sender.mailer.send({ topic: 'late', write: async () => LETTER })
    await sender.mailer.idle()
    expect(sender.lines.join('')).toContain('"message":"a mail was dropped","topic":"late"')
    await smtp.start()
    expect(smtp.mails).toEqual([])
  })
})

describe('as files', () => {
  test('a mail is a file for its owner alone, readable as it stands', async () => {
    await using sender = startPost()
    await sender.mailer.deliver(LETTER)
    const [mail] = readOutbox(sender.folder)
    expect(mail).toContain('To: "Bo, \\"the\\" reader" <bo@example.test>')
    expect(mail).toContain('Content-Transfer-Encoding: 8bit')
    expect(mail).toContain('Two lines\r\nof text.')
    const outbox = join(sender.folder, 'outbox')
    const [name = ''] = readdirSync(outbox)
    expect(name).toMatch(/^\d{8}T\d{9}Z-[\w-]{36}\.eml$/)
    expect(statSync(join(outbox, name)).mode & 0o777).toBe(0o600)
    expect(statSync(outbox).mode & 0o777).toBe(0o700)
  })

  test('those that are old or too many go, and what was left half-written', async () => {
    await using sender = startPost({ 'Svc:Mail:Retention': '1h' })
    await sender.mailer.deliver(LETTER)
    const outbox = join(sender.folder, 'outbox')
    const [old = ''] = readdirSync(outbox)
    const half = `${old}.tmp`
    writeFileSync(join(outbox, half), 'half')
    writeFileSync(join(outbox, 'notes.txt'), 'of somebody else')
    sender.clock.pass(3_600_001)
    await sender.mailer.deliver(LETTER)
    const names = readdirSync(outbox)
    expect(names).not.toContain(old)
    expect(names).not.toContain(half)
    expect(names).toContain('notes.txt')
    const later = sender.clock.now().toISOString().replace(/[-:.]/g, '')
    for (let at = 0; at < OUTBOX_FILES_MAX; at += 1)
      writeFileSync(join(outbox, `${later}-${String(at).padStart(4, '0')}.eml`), '')
    await sender.mailer.deliver(LETTER)
    expect(readOutbox(sender.folder)).toHaveLength(OUTBOX_FILES_MAX)
  })

  test('a folder that cannot be written is a failure, tried again', async () => {
    await using sender = startPost({ 'Svc:Mail:Attempts': '2', 'Svc:Mail:RetryDelay': '1ms' })
    writeFileSync(join(sender.folder, 'outbox'), 'in the way')
    sender.mailer.send({ topic: 'test', write: async () => LETTER })
    await sender.mailer.idle()
    expect(sender.lines.join('')).toContain('a mail waits for another try')
    expect(sender.lines.join('')).toContain('a mail could not be sent')
  })

  test('many at once are all there', async () => {
    await using sender = startPost()
    mkdirSync(join(sender.folder, 'outbox'))
    await Promise.all(Array.from({ length: 20 }, () => sender.mailer.deliver(LETTER)))
    expect(readOutbox(sender.folder)).toHaveLength(20)
  })
})

describe('links', () => {
  test.each([
    ['http://127.0.0.1:4711', 'http://127.0.0.1:4711/page?token=a%2Bb'],
    ['http://0.0.0.0:4711', 'http://127.0.0.1:4711/page?token=a%2Bb'],
    ['http://[::]:4711', 'http://127.0.0.1:4711/page?token=a%2Bb'],
  ])('a server on %s', (address, link) => {
    const links = new Links('')
    links.listenOn(address)
    expect(links.to('/page', { token: 'a+b' })).toBe(link)
  })

  test.each([
    ['', 'http://127.0.0.1:8080/erp/page'],
    ['https://app.example.test/', 'https://app.example.test/erp/page'],
    ['https://app.example.test/erp', 'https://app.example.test/erp/page'],
  ])('stand below the base path, once: %s', (configured, link) => {
    expect(new Links(configured, '/erp').to('/page')).toBe(link)
  })

  test('what is configured goes before', () => {
    const links = new Links('https://app.example.test/desk/')
    links.listenOn('http://127.0.0.1:4711')
    expect(links.to('/page')).toBe('https://app.example.test/desk/page')
  })
})

describe('settings that do not go together stop the start', () => {
  const host = { 'Svc:Mail:Host': 'mail.example.test', 'Svc:Mail:From': 'desk@example.test' }
  const signIn = { 'Svc:Mail:User': 'desk', 'Svc:Mail:Password': 'a secret' }
  test.each([
    [{ 'Svc:Mail:Host': 'mail.example.test' }, 'Svc:Mail:From'],
    [{ ...host, 'Svc:Mail:User': 'desk' }, 'Svc:Mail:Password'],
    [{ ...host, 'Svc:Mail:Password': 'a secret' }, 'Svc:Mail:User'],
    [{ ...host, ...signIn, 'Svc:Mail:Security': 'None' }, 'Svc:Mail:Security'],
    [{ ...host, 'Svc:Mail:CaFile': '/no/such/file.pem' }, 'Svc:Mail:CaFile'],
    [{ ...host, 'Svc:Mail:Host': 'mail.example.test:25' }, 'Svc:Mail:Host'],
    [{ ...host, 'Svc:Mail:From': 'nobody' }, 'Svc:Mail:From'],
    [{ ...host, 'Svc:Mail:From': 'A <a@b.test>, B <b@b.test>' }, 'Svc:Mail:From'],
    [{ 'Svc:Mail:BaseUrl': 'javascript:alert(1)' }, 'Svc:Mail:BaseUrl'],
    [{ 'Svc:Mail:BaseUrl': 'https://app.example.test/?x=1' }, 'Svc:Mail:BaseUrl'],
    [{ 'Svc:Mail:ResetPath': 'reset' }, 'Svc:Mail:ResetPath'],
  ])('%j names %s', (flags, name) => {
    const read = () => readMailOptions(toSettings(flags as Record<string, string>))
    expect(read).toThrow(name)
    expect(read).not.toThrow('a secret')
  })

  test('the password is never printed', () => {
    const described = JSON.stringify(toSettings({ ...host, ...signIn }).describe())
    expect(described).not.toContain('a secret')
    expect(described).toContain('"name":"Svc:Mail:Password","value":"********"')
  })
})

/** Turns of the event loop until something is so; the test's own limit ends the wait. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1))
}
