/** Takes from other users of the machine what they could do with a data folder. */
import { chmodSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, extname, join, sep } from 'node:path'
import { readTime } from '../engine/backups/names.ts'

/** Group and others. */
const OTHERS = 0o077
/** Outside of the data folder a group stays: it may be that of who collects logs or backups. */
const STRANGERS = 0o007
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

/** Where settings have put files of the engine, as absolute paths; undefined for nowhere. */
interface NamedPlaces {
  logFile?: string | undefined
  backups?: string | undefined
}

/** Paths that others could reach: they are shut now, or stay open where the system forbids it. */
class Found {
  readonly shut: string[] = []
  readonly stubborn: string[] = []
  /** One of those that were shut holds signing keys. */
  hasKeys = false

  /** Shuts a path that others can reach; false for one that they cannot. */
  take(path: string, facts: Stats, { mask = OTHERS, hasKeys = true } = {}): boolean {
    if (facts.isSymbolicLink() || (facts.mode & mask) === 0) return false
    if (!tighten(path, facts, mask)) this.stubborn.push(path)
    else {
      this.shut.push(path)
      this.hasKeys ||= hasKeys
    }
    return true
  }
}

/**
 * Makes this process create files for its owner alone from here on, and takes others' rights from
 * the folder and the engine's files in it, and from its log and backups elsewhere; returns warnings
 * that name them. Not on Windows.
 */
export function tightenFolder(folder: string, { logFile, backups }: NamedPlaces): string[] {
  if (process.platform === 'win32') return []
  process.umask(OTHERS)
  const inside = shutFolder(folder)
  const outside = new Found()
  if (logFile !== undefined) {
    const isInside = logFile.startsWith(folder + sep)
    const [found, mask] = isInside ? [inside, OTHERS] : [outside, STRANGERS]
    shutFiles(dirname(logFile), planLogNames(logFile), (path, facts) =>
      found.take(path, facts, { mask, hasKeys: false }),
    )
  }
  if (backups !== undefined && !backups.startsWith(folder + sep))
    shutFiles(backups, isBackup, (path, facts) => outside.take(path, facts, { mask: STRANGERS }))
  return [
    ...reportOpen(inside, 'now only the owner can'),
    ...reportOpen(outside, 'now they cannot'),
    ...reportStubborn([...inside.stubborn, ...outside.stubborn]),
  ]
}

function shutFolder(folder: string): Found {
  const found = new Found()
  const wasOpen = found.take(folder, statSync(folder), { hasKeys: false })
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const facts = lstatSync(path, { throwIfNoEntry: false })
    if (facts === undefined) continue
    const isOwnFolder = facts.isDirectory() && OWN_FOLDERS.has(name)
    if (!isOwnFolder && !OWN_FILES.test(name)) continue
    const isOpen = found.take(path, facts)
    // Thousands of files: they are made private, and checked only where others could reach them.
    if (isOwnFolder && (isOpen || wasOpen)) shutFiles(path, () => true, found.take.bind(found))
  }
  return found
}

/** The log and those before it: `NAME`, `NAME.1`. */
function planLogNames(logFile: string): (name: string) => boolean {
  const own = basename(logFile)
  return (name) =>
    name === own || (name.startsWith(`${own}.`) && /^\d+$/.test(extname(name).slice(1)))
}

const isBackup = (name: string): boolean => readTime(name) !== undefined

/** A folder that is missing has none, nor has one that this user may not read. */
function shutFiles(
  folder: string,
  isOurs: (name: string) => boolean,
  shut: (path: string, facts: Stats) => boolean,
): void {
  for (const name of readNames(folder)) {
    if (!isOurs(name)) continue
    const path = join(folder, name)
    const facts = lstatSync(path, { throwIfNoEntry: false })
    if (facts?.isFile()) shut(path, facts)
  }
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Takes these rights from a path; false where the file system or mount does not allow it. */
function tighten(path: string, { mode }: Stats, mask: number): boolean {
  if ((mode & STICKY) !== 0) return false
  try {
    chmodSync(path, mode & ~mask & 0o7777)
    return (statSync(path).mode & mask) === 0
  } catch {
    return false
  }
}

/** Names that are listed one by one; of more, how many they are. */
const TOLD = 5

function reportOpen({ shut, hasKeys }: Found, now: string): string[] {
  if (shut.length === 0) return []
  const keys = hasKeys
    ? ' Anyone who could read them may know the signing keys: run "appengine keys rotate".'
    : ''
  return [`warning: other users of this machine could read ${formatPaths(shut)}; ${now}.${keys}`]
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
