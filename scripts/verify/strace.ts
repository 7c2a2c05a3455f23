/** The executable under strace, which makes its system calls fail or writes them down. */

/** Why a part that needs strace was left out; undefined where it can run. */
export function findObstacle(): string | undefined {
  if (process.platform !== 'linux') return 'left out: strace is for Linux alone'
  if (!Bun.which('strace')) return 'LEFT OUT: strace is not installed (apt-get install strace)'
  const { exitCode } = Bun.spawnSync(['strace', '-f', '--seccomp-bpf', '-o', '/dev/null', 'true'])
  return exitCode === 0 ? undefined : 'LEFT OUT: strace may not trace here'
}

/** A system call, as strace names it, that fails. */
export interface Injection {
  call: string
  /** EIO unless told. */
  error?: string
  /** Which of a thread's calls fail: `5..9`, or `5+3` for the fifth and each third one after it. */
  when: string
}

/** The files whose calls fail, all where none is named, and where each failure is written down. */
export interface InjectionScope {
  files: readonly string[]
  log: string
}

const planFaults = (injections: readonly Injection[], { files, log }: InjectionScope): string[] => [
  ...['-f', '-qq', '-Z', '-o', log, '-e'],
  `trace=${[...new Set(injections.map(({ call }) => call))].join(',')}`,
  ...files.flatMap((file) => ['-P', file]),
  ...injections.flatMap(({ call, when, error = 'EIO' }) => [
    '-e',
    `inject=${call}:error=${error}:when=${when}`,
  ]),
]

/** The command that starts the executable so that calls fail from its first one on. */
export const planTracedStart = (
  injections: readonly Injection[],
  scope: InjectionScope,
): string[] => ['strace', '--seccomp-bpf', ...planFaults(injections, scope)]

/** Makes calls of a running process fail; the faults are over once this is disposed of. */
export async function attachFaults(
  pid: number,
  injections: readonly Injection[],
  scope: InjectionScope,
): Promise<AsyncDisposable> {
  const words = planFaults(injections, scope).filter((word) => word !== '-qq')
  const tracer = Bun.spawn(['strace', '-p', String(pid), ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // It says so once it is attached.
  const reader = tracer.stderr.getReader()
  await reader.read()
  reader.releaseLock()
  return {
    [Symbol.asyncDispose]: async () => {
      tracer.kill('SIGINT')
      await tracer.exited
    },
  }
}
