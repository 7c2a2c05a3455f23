/** The data folder of a command that writes: its own while it runs. */
import { chmodSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { systemClock } from '../kernel/clock.ts'
import { makeFolder } from '../kernel/durable.ts'
import { createLog, writeStandardError } from '../kernel/log.ts'
import { LOG_LEVEL } from '../kernel/part.ts'
import type { Environment } from '../kernel/setting.ts'
import { describeStorageFault } from '../store/file/explain-fault.ts'
import { FolderInUse, lockDataFolder } from '../store/file/lock.ts'
import { closeStores, type ContextParts, openStores, type Stores } from '../server/open-context.ts'
import { configure } from '../app.ts'
import type { Arguments } from './arguments.ts'
import { CommandFailure, complain } from './output.ts'

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
  for (const warning of tightenFolder(folder)) complain(warning)
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
  const stores = await openStores(folder.folder, folder.settings, complain).catch(explain)
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

/** Group and others. */
const OTHERS = 0o077
/** A folder of all users, such as `/tmp`, is not ours to shut. */
const STICKY = 0o1000

/** Files of the engine in a data folder; any other file there is left as it is. */
const OWN_FILES = /^(?:engine|state|lock)\.db(?:[.-].*)?$|^appsettings\.json$/
const OWN_FOLDERS: ReadonlySet<string> = new Set([
  'audit',
  'backups',
  'exports',
  'files',
  'imports',
  'outbox',
  'uploads',
])

/**
 * Makes this process create files for its owner alone from here on, and takes others' rights from
 * the folder and the engine's files in it; returns warnings that name them. Not on Windows.
 */
function tightenFolder(folder: string): string[] {
  if (process.platform === 'win32') return []
  process.umask(OTHERS)
  const open: string[] = []
  const stubborn: string[] = []
  const shut = (path: string, facts: Stats): boolean => {
    if (facts.isSymbolicLink() || (facts.mode & OTHERS) === 0) return false
    ;(tighten(path, facts) ? open : stubborn).push(path)
    return true
  }
  const wasOpen = shut(folder, statSync(folder))
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const facts = lstatSync(path, { throwIfNoEntry: false })
    if (facts === undefined) continue
    const isOwnFolder = facts.isDirectory() && OWN_FOLDERS.has(name)
    if (!isOwnFolder && !OWN_FILES.test(name)) continue
    const isOpen = shut(path, facts)
    // Thousands of files: they are made private, and checked only where others could reach them.
    if (isOwnFolder && (isOpen || wasOpen)) shutFiles(path, shut)
  }
  return [...reportOpen(folder, open), ...reportStubborn(stubborn)]
}

function shutFiles(folder: string, shut: (path: string, facts: Stats) => boolean): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const facts = lstatSync(path, { throwIfNoEntry: false })
    if (facts?.isFile()) shut(path, facts)
  }
}

/** Restricts a path to its owner; false where the file system or mount does not allow it. */
function tighten(path: string, { mode }: Stats): boolean {
  if ((mode & STICKY) !== 0) return false
  try {
    chmodSync(path, mode & ~OTHERS & 0o7777)
    return (statSync(path).mode & OTHERS) === 0
  } catch {
    return false
  }
}

/** Names that are listed one by one; of more, how many they are. */
const TOLD = 5

function reportOpen(folder: string, open: readonly string[]): string[] {
  if (open.length === 0) return []
  const paths = formatPaths(open)
  const keys = open.some((path) => path !== folder)
    ? ' Anyone who could read them may know the signing keys: run "appengine keys rotate".'
    : ''
  return [
    `warning: other users of this machine could read ${paths}; now only the owner can.${keys}`,
  ]
}

const reportStubborn = (paths: readonly string[]): string[] =>
  paths.length === 0
    ? []
    : [
        `warning: other users of this machine can read ${formatPaths(paths)}, and this process ` +
          'cannot change that: use a folder that belongs to its user.',
      ]

const formatPaths = (paths: readonly string[]): string =>
  paths.length <= TOLD
    ? paths.join(', ')
    : `${paths.slice(0, TOLD).join(', ')} and ${paths.length - TOLD} more`
