/**
 * Sentences for errors that the machine caused. Nothing of the engine is loaded for them: a library
 * that is missing keeps it from loading.
 */
import { tmpdir } from 'node:os'
import { isWriting } from '../kernel/disk-failure.ts'

const CONDITIONS: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only',
  EACCES: 'this user may not read or write it',
  EPERM: 'this user may not read or write it',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of this user is used up',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  EEXIST: 'it already exists, as something else',
  ELOOP: 'its path has a loop of links',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'this process has too many open files (ulimit -n)',
  ENFILE: 'the system has too many open files',
  EIO: 'the disk failed',
  ESTALE: 'its file system no longer knows it',
  ETIMEDOUT: 'its file system did not answer in time',
  ENOTCONN: 'its file system is not connected',
}

/** Error codes of missing rights; the system call tells whether to read or to write. */
const DENIED: ReadonlySet<string> = new Set(['EACCES', 'EPERM'])

/** A sentence for an error that the machine caused; undefined for any other. */
export function describeSystemError(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined
  return describeLibrary(thrown.message) ?? describePath(thrown)
}

function describePath(error: Error): string | undefined {
  if (!('code' in error) || typeof error.code !== 'string') return undefined
  const { syscall } = error as { syscall?: unknown }
  const isKnown = DENIED.has(error.code) && typeof syscall === 'string' && syscall !== 'open'
  const denied = isKnown
    ? `this user may not ${isWriting(syscall) ? 'write' : 'read'} it`
    : undefined
  const condition = denied ?? CONDITIONS[error.code]
  if (condition === undefined) return undefined
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined
  return path === undefined
    ? `The system refused (${error.code}): ${condition}`
    : `${path} cannot be used (${error.code}): ${condition}`
}

/** The database library is unpacked into the temporary folder and loaded from there. */
function describeLibrary(message: string): string | undefined {
  if (/GLIBC(?:XX)?_[\d.]+' not found/.test(message))
    return `The C library of this system is too old for this executable: ${message}`
  const missing = /(lib[\w+.-]+\.so[\d.]*): cannot open shared object file/.exec(message)?.[1]
  if (missing !== undefined)
    return `The shared library ${missing} is missing. ${PACKAGES[missing] ?? OF_GLIBC}`
  const missingMusl = /Error loading shared library (lib[\w+.-]+\.so[\d.]*)/.exec(message)?.[1]
  if (missingMusl !== undefined)
    return `The shared library ${missingMusl} is missing. Alpine Linux: apk add libstdc++ libgcc`
  if (!NOT_UNPACKED.test(message)) return undefined
  return (
    `The database library cannot be loaded from the temporary folder ${tmpdir()}: it ` +
    'must be writable and must allow programs to run. Set TMPDIR to such a folder'
  )
}

const NOT_UNPACKED = /\.node: (?:failed to map segment|cannot open shared object file)/

/** Packages of the libraries that are not the C library's own. */
const PACKAGES: Readonly<Record<string, string>> = {
  'libgcc_s.so.1': 'Debian and Ubuntu: apt install libgcc-s1. Fedora: dnf install libgcc',
  'libstdc++.so.6': 'Debian and Ubuntu: apt install libstdc++6. Fedora: dnf install libstdc++',
}

const OF_GLIBC =
  'It is a part of the C library (glibc): an image that is made by hand needs it beside libc.so.6'
