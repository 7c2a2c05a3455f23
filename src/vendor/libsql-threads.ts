/**
 * Threads of the native package: what runs off the event loop needs one, and a runaway holds one.
 * The package has one a core, which an environment variable of its runtime raises.
 * Goes when the package takes the number as an option.
 */
import { dlopen, FFIType } from 'bun:ffi'

/** Enough for every lane, both writers and a command beside them to be busy at once. */
const THREADS = '24'
const NAME = 'TOKIO_WORKER_THREADS'

function reserveThreads(): boolean {
  if (process.platform === 'win32') return reserveOnWindows()
  return C_LIBRARIES[process.platform === 'darwin' ? 'darwin' : 'linux'].some(reserveByLibrary)
}

const C_LIBRARIES = {
  darwin: ['libSystem.B.dylib'],
  linux: ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`],
} as const

function reserveByLibrary(library: string): boolean {
  try {
    const c = dlopen(library, {
      setenv: { args: [FFIType.cstring, FFIType.cstring, FFIType.i32], returns: FFIType.i32 },
    })
    // 0: a value that the operator has set stays.
    return c.symbols.setenv(cString(NAME), cString(THREADS), 0) === 0
  } catch {
    return false
  }
}

function reserveOnWindows(): boolean {
  try {
    const kernel = dlopen('kernel32.dll', {
      SetEnvironmentVariableA: { args: [FFIType.cstring, FFIType.cstring], returns: FFIType.i32 },
    })
    return kernel.symbols.SetEnvironmentVariableA(cString(NAME), cString(THREADS)) !== 0
  } catch {
    return false
  }
}

const cString = (text: string): Buffer => Buffer.from(`${text}\0`)

/**
 * True once the thread count of libSQL's runtime is raised, which is done at import. It has one a
 * core otherwise: two runaway reads on two cores would stop every commit. It reads the environment
 * once, when the first database is opened, and only the native environment, which `process.env`
 * does not reach. False where the C library is not found; the reader then keeps to one lane.
 */
export const hasThreads: boolean = reserveThreads()
