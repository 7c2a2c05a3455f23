/** `appengine restore FILE`. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { systemClock } from '../kernel/clock.ts'
import { counted } from '../kernel/counted.ts'
import { makeFolder } from '../kernel/durable.ts'
import { lowerPriority } from '../kernel/priority.ts'
import { readStoreLimits } from '../store/floor.ts'
import type { BackupManifest } from '../engine/backups/manifest.ts'
import { findBackupBefore } from '../engine/backups/names.ts'
import { restoreFolder, type RestoreStep } from '../engine/backups/restore.ts'
import { loadManifest, unpack } from '../engine/backups/unpack.ts'
import { configure } from '../app.ts'
import { type Arguments, UsageError } from './arguments.ts'
import { formatBytes, NICENESS, planTelling, readPassphrase } from './backup.ts'
import { nameData } from './next-steps.ts'
import { CommandFailure, complain, EXIT, formatTable, printLine, printResult } from './output.ts'

/** Restores a data folder of a backup, lists what it holds, or takes single files out of it. */
export async function runRestore(args: Arguments): Promise<number> {
  lowerPriority(NICENESS)
  // Files of a data folder are for its owner alone.
  process.umask(0o077)
  const source = { file: findFile(args), passphrase: readPassphrase(args) }
  const only = args.list('only')
  if (args.has('list') && only.length > 0) throw new UsageError('--list and --only exclude another')
  if (args.has('list')) printManifest(args, await loadManifest(source))
  else if (only.length > 0) await takeFiles(args, source, only)
  else await restore(args, source)
  return EXIT.done
}

type Source = Parameters<typeof loadManifest>[0]

/** The file to restore: FILE itself, or with `--at` one of the backups in the folder FILE. */
function findFile(args: Arguments): string {
  const path = resolve(args.word(0))
  if (!existsSync(path)) throw new CommandFailure(`${path} does not exist.`)
  const at = args.find('at')
  const isFolder = statSync(path).isDirectory()
  if (at === undefined && !isFolder) return path
  if (at === undefined)
    throw new UsageError(`${path} is a folder: name a backup in it, or a time by --at`)
  if (!isFolder) throw new UsageError('--at goes with a folder of backups')
  const time = Date.parse(at)
  if (Number.isNaN(time)) throw new UsageError('--at takes a time such as 2026-11-28T14:00Z')
  const name = findBackupBefore(readdirSync(path), new Date(time))
  if (name === undefined)
    throw new CommandFailure(`${path} has no backup of ${new Date(time).toISOString()} or before.`)
  complain(`Taken: ${name}`)
  return join(path, name)
}

function printManifest(args: Arguments, manifest: BackupManifest): void {
  if (args.json) return printLine(JSON.stringify(manifest))
  const { CreatedAt, Engine, Files, Databases, Audit } = manifest
  const tables = Object.entries(Databases.engine.Rows)
  printLine(
    formatTable([
      ['Of', CreatedAt],
      ['Engine', `${Engine}, schema ${Databases.engine.Schema}`],
      ['Audit log', counted(Audit?.count ?? 0, 'entry', 'entries')],
      ...tables.filter(([, rows]) => rows > 0).map(([name, rows]) => [name, counted(rows, 'row')]),
      ...Files.map(({ Name, Size, Sha256 }) => [Name, `${Size} bytes, SHA-256 ${Sha256}`]),
    ]),
  )
}

/** Files alone make no data folder: they are for a person to look at. */
async function takeFiles(args: Arguments, source: Source, only: readonly string[]): Promise<void> {
  const into = resolve(args.require('data'))
  if (existsSync(into) && readdirSync(into).length > 0)
    throw new CommandFailure(`${into} is not empty: name a folder that is empty or not there.`)
  const isWanted = (name: string): boolean =>
    only.some((path) => name === path || name.startsWith(path.replace(/\/*$/, '/')))
  const { Files } = await loadManifest(source)
  const wanted = Files.filter(({ Name }) => isWanted(Name))
  if (wanted.length === 0)
    throw new CommandFailure('The backup has no such file; --list tells what it has.')
  makeFolder(into)
  await unpack({ ...source, into, isWanted, tell: planTelling('read') })
  printResult(args, `${into}: ${counted(wanted.length, 'file')} as they were backed up.`, {
    Folder: into,
    Files: wanted,
  })
}

const STEPS: Readonly<Record<RestoreStep, string>> = {
  unpack: 'Unpacking',
  check: 'Checking pages, references, rows, files and the audit log',
  place: 'Putting the folder in its place',
}

async function restore(args: Arguments, source: Source): Promise<void> {
  const target = resolve(args.dataFolder)
  const settings = configure({ dataFolder: target, flags: args.settings })
  const startedAt = performance.now()
  const manifest = await restoreFolder({
    ...source,
    target,
    now: () => systemClock.now(),
    limits: readStoreLimits(settings),
    warn: complain,
    tell: planTelling('unpacked'),
    tellStep: (step) => complain(`${STEPS[step]} …`),
  })
  const { CreatedAt, Entries, Bytes, LeftOut, Missing } = manifest
  for (const name of Missing) complain(`warning: ${name} was missing when it was backed up`)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const data = nameData(args)
  const lines = [
    `${target} is as it was at ${CreatedAt}: ${counted(Entries, 'file')} of ` +
      `${formatBytes(Bytes)}, every row counted, in ${seconds} s.`,
    ...(LeftOut.length > 0
      ? [`These settings were not in the backup; set them again: ${LeftOut.join(', ')}.`]
      : []),
    'Everybody has to sign in again. Exports that waited to be fetched are gone.',
    'Mails, webhooks, pushes and jobs that send are held: after the backup they may have been ' +
      'sent already.',
    `Start it with "appengine serve${data}", look at what is held, and let it go with ` +
      `"appengine resume${data}".`,
  ]
  printResult(args, lines.join('\n'), { Folder: target, CreatedAt, Files: Entries, Bytes, LeftOut })
}
