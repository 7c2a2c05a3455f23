/** TLS of the executable as openssl and curl of Debian see it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  builtExecutable,
  type RunningExecutable,
  startExecutable,
  temporaryFolder,
} from '../support/executable.ts'
import { until } from '../support/until.ts'

const home = temporaryFolder()
const path = (name: string): string => join(home.path, name)
let server: RunningExecutable
let redirectPort = 0

/** Exit code and both outputs of a program. */
async function run(...words: string[]): Promise<{ code: number; text: string }> {
  const child = Bun.spawn(words, { stdin: new Blob(['']), stdout: 'pipe', stderr: 'pipe' })
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()]
  const text = (await Promise.all(texts)).join('')
  return { code: await child.exited, text }
}

/** Signs a certificate for 127.0.0.1 by an intermediate authority, and writes it with its chain. */
async function issue(name: string): Promise<void> {
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1']
  const signed = ['-CA', path('middle.pem'), '-CAkey', path('middle.key')]
  await make(name, [...subject, ...signed, '-addext', 'basicConstraints=critical,CA:FALSE'])
  const chain = [`${name}.pem`, 'middle.pem'].map((file) => Bun.file(path(file)).text())
  await Bun.write(path(`${name}.pem`), (await Promise.all(chain)).join(''))
}

async function make(name: string, words: string[]): Promise<void> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc']
  const files = ['-keyout', path(`${name}.key`), '-out', path(`${name}.pem`), '-days', '30']
  const made = await run('openssl', 'req', '-x509', ...key, ...files, ...words)
  expect(made).toEqual({ code: 0, text: expect.any(String) })
}

const install = (name: string): void => {
  for (const end of ['key', 'pem']) copyFileSync(path(`${name}.${end}`), path(`served.${end}`))
}

const TLS = ['Cert', 'Key'] as const

const flagsOf = (name: string): string[] =>
  TLS.map((word) => `--Svc:Http:Tls:${word}=${path(`${name}.${word === 'Key' ? 'key' : 'pem'}`)}`)

beforeAll(async () => {
  await make('root', ['-subj', '/CN=root'])
  const signed = ['-CA', path('root.pem'), '-CAkey', path('root.key')]
  await make('middle', ['-subj', '/CN=middle', ...signed])
  await issue('first')
  await issue('second')
  install('first')
  const free = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
  redirectPort = free.port
  free.stop(true)
  const redirect = `--Svc:Http:Tls:RedirectPort=${redirectPort}`
  const socket = `--Svc:Http:Unix=${path('http.sock')}`
  server = await startExecutable({ args: ['--demo', ...flagsOf('served'), redirect, socket] })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  home[Symbol.dispose]()
})

const curl = (...words: string[]) =>
  run('curl', '-sS', '-i', '--cacert', path('root.pem'), ...words)

test('curl trusts the chain that is sent, and sees what browsers are told', async () => {
  const { code, text } = await curl(`${server.url}/health/live`)
  expect([code, text]).toEqual([0, expect.stringContaining('HTTP/1.1 200 OK')])
  expect(text).toContain('Strict-Transport-Security: max-age=15552000\r\n')
})

test.each([
  ['-tls1', false],
  ['-tls1_1', false],
  ['-tls1_2', true],
  ['-tls1_3', true],
])('openssl with %s: accepted is %p', async (version, isAccepted) => {
  const { host } = new URL(server.url)
  const weak = ['-cipher', 'DEFAULT@SECLEVEL=0']
  const { code, text } = await run('openssl', 's_client', version, ...weak, '-connect', host)
  expect([code === 0, text.includes('alert protocol version')]).toEqual([isAccepted, !isAccepted])
})

test('neither compression nor renegotiation by the client', async () => {
  const words = ['-tls1_2', '-connect', new URL(server.url).host]
  const { text } = await run('openssl', 's_client', ...words)
  expect(text).toContain('Compression: NONE')
  expect(text).toContain('Secure Renegotiation IS supported')
})

test('plain HTTP at its port is sent to https, with its method and path', async () => {
  const { text } = await curl('-X', 'POST', `http://127.0.0.1:${redirectPort}/erp/x?y=1`)
  expect(text).toContain('HTTP/1.1 308 Permanent Redirect')
  expect(text).toContain(`Location: ${server.url}/erp/x?y=1\r\n`)
  const { code } = await curl('-L', `http://127.0.0.1:${redirectPort}/health/live`)
  expect(code).toBe(0)
})

test('curl comes by the Unix socket, too', async () => {
  const { text } = await curl('--unix-socket', path('http.sock'), 'http://localhost/health/live')
  expect(text).toContain('HTTP/1.1 200 OK')
  expect(server.output()).toContain(`listening on unix:${path('http.sock')}`)
})

test('a renewed certificate is served without a new start', async () => {
  const name = async (): Promise<string> => {
    const words = ['-connect', new URL(server.url).host]
    return (
      /subject=.*CN ?= ?(\w+)/.exec((await run('openssl', 's_client', ...words)).text)?.[1] ?? ''
    )
  }
  expect(await name()).toBe('first')
  install('second')
  await until(async () => (await name()) === 'second')
  expect((await curl(`${server.url}/health/live`)).code).toBe(0)
})

test('two servers never share a port, though one does with its next listener', async () => {
  const { port } = new URL(server.url)
  const words = ['serve', '--data', path('other'), '--port', port, ...flagsOf('served')]
  const { code, text } = await run(await builtExecutable(), ...words)
  expect([code, text]).toEqual([1, expect.stringContaining(`Cannot listen on 127.0.0.1:${port}`)])
})

test('a key of another certificate stops the start, before the folder is touched', async () => {
  const args = [flagsOf('first')[0] ?? '', flagsOf('second')[1] ?? '']
  const dataFolder = path('untouched')
  const words = ['serve', '--data', dataFolder, ...args]
  const { code, text } = await run(await builtExecutable(), ...words)
  expect([code, text]).toEqual([1, expect.stringContaining('is not the key of the certificate in')])
  expect(existsSync(join(dataFolder, 'engine.db'))).toBe(false)
})
