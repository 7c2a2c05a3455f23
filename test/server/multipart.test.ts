/** Multipart forms as they come over a socket: whole, broken, cut short, too large. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { STATUS } from '../../src/kernel/envelope.ts'
import { denied, Failure } from '../../src/kernel/failure.ts'
import { receiveMultipart } from '../../src/server/multipart.ts'
import { temporaryFolder } from '../support/executable.ts'

const home = temporaryFolder()
const folder = join(home.path, 'uploads')
const FILE_BYTES_MAX = 300_000

let seen: unknown[] = []
let server: ReturnType<typeof Bun.serve>

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    maxRequestBodySize: 1e9,
    fetch: async (request) => {
      try {
        await using form = await receiveMultipart(request, {
          folder,
          fileBytesMax: FILE_BYTES_MAX,
          filesMax: 3,
          ...(request.headers.has('x-hurry') && { speed: { afterMs: 0, bytesPerSecond: 1e6 } }),
          onFile: (fields) => {
            if (fields.get('objectname') === 'Secret') throw denied()
          },
        })
        const files = form.files.map(({ path, head, ...file }) => ({
          ...file,
          text: readFileSync(path, 'latin1'),
          head: head.length,
        }))
        if (form.fields.has('keep')) for (const file of form.files) form.keep(file)
        seen.push({ fields: Object.fromEntries(form.fields), files })
        return new Response('ok')
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        return new Response(error.message, { status: STATUS[error.kind] })
      }
    },
  })
})
afterAll(async () => {
  await server.stop(true)
  home[Symbol.dispose]()
})

async function post(form: FormData | string, type?: string): Promise<number> {
  seen = []
  const response = await fetch(server.url, {
    method: 'POST',
    body: form,
    ...(type !== undefined && { headers: { 'Content-Type': type } }),
  })
  await response.text()
  return response.status
}

const left = (): string[] => readdirSync(folder)

test('fields and files arrive as they were sent', async () => {
  const form = new FormData()
  form.set('objectName', 'Orders')
  form.set('Ünï', 'wert')
  form.append('file', new File(['a,b\r\n1,2\r\n'], '../../etc/größe "x".csv'))
  form.append('file', new File([new Uint8Array(200_000).fill(65)], 'big.bin'))
  expect(await post(form)).toBe(200)
  expect(seen).toMatchObject([
    {
      fields: { objectname: 'Orders', ünï: 'wert' },
      files: [
        { field: 'file', size: 10, text: 'a,b\r\n1,2\r\n' },
        { fileName: 'big.bin', size: 200_000, head: 4100 },
      ],
    },
  ])
  const [{ files }] = seen as [{ files: { fileName: string }[] }]
  expect(files[0]?.fileName).not.toContain('/')
  expect(left()).toEqual([])
})

test('a file over its limit is 413, and nothing of it stays', async () => {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(FILE_BYTES_MAX + 1)], 'x'))
  expect(await post(form)).toBe(413)
  expect(left()).toEqual([])
})

test('what is known to be refused is refused before the file is read', async () => {
  const form = new FormData()
  form.set('objectName', 'Secret')
  form.set('file', new File([new Uint8Array(250_000)], 'x'))
  expect(await post(form)).toBe(401)
  expect(left()).toEqual([])
})

test('broken forms are 400', async () => {
  const type = 'multipart/form-data; boundary=b'
  const part = '--b\r\nContent-Disposition: form-data; name="a"; filename="x"\r\n\r\n'
  const bodies: [string, string][] = [
    ['{}', 'application/json'],
    ['nothing', 'multipart/form-data'],
    ['', type],
    ['no boundary here', type],
    [`${part}text without an end`, type],
    [
      `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${'x'.repeat(2e6)}\r\n--b--\r\n`,
      type,
    ],
    [
      `${'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n'.repeat(1000)}--b--\r\n`,
      type,
    ],
    [`${`${part}x\r\n`.repeat(10)}--b--\r\n`, type],
    // Each field is short enough, all of them are not.
    [
      `${`--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${'x'.repeat(3e5)}\r\n`.repeat(4)}--b--\r\n`,
      type,
    ],
  ]
  const statuses: number[] = []
  for (const [body, contentType] of bodies) statuses.push(await post(body, contentType))
  expect(statuses).toEqual(bodies.map(() => 400))
  expect(left()).toEqual([])
})

test('a caller who goes away leaves no file', async () => {
  const socket = connect(Number(server.port), '127.0.0.1')
  const head = '--b\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\n'
  socket.write(
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n' +
      `Content-Length: 100000\r\n\r\n${head}${'x'.repeat(50_000)}`,
  )
  while (!left().length) await Bun.sleep(5)
  socket.destroy()
  while (left().length) await Bun.sleep(5)
  expect(left()).toEqual([])
})

test('a body that drips is ended with a 400, and leaves no file', async () => {
  const socket = connect(Number(server.port), '127.0.0.1')
  let answer = ''
  socket.on('data', (data) => (answer += data.toString()))
  const head = '--b\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\n'
  socket.write(
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n' +
      `X-Hurry: 1\r\nContent-Length: 100000\r\n\r\n${head}slowly`,
  )
  while (!answer.includes('too slowly')) await Bun.sleep(5)
  expect(answer).toStartWith('HTTP/1.1 400')
  expect(left()).toEqual([])
  socket.destroy()
})

test('a file that is kept stays', async () => {
  const form = new FormData()
  form.set('keep', '1')
  form.set('file', new File(['mine'], 'x'))
  expect(await post(form)).toBe(200)
  expect(left().map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['mine'])
})
