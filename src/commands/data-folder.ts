/** The data folder of a command that writes: its own while it runs. */
import { resolve } from 'node:path'
import { systemClock } from '../kernel/clock.ts'
import { makeFolder } from '../kernel/durable.ts'
import { LOG_FILE } from '../kernel/log-file.ts'
import { createLog, writeStandardError } from '../kernel/log.ts'
import { LOG_LEVEL } from '../kernel/part.ts'
import type { Environment } from '../kernel/setting.ts'
import { describeStorageFault } from '../store/file/explain-fault.ts'
import { FolderInUse, lockDataFolder } from '../store/file/lock.ts'
import { BACKUP } from '../engine/backups/settings.ts'
import { closeStores, type ContextParts, openStores, type Stores } from '../server/open-context.ts'
import { configure } from '../app.ts'
import type { Arguments } from './arguments.ts'
import { CommandFailure, complain } from './output.ts'
import { tightenFolder } from './tighten-folder.ts'

/** A data folder that no other process writes to, until it is disposed of. */
export interface HeldFolder extends ContextParts, AsyncDisposable {
  /** See `DataFolderLock`. */
  keepLock(): void
}

/** The way out when a server holds the folder. */
const IN_USE =
  'The data folder is in use. Stop its server (Ctrl+C, or SIGTERM), run this again, and start it ' +
  'with "appengine serve".'

/**
 * Creates the folder where it is missing, for its owner alone, and locks it. `inUse` tells how to
 * go on where a server holds it.
 */
export async function holdDataFolder(
  args: Arguments,
  environment?: Environment,
  inUse: string = IN_USE,
): Promise<HeldFolder> {
  const folder = resolve(args.dataFolder)
  const settings = configure({ dataFolder: folder, flags: args.settings, environment })
  makeFolder(folder)
  const logFile = settings.get(LOG_FILE.file)
  const places = {
    logFile: logFile === '' ? undefined : resolve(folder, logFile),
    backups: resolve(folder, settings.get(BACKUP.folder)),
  }
  for (const warning of tightenFolder(folder, places)) complain(warning)
  const lock = await lockDataFolder(folder).catch((error: unknown) => explainLock(error, inUse))
  return {
    folder,
    settings,
    clock: systemClock,
    log: createLog(systemClock, writeStandardError, settings.get(LOG_LEVEL)),
    keepLock: () => lock.keep(),
    [Symbol.asyncDispose]: async () => lock.release(),
  }
}

function explainLock(error: unknown, inUse: string): never {
  return error instanceof FolderInUse ? explain(error, inUse) : explain(error)
}

/** Runs `work` on the stores of a data folder that no server holds. */
export async function withStores<T>(
  args: Arguments,
  work: (stores: Stores, folder: HeldFolder) => Promise<T>,
  inUse?: string,
): Promise<T> {
  await using folder = await holdDataFolder(args, undefined, inUse)
  const stores = await openStores(folder.folder, folder.settings, {
    info: complain,
    warn: complain,
  }).catch(explain)
  try {
    return await work(stores, folder)
  } finally {
    await closeStores(stores)
  }
}

/** Throws an error of the store as a failure of the command, in a sentence for the operator. */
export function explain(error: unknown, ...more: string[]): never {
  const told = error instanceof Error ? error.message : String(error)
  const message = describeStorageFault(error) ?? told
  throw new CommandFailure([message, ...more].join('\n'), { cause: error })
}
