/** Room on the disk that files of people leave to the database. */
import { statfs } from 'node:fs/promises'
import { unavailable } from '../../kernel/failure.ts'
import type { Failure } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'

/** A database that cannot write refuses every mutation; files are refused before that. */
export const DISK_RESERVE_BYTES = 64 * 1024 * 1024

const RETRY_SECONDS = 60

/** 503: the disk has no room for files now. */
export const diskIsFull = (): Failure =>
  unavailable(say`The disk of the server has no room for files now`, RETRY_SECONDS)

/**
 * Throws 503 where writing so many bytes into a folder that exists would touch the reserve. What
 * others write meanwhile is not counted.
 */
export async function requireRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize - bytes < DISK_RESERVE_BYTES) throw diskIsFull()
}

/** What a failed write means: 503 where the disk is full, else itself. */
export function explainWrite(error: unknown): unknown {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return code === 'ENOSPC' || code === 'EDQUOT' ? diskIsFull() : error
}
