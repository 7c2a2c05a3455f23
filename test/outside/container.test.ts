/** The container's root, run as a chroot: with what `make-root.sh` puts there, and nothing else. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { builtExecutable, temporaryFolder } from '../support/executable.ts'
import { until } from '../support/until.ts'

const PROJECT = join(import.meta.dir, '../..')
const DOCKERFILE = readFileSync(join(PROJECT, 'scripts/container/Dockerfile'), 'utf8')

const home = temporaryFolder()
const root = join(home.path, 'root')
const asRoot = process.getuid?.() === 0 ? [] : ['sudo']

beforeAll(async () => {
  const script = join(PROJECT, 'scripts/container/make-root.sh')
  const made = Bun.spawnSync([script, await builtExecutable(), root])
  expect([made.exitCode, made.stderr.toString()]).toEqual([0, ''])
  Bun.spawnSync([...asRoot, 'chown', '10001:10001', join(root, 'data')])
})
afterAll(() => {
  Bun.spawnSync([...asRoot, 'rm', '-rf', root])
  home[Symbol.dispose]()
})

/** The words of a JSON instruction of the Dockerfile. */
function wordsOf(instruction: string): string[] {
  const list = new RegExp(`${instruction} (\\[.*\\])`).exec(DOCKERFILE)?.[1] ?? '[]'
  return JSON.parse(list) as string[]
}

/** Runs a program in the root, as the user of the container, with `/proc`. */
const spawn = (words: string[]) =>
  Bun.spawn(
    [
      ...[...asRoot, 'unshare', '--mount', 'sh', '-c'],
      'mount -t proc proc "$0/proc" && exec chroot --userspec=10001:10001 "$0" "$@"',
      ...[root, ...words],
    ],
    { env: { TMPDIR: '/tmp' }, stdio: ['ignore', 'pipe', 'pipe'] },
  )

async function run(words: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(words)
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()]
  const [out = '', err = ''] = await Promise.all(texts)
  return { code: await child.exited, out, err }
}

test('the container serves, says that it is healthy, and stops as it should', async () => {
  const [entry = '', ...serve] = [...wordsOf('ENTRYPOINT'), ...wordsOf('\nCMD')]
  const atFreePort = serve.map((word) => (word === '8080' ? '0' : word))
  const child = spawn([entry, ...atFreePort, '--Svc:Log:Requests=false'])
  let told = ''
  const follow = async (): Promise<void> => {
    for await (const chunk of child.stdout) told += new TextDecoder().decode(chunk)
  }
  void follow()
  await Promise.race([until(() => /listening on \S+\n/.test(told)), child.exited])
  const port = /listening on http:\/\/0\.0\.0\.0:(\d+)/.exec(told)?.[1]
  expect([port, port === undefined ? await new Response(child.stderr).text() : '']).toEqual([
    expect.stringMatching(/^\d+$/),
    '',
  ])
  const health = [...wordsOf('HEALTHCHECK[^\\[]*CMD'), '--port', String(port)]
  expect(await run(health)).toEqual({ code: 0, out: 'ok\n', err: '' })
  child.kill('SIGTERM')
  await child.exited
  expect(await run(health)).toMatchObject({ code: 1 })
  expect(statSync(join(root, 'data')).uid).toBe(10_001)
})

test.each([
  ['librt.so.1', 'The shared library librt.so.1 is missing. It is a part of the C library'],
  ['libgcc_s.so.1', 'The shared library libgcc_s.so.1 is missing. Debian and Ubuntu: apt install'],
])('without %s it says what is missing', async (library, sentence) => {
  const path = join(root, 'lib', library)
  const kept = readFileSync(path)
  rmSync(path)
  const { code, err } = await run(['/bin/appengine', 'version'])
  await Bun.write(path, kept)
  expect([code, err]).toEqual([1, expect.stringContaining(sentence)])
})
