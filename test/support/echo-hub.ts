/** A hub that has one of everything, for tests of the protocol. */
import { Type } from '@sinclair/typebox'
import { invalid } from '../../src/kernel/failure.ts'
import { plain } from '../../src/kernel/messages.ts'
import type { DeclareHub } from '../../src/server/feature.ts'
import { AUTHENTICATED } from '../../src/server/gate.ts'
import {
  type Hub,
  type HubChannel,
  type HubConnection,
  hubMethod,
  type HubPart,
  hubStream,
} from '../../src/server/hub/hub.ts'

/** Events at the hub, and the gates that its calls wait at. */
export interface EchoLog {
  readonly events: string[]
  readonly connections: Map<string, HubConnection>
  /** The channel of each hub that was declared with it. */
  readonly channels: HubChannel[]
  /** A call of `Wait` ends when its gate is opened. */
  readonly gates: Map<string, () => void>
}

export const newEchoLog = (): EchoLog => ({
  events: [],
  channels: [],
  connections: new Map(),
  gates: new Map(),
})

/** Declares the hub, `echo` unless told otherwise. */
export const echoHub =
  (log: EchoLog, { name = 'echo', gate = AUTHENTICATED }: Partial<Hub> = {}): DeclareHub =>
  (_, channel) => ({
    name,
    gate,
    summary: 'a test',
    description: 'For tests.',
    parts: [comings(log, channel), answers, failures, sayings(channel), waits(log), streams(log)],
  })

const comings = (log: EchoLog, channel: HubChannel): HubPart => ({
  open: (connection) => {
    if (!log.channels.includes(channel)) log.channels.push(channel)
    log.events.push(`open ${connection.caller.userName}`)
    log.connections.set(connection.id, connection)
    connection.subscribe('all')
  },
  change: (connection) => void log.events.push(`change ${connection.caller.userName}`),
  close: (connection) => {
    log.events.push(`close ${connection.caller.userName}`)
    log.connections.delete(connection.id)
  },
})

const Box = Type.Object({ Width: Type.Integer(), Label: Type.Optional(Type.String()) })

const answers: HubPart = {
  methods: {
    Echo: hubMethod({
      description: 'Gives back what it gets',
      arguments: { text: Type.String({ maxLength: 20 }), box: Type.Optional(Box) },
      run: (_call, { text, box }) => ({ text, box: box ?? null }),
    }),
    Nothing: hubMethod({ description: 'Gives nothing', arguments: {}, run: () => {} }),
    Who: hubMethod({
      description: 'Who calls',
      arguments: {},
      run: ({ caller, connection }) => ({ name: caller.userName, id: connection.id }),
    }),
  },
}

const failures: HubPart = {
  methods: {
    Refuse: hubMethod({
      description: 'Refuses',
      arguments: {},
      run: () => {
        throw invalid(plain('That is not possible'))
      },
    }),
    Break: hubMethod({
      description: 'Fails',
      arguments: {},
      run: () => {
        throw new Error('a secret of the inside')
      },
    }),
    Large: hubMethod({
      description: 'Gives more than a hub sends',
      arguments: {},
      run: () => 'x'.repeat(600_000),
    }),
  },
}

const sayings = (channel: HubChannel): HubPart => ({
  events: { said: { description: 'What was said', arguments: { text: Type.String() } } },
  methods: {
    Say: hubMethod({
      description: 'Says something to all',
      arguments: { text: Type.String() },
      run: (_call, { text }) => channel.publish('all', 'said', text),
    }),
  },
})

const waits = (log: EchoLog): HubPart => ({
  methods: {
    Wait: hubMethod({
      description: 'Waits for its gate',
      arguments: { gate: Type.String() },
      run: async ({ signal }, { gate }) => {
        log.events.push(`begin ${gate}`)
        await new Promise<void>((resolve) => {
          log.gates.set(gate, resolve)
          signal.addEventListener('abort', () => resolve())
        })
        log.events.push(`end ${gate}`)
        return gate
      },
    }),
  },
})

const streams = (log: EchoLog): HubPart => ({
  methods: {
    Count: hubStream({
      description: 'Counts',
      arguments: { to: Type.Integer() },
      async *run({ signal }, { to }) {
        try {
          for (let n = 1; n <= to && !signal.aborted; n++) {
            yield n
            await new Promise((resolve) => setImmediate(resolve))
          }
        } finally {
          log.events.push(signal.aborted ? 'counting was cancelled' : 'counted')
        }
      },
    }),
    Falter: hubStream({
      description: 'Fails on its way',
      arguments: {},
      async *run() {
        yield await Promise.resolve('first')
        throw invalid(plain('No further'))
      },
    }),
  },
})
