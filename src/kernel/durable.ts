/** Files and folders that survive a loss of power: each is whole or absent, and so is its name. */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

const OWNER_FOLDER = 0o700
const OWNER_FILE = 0o600

/** Resolves when the names in a folder are on the disk; Windows does that by itself. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes a missing folder, for its owner alone; its name is on the disk then. */
export function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: OWNER_FOLDER })
  if (first === undefined) return
  const end = dirname(resolve(first))
  for (let made = dirname(resolve(folder)); ; made = dirname(made)) {
    syncNames(made)
    if (made.length <= end.length) return
  }
}

/**
 * Gives a file that is written its name, instead of what bore it: after a loss of power that is
 * either of the two, whole.
 */
export function placeFile(part: string, target: string): void {
  syncPath(part, 'r+')
  renameSync(part, target)
  syncNames(dirname(target))
}

/** Writes a small file for its owner alone: afterwards it is there, whole, whatever happens. */
export function saveFile(path: string, text: string): void {
  const part = `${path}.part`
  writeFileSync(part, text, { mode: OWNER_FILE })
  placeFile(part, path)
}

/** A folder above that this user may not read keeps its names as well as it can. */
function syncNames(folder: string): void {
  if (process.platform === 'win32') return
  try {
    syncPath(folder, 'r')
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
    if (code !== 'EACCES' && code !== 'EPERM') throw error
  }
}

function syncPath(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
