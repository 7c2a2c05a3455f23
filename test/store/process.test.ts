import { expect, test } from 'bun:test'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { lockDataFolder } from '../../src/store/file/lock.ts'
import { failureOf, makeFolder, openFile, rows } from './temporary.ts'

const ROUNDS = 12

const start = (task: string, folder: string, stderr: 'ignore' | 'pipe' = 'ignore') =>
  Bun.spawn([process.execPath, join(import.meta.dir, 'process.ts'), task, folder], {
    stdout: 'pipe',
    // A rival that is refused says so there.
    stderr,
  })

/** Reads the output until `enough` says so; gives back the lines so far. */
async function readLines(
  child: ReturnType<typeof start>,
  enough: (lines: string[]) => boolean,
): Promise<string[]> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true })
    if (enough(text.split('\n').slice(0, -1))) break
  }
  return text.split('\n').slice(0, -1)
}

test('a second process on a folder is refused; after kill -9 the next one gets it', async () => {
  using made = makeFolder()
  const first = start('lock', made.folder)
  await readLines(first, (lines) => lines.length > 0)
  expect(await failureOf(lockDataFolder(made.folder))).toMatchObject({
    message: `Another process already uses ${made.folder}`,
  })
  first.kill('SIGKILL')
  await first.exited
  const lock = await lockDataFolder(made.folder)
  await failureOf(lockDataFolder(made.folder))
  lock.release()
  ;(await lockDataFolder(made.folder)).release()
})

test.each([1, 2, 3, 4])(
  'of several that begin at one moment one gets the folder (%i)',
  async () => {
    using made = makeFolder()
    const rivals = Array.from({ length: 6 }, () =>
      Bun.spawn([process.execPath, join(import.meta.dir, 'process.ts'), 'rival', made.folder], {
        ...({ stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' } as const),
      }),
    )
    const outputs = rivals.map(({ stdout }) => readWords(stdout))
    for (const output of outputs) expect((await output.next()).value).toBe('ready')
    const instant = Date.now() + 100
    for (const { stdin } of rivals) {
      stdin.write(`${instant}\n`)
      await stdin.flush()
    }
    const told = await Promise.all(outputs.map(async (output) => (await output.next()).value))
    expect(told.toSorted()).toEqual([...Array.from({ length: 5 }, () => 'in use'), 'locked'])
    for (const { stdin } of rivals) await stdin.end()
    await Promise.all(rivals.map(({ exited }) => exited))
  },
)

test('a lock that was removed lets nobody in beside who has the database open', async () => {
  using made = makeFolder()
  const server = start('write', made.folder)
  await readLines(server, (lines) => lines.length > 0)
  const file = join(made.folder, 'lock.db')
  rmSync(file)
  // In processes of their own: one that is refused has looked at the database until it ends.
  for (let times = 0; times < 2; times++) {
    const rival = start('lock', made.folder, 'pipe')
    const [told, lines] = [new Response(rival.stderr).text(), await readLines(rival, () => false)]
    expect([lines, await rival.exited]).toEqual([[], 1])
    expect(await told).toContain(`Another process already uses ${made.folder}`)
    // The next one must not take it for a lock that a server left behind.
    expect(existsSync(file)).toBe(false)
  }
  server.kill('SIGKILL')
  await server.exited
  const next = start('lock', made.folder)
  expect(await readLines(next, (lines) => lines.length > 0)).toEqual(['locked'])
  next.kill('SIGKILL')
  await next.exited
})

test('a lock that was removed is taken once more', async () => {
  using made = makeFolder()
  const lock = await lockDataFolder(made.folder)
  rmSync(join(made.folder, 'lock.db'))
  lock.keep()
  const rival = start('lock', made.folder)
  expect(await readLines(rival, (lines) => lines.length > 0)).toEqual([])
  expect(await rival.exited).toBe(1)
  lock.keep()
  lock.release()
  ;(await lockDataFolder(made.folder)).release()
})

/** The lines of an output, each as it comes. */
async function* readWords(output: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  for await (const chunk of output.pipeThrough(new TextDecoderStream()))
    yield* chunk.split('\n').filter((line) => line !== '')
}

test('after kill -9 every answered write is there, whole, and once', async () => {
  using made = makeFolder()
  const acknowledged: string[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    const child = start('write', made.folder)
    acknowledged.push(...(await readLines(child, (lines) => lines.length >= round * 5)))
    child.kill('SIGKILL')
    await child.exited
  }
  const store = await openFile(join(made.folder, 'engine.db'))
  const stored = await rows(store, "SELECT Value FROM svc_facts WHERE Name LIKE 'n%'")
  const values = new Set(stored.map((row) => String(row.Value)))
  expect(acknowledged.filter((number) => !values.has(number))).toEqual([])
  expect(acknowledged.length).toBeGreaterThan(ROUNDS * 5)
  const halves = `SELECT Value FROM svc_facts WHERE Name NOT IN ('DataId', 'EngineVersion')
    GROUP BY Value HAVING count(*) <> 2`
  expect(await rows(store, halves)).toEqual([])
  expect(await rows(store, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  await store.close()
})
