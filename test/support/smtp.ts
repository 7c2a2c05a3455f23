/** A real SMTP server for tests. */
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface ReceivedMail {
  from: string
  to: string[]
  /** As it was sent: heads and body. */
  text: string
  isEncrypted: boolean
  /** The user who signed in; undefined without a sign-in. */
  user: string | undefined
}

export interface TestSmtp extends AsyncDisposable {
  readonly port: number
  readonly mails: ReceivedMail[]
  /** Answers to recipients: a code such as 550 for an address, none takes the mail. */
  readonly refusals: Map<string, number>
  /** Connections that came, of mails that were taken or not. */
  readonly connections: () => number
  /** Stops listening; the port stays the same for `start`. */
  stop(): Promise<void>
  start(): Promise<void>
}

interface Kept {
  mails: ReceivedMail[]
  refusals: Map<string, number>
  connections: number
}

/** The server's reaction to a connection, a recipient and a mail. */
const keepIn = (kept: Kept): SMTPServerOptions => ({
  onConnect: (_session, done) => {
    kept.connections += 1
    done()
  },
  onRcptTo: ({ address }, _session, done) => {
    const code = kept.refusals.get(address)
    if (code === undefined) return done()
    done(Object.assign(new Error(`No mail for ${address}`), { responseCode: code }))
  },
  onData: (stream, { envelope, secure, user }, done) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      kept.mails.push({
        from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
        to: envelope.rcptTo.map(({ address }) => address),
        text: Buffer.concat(chunks).toString('utf8'),
        isEncrypted: secure,
        user,
      })
      done()
    })
  },
})

/** Starts it on a free port of the loopback address; by default without TLS or sign-in. */
export async function startSmtp(options: SMTPServerOptions = {}): Promise<TestSmtp> {
  const kept: Kept = { mails: [], refusals: new Map(), connections: 0 }
  const plain = { authOptional: true, disabledCommands: ['STARTTLS'], logger: false }
  const create = () => new SMTPServer({ ...plain, ...options, ...keepIn(kept) })
  let port = 0
  let server = create()
  const listen = () =>
    new Promise<void>((resolve, reject) => {
      server.on('error', reject)
      server.listen(port, '127.0.0.1', () => {
        const address = server.server.address()
        port = typeof address === 'object' && address !== null ? address.port : port
        resolve()
      })
    })
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()))
  await listen()
  return {
    get port() {
      return port
    },
    mails: kept.mails,
    refusals: kept.refusals,
    connections: () => kept.connections,
    stop,
    start: () => {
      server = create()
      return listen()
    },
    [Symbol.asyncDispose]: stop,
  }
}

/** Settings that have mails sent there. */
export const mailBy = ({ port }: { port: number }): Record<string, string> => ({
  'Svc:Mail:Host': '127.0.0.1',
  'Svc:Mail:Port': String(port),
  'Svc:Mail:Security': 'None',
  'Svc:Mail:From': 'The desk <desk@example.test>',
  'Svc:Mail:RetryDelay': '1ms',
})
