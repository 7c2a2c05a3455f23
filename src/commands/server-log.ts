/** The log of a server: standard error, or the file that a setting names. */
import { resolve } from 'node:path'
import { LOG_FILE, LogFile } from '../kernel/log-file.ts'
import { createLog, writeStandardError } from '../kernel/log.ts'
import { LOG_LEVEL } from '../kernel/part.ts'
import type { HeldFolder } from './data-folder.ts'
import { CommandFailure } from './output.ts'

/** Opens the log again at this signal, after another program has renamed the file. */
const REOPEN = 'SIGUSR1'

/** The folder with the log of a server. @throws CommandFailure for a file that cannot be opened */
export function withServerLog(held: HeldFolder): HeldFolder {
  const { settings, clock, folder } = held
  const named = settings.get(LOG_FILE.file)
  if (named === '') return held
  const path = resolve(folder, named)
  const file = openFile(path, held)
  const log = createLog(clock, file.write, settings.get(LOG_LEVEL))
  if (process.platform !== 'win32')
    process.on(REOPEN, () => {
      log.flush()
      file.reopen()
    })
  return { ...held, log }
}

function openFile(path: string, { settings, clock }: HeldFolder): LogFile {
  try {
    return new LogFile({
      path,
      bytesMax: settings.get(LOG_FILE.bytesMax),
      ageMs: settings.get(LOG_FILE.ageMax),
      keep: settings.get(LOG_FILE.keep),
      clock,
      fallback: writeStandardError,
    })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CommandFailure(
      `${LOG_FILE.file.name}: ${path} cannot be opened: ${reason}. Its folder must be there.`,
      { cause },
    )
  }
}
