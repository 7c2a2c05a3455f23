/** The file of a Unix socket: cleared of what a killed server left behind, and given its rights. */
import { lstatSync, unlinkSync } from 'node:fs'
import { SettingError } from '../../kernel/settings.ts'
import { LISTENING } from './settings.ts'

/** Longest path of a Unix socket, in bytes; `sun_path` of macOS is the shortest. */
const PATH_BYTES_MAX = 103

/**
 * Makes the path free for a new socket. @throws SettingError where another server listens there, or
 * where the file is not a socket: nothing of others is removed
 */
export async function clearSocket(path: string): Promise<void> {
  const fault = (sentence: string): SettingError =>
    new SettingError(`Setting ${LISTENING.unix.name}: ${sentence}`)
  if (Buffer.byteLength(path) > PATH_BYTES_MAX)
    throw fault(`${path} is longer than the ${PATH_BYTES_MAX} bytes that a socket's path may have`)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isSocket()) throw fault(`${path} exists and is not a socket. Choose another path`)
  if (await isAnswered(path)) throw fault(`another server listens on ${path}`)
  unlinkSync(path)
}

async function isAnswered(unix: string): Promise<boolean> {
  try {
    const socket = await Bun.connect({ unix, socket: { data: () => undefined } })
    socket.end()
    return true
  } catch (error) {
    // Whatever else keeps this user out of it: it is not known to be dead.
    return !(error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')
  }
}
