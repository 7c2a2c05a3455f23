/** The service as systemd of Debian sees it: its unit, and what the server tells. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  runCommand,
  type RunningExecutable,
  startExecutable,
  temporaryFolder,
} from '../support/executable.ts'
import { until } from '../support/until.ts'

const home = temporaryFolder()
afterAll(() => home[Symbol.dispose]())

async function analyze(...words: string[]): Promise<{ code: number; text: string }> {
  const child = Bun.spawn(['systemd-analyze', ...words], { stdout: 'pipe', stderr: 'pipe' })
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()]
  const text = (await Promise.all(texts)).join('')
  return { code: await child.exited, text }
}

test.each([
  ['8080', '1.3'],
  ['443', '1.7'],
])('the unit for port %s is sound, and exposed by %s at the most', async (port, most) => {
  const words = ['service', 'print', '--kind', 'systemd', '--executable', '/usr/bin/perl']
  const { exitCode, stdout } = await runCommand([...words, '--port', port], { cwd: home.path })
  expect(exitCode).toBe(0)
  const unit = join(home.path, 'appengine.service')
  writeFileSync(unit, stdout)
  expect(await analyze('verify', unit)).toEqual({ code: 0, text: '' })
  const { text } = await analyze('security', '--offline=true', unit)
  const level = /Overall exposure level for appengine.service: ([\d.]+)/.exec(text)?.[1]
  expect([level, Number(level) <= Number(most)]).toEqual([level, true])
})

test('a secret is not given to a service by a flag', async () => {
  const words = ['service', 'print', '--Svc:Mail:Password=hidden']
  const { exitCode, stderr } = await runCommand(words, { cwd: home.path })
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining('--credential Svc__Mail__Password'),
  ])
})

/** Prints each datagram to a socket, a line an assignment. */
const RECEIVER = `use Socket; $| = 1; socket(my $s, AF_UNIX, SOCK_DGRAM, 0) or die $!;
bind($s, pack_sockaddr_un($ARGV[0])) or die $!; print "open\\n";
while (defined(recv($s, my $text, 4096, 0))) { print "$text\\n" }`

let told = ''
let receiver: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
let server: RunningExecutable
beforeAll(async () => {
  const socket = join(home.path, 'notify')
  receiver = Bun.spawn(['perl', '-e', RECEIVER, socket], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const follow = async (): Promise<void> => {
    for await (const chunk of receiver.stdout) told += new TextDecoder().decode(chunk)
  }
  void follow()
  await until(() => told.includes('open'))
  const env = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '300000' }
  server = await startExecutable({ env })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  receiver.kill()
})

test('systemd is told when it answers, that it lives, and that it stops', async () => {
  await until(() => told.includes('READY=1\nSTATUS=Serving\n'))
  await until(() => told.split('WATCHDOG=1\n').length > 3)
  expect(told).not.toContain('STOPPING=1')

  const health = async (...words: string[]) => {
    const { port } = new URL(server.url)
    const given = words.length > 0 ? words : ['--port', port]
    return runCommand(['health', ...given], { cwd: home.path })
  }
  expect(await health()).toEqual({ exitCode: 0, stdout: 'ok\n', stderr: '' })
  expect(await health('--url', server.url)).toEqual({ exitCode: 0, stdout: 'ok\n', stderr: '' })
  const foreign = await health('--url', `${server.url}/none`)
  expect([foreign.exitCode, foreign.stderr]).toEqual([
    1,
    expect.stringContaining('Not ready (401)'),
  ])

  expect(await server.stop()).toBe(0)
  await until(() => told.includes('STOPPING=1'))
  const gone = await health()
  expect([gone.exitCode, gone.stderr]).toEqual([1, expect.stringContaining('No server answers at')])
})
