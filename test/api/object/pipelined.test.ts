/** Requests that come on one connection before the one ahead of them is answered. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Objects } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const APPLICATION: TestApplication = {
  files: [
    {
      name: 'model.xml',
      body: `<Model>
<Entity Name="Note" Table="notes"><Column Name="Id" Type="Integer" Key="true" Identity="true"/><Column Name="N" Type="Integer"/></Entity>
<ObjectView Name="Notes" Entity="Note"/>
</Model>`,
    },
  ],
  ...makePeople('ONE', { sys: 'System' }),
}

let notes: Objects
let server: ReturnType<typeof Bun.serve>
beforeAll(async () => {
  notes = new Objects(await startApp({ application: APPLICATION }))
  server = Bun.serve({ port: 0, fetch: (request) => notes.app.handle(request) })
})
afterAll(async () => {
  await server.stop(true)
  await notes[Symbol.asyncDispose]()
})

interface Raw {
  answers: string[]
  /** Resolves when the server has closed. */
  closed: Promise<void>
  [Symbol.dispose](): void
}

/** Sends the bytes as one packet; `enough` is told all that has come, and resolves `answers`. */
async function send(bytes: string, enough: (text: string) => boolean): Promise<Raw> {
  let text = ''
  const done = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: server.port ?? 0,
    socket: {
      data: (_, chunk) => {
        text += chunk.toString('latin1')
        if (enough(text)) done.resolve()
      },
      close: () => {
        done.resolve()
        closed.resolve()
      },
    },
  })
  socket.write(bytes)
  await done.promise
  const answers = text.split(/(?=HTTP\/1\.1 \d)/).filter((answer) => answer !== '')
  return { answers, closed: closed.promise, [Symbol.dispose]: () => socket.end() }
}

const submit = (n: number): string => {
  const body = JSON.stringify({ FormName: 'Notes', Parameters: { N: n } })
  const head = ['POST /api/v1/svc/object/submit HTTP/1.1', 'Host: localhost']
  head.push(`Authorization: Bearer ${notes.app.tokens.sys}`, 'Content-Type: application/json')
  return [...head, `Content-Length: ${body.length}`, '', body].join('\r\n')
}

const PING = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'

const count = (text: string): number => text.split('HTTP/1.1 ').length - 1

const ends: [name: string, bytes: () => string][] = [
  ['two submits', () => submit(1) + submit(2)],
  ['five submits', () => [1, 2, 3, 4, 5].map(submit).join('')],
  ['a submit and half of another', () => submit(1) + submit(2).slice(0, -40)],
  ['a submit and a ping', () => submit(1) + PING],
  ['a submit and what is no request', () => `${submit(1)}NONSENSE\r\n\r\n`],
]

for (const [name, bytes] of ends)
  test(`of ${name} in one packet none is carried out without its answer`, async () => {
    const before = (await notes.table('sys', 'Notes')).Rows.length
    using raw = await send(bytes(), () => false)
    await raw.closed
    // A write that had begun would be stored before this one, which comes behind it.
    await notes.save('sys', 'Notes', { N: 100 })
    expect(raw.answers.filter((answer) => answer.startsWith('HTTP/1.1 200'))).toEqual([])
    expect((await notes.table('sys', 'Notes')).Rows.length - before).toBe(1)
  })

test('requests that are answered at once are all answered, in their order', async () => {
  using raw = await send(PING.repeat(5), (text) => count(text) === 5)
  expect(raw.answers.map((answer) => answer.slice(0, 15))).toEqual(Array(5).fill('HTTP/1.1 200 OK'))
})

test('what is no request behind others is refused, and closes the connection', async () => {
  using raw = await send(`${PING}NONSENSE\r\n\r\n`, () => false)
  expect(raw.answers.map((answer) => answer.slice(0, 12))).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
  expect(raw.answers[1]).toContain('Connection: close')
})
