/** Files through the executable: large ones, clients that go away, `kill -9`. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { basename, join } from 'node:path'
import { type RunningExecutable, startExecutable, temporaryFolder } from '../support/executable.ts'
import { scaleCases } from '../support/property.ts'
import { until } from '../support/until.ts'

/** Kills, each after some uploads more. */
const KILLS = scaleCases(2)

const MB = 1024 * 1024
const LIMIT = 100 * MB
const UPLOAD = '/api/v1/svc/object/upload'
const HEAD =
  '--cut\r\nContent-Disposition: form-data; name="objectName"\r\n\r\norders\r\n' +
  '--cut\r\nContent-Disposition: form-data; name="fieldName"\r\n\r\nDocuments\r\n' +
  '--cut\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
const TAIL = '\r\n--cut--\r\n'

async function post<T>(url: string, body: unknown, token?: string): Promise<T> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  return ((await answer.json()) as { data: T }).data
}

const signIn = async ({ url }: RunningExecutable): Promise<string> => {
  const user = { UserName: 'ana', Password: 'ana-demo-password' }
  const { AccessToken } = await post<{ AccessToken: string }>(`${url}/api/v1/auth/login`, user)
  return AccessToken
}

/** A form whose file is so many letters, made as it is sent. */
function formOf(bytes: number): ReadableStream<Uint8Array> {
  const block = new Uint8Array(256 * 1024).fill(97)
  let left = bytes
  let part = 0
  return new ReadableStream({
    pull(controller) {
      if (part === 0) controller.enqueue(Buffer.from(HEAD))
      else if (left > 0) {
        controller.enqueue(block.subarray(0, Math.min(left, block.length)))
        left -= block.length
      } else {
        controller.enqueue(Buffer.from(TAIL))
        controller.close()
      }
      part++
    },
  })
}

const lengthOf = (bytes: number): number => HEAD.length + bytes + TAIL.length

async function upload(
  { url }: RunningExecutable,
  token: string,
  bytes: number,
): Promise<{ status: number; key: string | undefined }> {
  const answer = await fetch(`${url}${UPLOAD}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'multipart/form-data; boundary=cut',
    },
    body: formOf(bytes),
  })
  const { data } = (await answer.json()) as { data?: { UploadKey: string }[] }
  return { status: answer.status, key: data?.[0]?.UploadKey }
}

const list = (server: RunningExecutable, folder: string): string[] =>
  readdirSync(join(server.dataFolder, folder)).sort()

/** The most memory that the process has held so far, in bytes. */
const peakOf = ({ pid }: RunningExecutable): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

test('100 MB go up and down in flat memory; a byte more is 413 and leaves nothing', async () => {
  await using server = await startExecutable()
  const token = await signIn(server)
  await upload(server, token, 1000)
  const before = peakOf(server)
  for (let count = 1; count <= 3; count++) {
    const { status, key } = await upload(server, token, LIMIT)
    expect(status).toBe(200)
    const answer = await fetch(`${server.url}/files/${key}`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    let bytes = 0
    for await (const chunk of answer.body ?? []) bytes += chunk.length
    expect(bytes).toBe(LIMIT)
  }
  expect(peakOf(server) - before).toBeLessThan(150 * MB)
  expect((await upload(server, token, LIMIT + 1)).status).toBe(413)
  expect(list(server, 'uploads')).toEqual([])
  expect(list(server, 'files')).toHaveLength(4)
})

/** The key of an upload of which only a part is sent. */
const keyOf = (part: number): string => `cut-off-${part}`

/** Sends the head of an upload and a part of its file; the socket stays open. */
function sendPart({ url }: RunningExecutable, token: string, bytes: number, part: number) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    `POST ${UPLOAD} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
      `Idempotency-Key: ${keyOf(part)}\r\n` +
      'Content-Type: multipart/form-data; boundary=cut\r\n' +
      `Content-Length: ${lengthOf(bytes)}\r\n\r\n${HEAD}`,
  )
  socket.write('x'.repeat(Math.floor(bytes * part)))
  return socket
}

test('a client who goes away after 1, 50 or 99 % leaves neither file nor row', async () => {
  await using server = await startExecutable()
  const token = await signIn(server)
  const parts = [0.01, 0.5, 0.99]
  for (const part of parts) {
    const socket = sendPart(server, token, 2 * MB, part)
    await until(() => list(server, 'uploads').length > 0)
    socket.destroy()
    await until(() => list(server, 'uploads').length === 0)
  }
  expect(list(server, 'files')).toEqual([])
  // Nothing began under their keys, so that the client sends them again.
  const again = (part: number) =>
    fetch(`${server.url}${UPLOAD}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Idempotency-Key': keyOf(part),
        'Content-Type': 'multipart/form-data; boundary=cut',
      },
      body: formOf(1000),
    })
  for (const part of parts) {
    let answer = await again(part)
    while (answer.status === 409) {
      await Bun.sleep(2)
      answer = await again(part)
    }
    expect([answer.status, answer.headers.get('Idempotency-Replayed')]).toEqual([200, null])
  }
  expect(list(server, 'files')).toHaveLength(parts.length)
})

test('kill -9 amid uploads: what was answered is there, nothing else stays', async () => {
  using home = temporaryFolder()
  const dataFolder = join(home.path, 'data')
  mkdirSync(dataFolder)
  const answered: string[] = []
  for (let round = 0; round < KILLS; round++) {
    const server = await startExecutable({ dataFolder })
    const token = await signIn(server)
    const socket = sendPart(server, token, 2 * MB, 0.5)
    let isOver = false
    const client = async (): Promise<void> => {
      while (!isOver) {
        const { key } = await upload(server, token, 20_000).catch(() => ({ key: undefined }))
        if (key === undefined) return
        answered.push(key)
      }
    }
    const clients = [client(), client(), client()]
    const wanted = answered.length + 10 + 7 * round
    while (answered.length < wanted) await Bun.sleep(1)
    await server.kill()
    isOver = true
    await Promise.all(clients)
    socket.destroy()
  }
  await using server = await startExecutable({ dataFolder })
  const token = await signIn(server)
  for (const key of answered) {
    const answer = await fetch(`${server.url}/files/${key}`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    expect([answer.status, (await answer.bytes()).length]).toEqual([200, 20_000])
  }
  using database = new Database(join(dataFolder, 'engine.db'), { readonly: true })
  using state = new Database(join(dataFolder, 'state.db'), { readonly: true })
  const listKeys = (): string[] =>
    database
      .query<{ Key: string }, []>('SELECT Key FROM svc_uploads')
      .all()
      .map(({ Key }) => Key)
  // A file without a row is noted after the start, and waits a day.
  await until(() => {
    const strays = state.query<{ Path: string }, []>('SELECT Path FROM svc_strays').all()
    const known = new Set(listKeys().concat(strays.map(({ Path }) => basename(Path))))
    return list(server, 'files').every((name) => known.has(name))
  })
  const keys = listKeys()
  expect(await server.stop()).toBe(0)
  expect(list(server, 'files')).toEqual(expect.arrayContaining(keys))
  expect(list(server, 'uploads')).toEqual([])
})

/** Asks for a file and takes nothing of it but its first bytes. */
async function readSlowly({ url }: RunningExecutable, token: string, path: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  const begun = Promise.withResolvers<void>()
  socket.once('data', () => {
    socket.pause()
    begun.resolve()
  })
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  await begun.promise
  return socket
}

test('clients who hardly read a large file (fault 17) cost no memory, hold nobody up', async () => {
  await using server = await startExecutable()
  const token = await signIn(server)
  const { key } = await upload(server, token, LIMIT)
  const before = peakOf(server)
  const path = `/files/${key}`
  const sockets = await Promise.all(
    Array.from({ length: 30 }, () => readSlowly(server, token, path)),
  )
  const answer = await fetch(`${server.url}${path}`, {
    headers: { Authorization: `Bearer ${token}`, Range: 'bytes=5-9' },
  })
  expect([answer.status, await answer.text()]).toEqual([206, 'aaaaa'])
  expect((await upload(server, token, 1000)).status).toBe(200)
  expect(peakOf(server) - before).toBeLessThan(100 * MB)
  for (const socket of sockets) socket.destroy()
  expect(await server.stop()).toBe(0)
})
