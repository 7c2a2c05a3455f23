/** The processes of a bench: the server on one core, the load on the other. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadJob, LoadResult } from './load.ts'

const SERVER_CORE = '0'
const LOAD_CORE = '1'

/** Holds a command to one core where the machine has `taskset`. */
const onCore = (core: string, command: string[]): string[] =>
  Bun.which('taskset') ? ['taskset', '-c', core, ...command] : command

export interface ServerProcess extends AsyncDisposable {
  port: number
  pid: number
  /** Milliseconds from its start to its word that it listens. */
  startedIn: number
}

/**
 * Starts a server on the server's core, or on all of them (`isFree`); resolves once it says where
 * it listens.
 */
export async function startServer(
  command: string[],
  input?: unknown,
  isFree = false,
): Promise<ServerProcess> {
  const startedAt = performance.now()
  const child = Bun.spawn(isFree ? command : onCore(SERVER_CORE, command), {
    stdin: input === undefined ? 'ignore' : new Blob([JSON.stringify(input)]),
    stdout: 'pipe',
    // The engine's log is not of interest here; what ends a bare server is.
    stderr: input === undefined ? 'ignore' : 'inherit',
  })
  let text = ''
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const port = /listening on http:\/\/[^:]+:(\d+)/.exec(text)?.[1]
    if (port !== undefined) {
      return {
        port: Number(port),
        pid: child.pid,
        startedIn: performance.now() - startedAt,
        [Symbol.asyncDispose]: async () => {
          child.kill('SIGTERM')
          await child.exited
        },
      }
    }
  }
  throw new Error(`The server ended before it listened: ${command.join(' ')}\n${text}`)
}

/** Runs one load in a process of its own on the other core. Throws when an answer was an error. */
export async function runLoad(job: LoadJob): Promise<LoadResult> {
  const load = [process.execPath, join(import.meta.dir, 'load.ts')]
  const child = Bun.spawn(onCore(LOAD_CORE, load), {
    stdin: new Blob([JSON.stringify(job)]),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('The load ended badly')
  const result = JSON.parse(text) as LoadResult
  if (result.errors > 0) {
    throw new Error(`${result.errors} answers were errors; the first: ${result.firstError}`)
  }
  return result
}

/** The worst figures of a load that is repeated until `work` has ended, at least once. */
export async function runLoadBeside(
  job: LoadJob,
  work: Promise<unknown>,
): Promise<Pick<LoadResult, 'p99' | 'max'>> {
  let isOver = false
  const ending = work.finally(() => (isOver = true))
  const loads: LoadResult[] = []
  do loads.push(await runLoad(job))
  while (!isOver)
  await ending
  const worst = (of: (load: LoadResult) => number): number => Math.max(...loads.map(of))
  return { p99: worst(({ p99 }) => p99), max: worst(({ max }) => max) }
}

/** Resident memory of a process in MiB, from the system; NaN where it does not tell. */
export const readResidentMiB = (pid: number): number => readStatusMiB(pid, 'VmRSS')

/** The most memory that a process has had at a time, in MiB; NaN where nothing tells. */
export const readPeakMiB = (pid: number): number => readStatusMiB(pid, 'VmHWM')

function readStatusMiB(pid: number, name: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}

/** The share of a process in MiB: a page that several have counts in parts; NaN where not told. */
export function readShareMiB(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}

/** Resident memory of a process and of those that it has started, in MiB. */
export function readFamilyMiB(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const children = threads.flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
    )
    return children.reduce(
      (sum, child) => sum + (readResidentMiB(Number(child)) || 0),
      readResidentMiB(pid),
    )
  } catch {
    return Number.NaN
  }
}

/** Ticks a second of the times that Linux tells of a process. */
const TICKS = 100

/** Seconds of processor by a file in which Linux tells of a process or thread. */
function readSeconds(file: string): number {
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

/** Seconds of processor that a process has used, all its threads; NaN where nothing tells. */
export function readCpuSeconds(pid: number): number {
  try {
    return readSeconds(`/proc/${pid}/stat`)
  } catch {
    return Number.NaN
  }
}

/** JavaScriptCore's threads that compile. */
const COMPILES = /^JITWorker/

/**
 * Of that, what the threads have used that compile and that are there now; 0 where nothing tells.
 */
export function readCompileSeconds(pid: number): number {
  const tasks = `/proc/${pid}/task`
  try {
    return readdirSync(tasks)
      .filter((task) => COMPILES.test(readFileSync(`${tasks}/${task}/comm`, 'utf8')))
      .reduce((sum, task) => sum + readSeconds(`${tasks}/${task}/stat`), 0)
  } catch {
    // Where there is no such folder, or a thread has ended meanwhile.
    return 0
  }
}
