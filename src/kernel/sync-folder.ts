/** What a folder holds, kept through a loss of power. */
import { open } from 'node:fs/promises'

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
