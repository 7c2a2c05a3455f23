/** Errors of the operating system as sentences for whoever typed the command. */
import { tmpdir } from 'node:os'

const CONDITIONS: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only',
  EACCES: 'this user may not read or write it',
  EPERM: 'this user may not read or write it',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of this user is used up',
  ENOENT: 'it is not there',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  EEXIST: 'it is there already, as something else',
  ELOOP: 'its path is a circle of links',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'this process has too many open files (ulimit -n)',
  ENFILE: 'the system has too many open files',
  EIO: 'the disk failed',
}

/** A sentence for an error that the machine caused; undefined for any other. */
export function describeSystemError(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined
  return describeLibrary(thrown.message) ?? describePath(thrown)
}

function describePath(error: Error): string | undefined {
  if (!('code' in error) || typeof error.code !== 'string') return undefined
  const condition = CONDITIONS[error.code]
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
  const missingMusl = /Error loading shared library (lib[\w+.-]+\.so[\d.]*)/.exec(message)?.[1]
  const library = missing ?? missingMusl
  if (library !== undefined)
    return `The shared library ${library} is missing. Alpine Linux: apk add libstdc++ libgcc`
  if (!NOT_UNPACKED.test(message)) return undefined
  return (
    `The database library cannot be loaded from the temporary folder ${tmpdir()}: it ` +
    'must be writable and must allow programs to run. Set TMPDIR to a folder that is and does'
  )
}

const NOT_UNPACKED = /\.node: (?:failed to map segment|cannot open shared object file)/
