/**
 * Runtime options that Bun and the C library read from the environment before any program begins,
 * and in no other way. A server begins by running itself once more with them, as the same process:
 * 25 ms.
 *
 * `MIMALLOC_PURGE_HOLES_MIN_INTERVAL`: ten times a second Bun's allocator looks for pages without
 * anything alive among those that are in use and gives them back to the system, which clears each
 * again when it is needed next. That is a seventh of a form and of an update, and a quarter of an
 * import. Where it never does, a server that has been used for minutes takes 25 to 50 MB more;
 * three times a minute cost nothing that could be measured.
 *
 * `BUN_JSC_forceRAMSize` and the two growth factors: JavaScript collects garbage by how much memory
 * the machine has. A used server took 250 MB as on a machine of 1 GB, 234 MB so, and answered as
 * fast; as on one of 256 MB it took 200 MB and did half as much, since it collected its whole heap
 * ten times a second. By the factors a heap beyond a quarter of that size still has half of what is
 * alive as room.
 *
 * `MALLOC_ARENA_MAX`: glibc has eight heaps for each core, and what is free in one serves no thread
 * of another. SQLite works on many threads, and behind one lock for all that it allocates, so that
 * none waits longer for one heap. A used server takes 20 to 30 MB less.
 *
 * `BUN_CONFIG_MAX_HTTP_REQUESTS`: of more requests than these Bun sends none before another is
 * done. The client's process passes on what browsers ask for, and 256 slow ones would stop all.
 *
 * Goes when Bun has options of the executable for them.
 */
import { dlopen, FFIType, ptr } from 'bun:ffi'
import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'

const RAM_BYTES = 512 * 1024 * 1024

/** Time between two looks of the allocator for what it can give back, at the least. */
const PURGE_MS = 20_000

/** As many as the number that Bun reads can be. */
const REQUESTS_MAX = 65_535

/** Memory of the machine, or of the container's limit, in bytes; 0 means unbounded. */
const findMemory = (): number => Math.min(totalmem(), process.constrainedMemory() || Infinity)

/** Values by name, for variables that the operator has not set. */
const planOptions = (): Record<string, string> => ({
  BUN_CONFIG_MAX_HTTP_REQUESTS: String(REQUESTS_MAX),
  MALLOC_ARENA_MAX: '1',
  MIMALLOC_PURGE_HOLES_MIN_INTERVAL: String(PURGE_MS),
  ...(findMemory() > RAM_BYTES && {
    BUN_JSC_forceRAMSize: String(RAM_BYTES),
    BUN_JSC_mediumHeapGrowthFactor: '1.75',
    BUN_JSC_largeHeapGrowthFactor: '1.5',
  }),
})

const C_LIBRARIES = ['libc.so.6', `libc.musl-${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.so.1`]

/** Texts as the C library takes a list of them. */
function planList(texts: readonly string[]): { list: BigUint64Array; texts: Buffer[] } {
  const held = texts.map((text) => Buffer.from(`${text}\0`))
  return { list: new BigUint64Array([...held.map((each) => BigInt(ptr(each))), 0n]), texts: held }
}

/** Comes back only where the system refuses. */
function replaceProcess(file: string, words: readonly string[], env: readonly string[]): void {
  for (const library of C_LIBRARIES) {
    try {
      const { symbols } = dlopen(library, {
        execve: { args: [FFIType.ptr, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
      })
      const [path, given, set] = [Buffer.from(`${file}\0`), planList(words), planList(env)]
      symbols.execve(ptr(path), ptr(given.list), ptr(set.list))
      return
    } catch {
      // The other one, or as it is.
    }
  }
}

/** Lists the environment or the arguments that this process was begun with, to the letter. */
const listWords = (what: 'environ' | 'cmdline'): string[] =>
  readFileSync(`/proc/self/${what}`, 'utf8').split('\0').slice(0, -1)

/** Checks that this is the executable, which has its sources within, on Linux. */
const canRestart = (): boolean =>
  process.platform === 'linux' && import.meta.path.startsWith('/$bunfs/')

/**
 * Runs the executable once more in this process, with what the runtime is to read; comes back where
 * it has read it, where the operator has set all of it, and on systems other than Linux. Processes
 * that it starts later inherit it.
 */
export function restartWithOptions(): void {
  if (!canRestart()) return
  const env = listWords('environ')
  const isSet = (name: string): boolean => env.some((each) => each.startsWith(`${name}=`))
  const missing = Object.entries(planOptions()).filter(([name]) => !isSet(name))
  if (missing.length === 0) return
  const added = missing.map(([name, value]) => `${name}=${value}`)
  replaceProcess(process.execPath, listWords('cmdline'), [...env, ...added])
}
