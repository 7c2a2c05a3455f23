/** Room on the disk that files of people leave to the database. */
import { stat, statfs } from 'node:fs/promises'
import { diskIsFull, explainWrite } from '../../kernel/disk-failure.ts'

/** A database that cannot write refuses every mutation; files are refused before that. */
export const DISK_RESERVE_BYTES = 64 * 1024 * 1024

/** Bytes that are announced for each disk, by its number: uploads and imports on their way. */
const announced = new Map<number, number>()

/**
 * Throws 503 where writing so many bytes into an existing folder would touch the reserve, beside
 * all that is announced.
 */
export async function requireRoom(folder: string, bytes: number): Promise<void> {
  requireLeft(await lookAt(folder), bytes)
}

/**
 * Does the same, and announces the bytes until it is disposed of. Bytes written until then count
 * twice: too little is promised rather than too much.
 */
export async function reserveRoom(folder: string, bytes: number): Promise<Disposable> {
  const look = await lookAt(folder)
  requireLeft(look, bytes)
  const { disk } = look
  announced.set(disk, (announced.get(disk) ?? 0) + bytes)
  return {
    [Symbol.dispose]: () => {
      announced.set(disk, (announced.get(disk) ?? 0) - bytes)
    },
  }
}

interface Look {
  disk: number
  freeBytes: number
}

async function lookAt(folder: string): Promise<Look> {
  try {
    const { dev: disk } = await stat(folder)
    const { bavail, bsize } = await statfs(folder)
    return { disk, freeBytes: bavail * bsize }
  } catch (error) {
    throw explainWrite(error)
  }
}

/** Checks without a pause before the announcement, so that no two writers take the same room. */
function requireLeft({ disk, freeBytes }: Look, bytes: number): void {
  const left = freeBytes - (announced.get(disk) ?? 0) - bytes
  if (left < DISK_RESERVE_BYTES) throw diskIsFull()
}
