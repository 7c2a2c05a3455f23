/** Options of the runtime for a server, which are set before any program begins. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { builtExecutable, runCommand, startExecutable } from '../support/executable.ts'

const OPTION = /^(?:MALLOC_|MIMALLOC_|BUN_JSC_)/
const isLinux = process.platform === 'linux'

const listParts = (pid: number, what: 'environ' | 'cmdline'): string[] =>
  readFileSync(`/proc/${pid}/${what}`, 'utf8').split('\0').slice(0, -1)

/** The arguments of a process, as the system reports them. */
const optionsOf = (pid: number): string[] =>
  isLinux ? listParts(pid, 'environ').filter((each) => OPTION.test(each)) : []

test('a server has them from its start on, as the process that was started', async () => {
  await using server = await startExecutable()
  expect(optionsOf(server.pid).toSorted()).toEqual(
    isLinux
      ? [
          'BUN_JSC_forceRAMSize=536870912',
          'BUN_JSC_largeHeapGrowthFactor=1.5',
          'BUN_JSC_mediumHeapGrowthFactor=1.75',
          'MALLOC_ARENA_MAX=1',
          'MIMALLOC_PURGE_HOLES_MIN_INTERVAL=20000',
        ]
      : [],
  )
  if (isLinux) {
    expect(listParts(server.pid, 'cmdline').slice(1, 3)).toEqual(['serve', '--port'])
    const name = readFileSync(`/proc/${server.pid}/comm`, 'utf8').trim()
    expect(name).toBe(basename(await builtExecutable()))
  }
  // Not before its extensions are read.
  const isReady = async () => (await fetch(`${server.url}/health/ready`)).status === 200
  while (!(await isReady())) await Bun.sleep(10)
  expect(await server.stop()).toBe(0)
})

test('what the operator has set stays', async () => {
  const env = {
    MALLOC_ARENA_MAX: '4',
    MIMALLOC_PURGE_HOLES_MIN_INTERVAL: '100',
    BUN_JSC_forceRAMSize: '1073741824',
    BUN_JSC_mediumHeapGrowthFactor: '2',
    BUN_JSC_largeHeapGrowthFactor: '2',
  }
  await using server = await startExecutable({ env })
  if (isLinux)
    expect(optionsOf(server.pid).toSorted()).toEqual(
      Object.entries(env)
        .map(([name, value]) => `${name}=${value}`)
        .toSorted(),
    )
})

test('wrong words of a server are told once', async () => {
  const { exitCode, stderr } = await runCommand(['serve', '--port', 'x'], { cwd: '/' })
  expect(exitCode).toBe(2)
  expect(stderr.match(/--port/g)).toHaveLength(1)
})
