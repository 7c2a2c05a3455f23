/**
 * Refusals of the disk, as a 503 that says which of three things is so: files cannot be read,
 * cannot be written, or there is no room. They may pass, so they are not faults of the engine.
 */
import { Failure } from './failure.ts'
import { say } from './messages.ts'

/** The code of a 503 for the disk's sake. */
export const STORAGE_FAILED = 'STORAGE_FAILED'

const RETRY_SECONDS = '5'
const ROOM_RETRY_SECONDS = '60'

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])

/** System calls that change a folder or a file. */
const WRITING: ReadonlySet<string> = new Set([
  ...['write', 'pwrite', 'writev', 'fsync', 'fdatasync', 'ftruncate', 'rename', 'unlink'],
  ...['link', 'symlink', 'rm', 'rmdir', 'mkdir', 'copyfile', 'chmod', 'fchmod', 'utime'],
])

/** System calls that only read. */
const READING: ReadonlySet<string> = new Set([
  ...['open', 'read', 'pread', 'readv', 'stat', 'lstat', 'fstat', 'statfs', 'access', 'close'],
  ...['opendir', 'scandir', 'readdir', 'readlink', 'realpath'],
])

/** Checks that a system call changes a folder or a file. */
export const isWriting = (syscall: string): boolean => WRITING.has(syscall)

/** The code of an error of the file system (`EIO`), or ''. One of the network names other calls. */
export function diskCodeOf(error: unknown): string {
  if (!(error instanceof Error) || error instanceof Failure) return ''
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code !== 'string' || typeof syscall !== 'string' || !/^E[A-Z0-9]+$/.test(code))
    return ''
  return WRITING.has(syscall) || READING.has(syscall) ? code : ''
}

/** 503: the disk has no room for files now. */
export const diskIsFull = (cause?: unknown): Failure =>
  new Failure('unavailable', say`The server has no disk space left for files. Try again later.`, {
    headers: { 'Retry-After': ROOM_RETRY_SECONDS },
    cause,
  })

const cannotWrite = (cause: unknown): Failure =>
  new Failure('unavailable', say`The server cannot write files right now. Try again later.`, {
    code: STORAGE_FAILED,
    headers: { 'Retry-After': RETRY_SECONDS },
    cause,
  })

/** 503: files cannot be read now. */
export const cannotRead = (cause: unknown): Failure =>
  new Failure('unavailable', say`The server cannot read files right now. Try again later.`, {
    code: STORAGE_FAILED,
    headers: { 'Retry-After': RETRY_SECONDS },
    cause,
  })

/** Explains a failed write of a file: a 503 where the disk refused it, else the error itself. */
export function explainWrite(error: unknown): unknown {
  const code = diskCodeOf(error)
  if (code === '') return error
  return FULL.has(code) ? diskIsFull(error) : cannotWrite(error)
}

/** The same of a read; a file that is not there is the caller's affair. */
export function explainRead(error: unknown): unknown {
  const code = diskCodeOf(error)
  if (code === '' || code === 'ENOENT') return error
  return FULL.has(code) ? diskIsFull(error) : cannotRead(error)
}

/** Explains a refusal of the file system by its system call; undefined for any other error. */
export function findDiskFailure(error: unknown): Failure | undefined {
  if (diskCodeOf(error) === '') return undefined
  const { syscall = '' } = error as { syscall?: string }
  const failure = WRITING.has(syscall) ? explainWrite(error) : explainRead(error)
  return failure instanceof Failure ? failure : undefined
}
