/** `appengine rollback`. */
import { join, resolve } from 'node:path'
import { systemClock } from '../kernel/clock.ts'
import { counted } from '../kernel/counted.ts'
import { readStoreLimits } from '../store/floor.ts'
import { readBackupPassphrase } from '../engine/backups/settings.ts'
import { loadManifest } from '../engine/backups/unpack.ts'
import { countLosses, type Losses } from '../engine/upgrades/losses.ts'
import {
  findWayBack,
  finishRollback,
  rollbackFolder,
  type RolledBack,
  type WayBack,
} from '../engine/upgrades/rollback-folder.ts'
import type { Arguments } from './arguments.ts'
import { planTelling, readPassphrase } from './backup.ts'
import { explain, type HeldFolder, holdDataFolder } from './data-folder.ts'
import { nameData } from './next-steps.ts'
import { CommandFailure, complain, EXIT, printResult } from './output.ts'

/** Puts the data folder back to before its last upgrade; without `--yes` tells what that loses. */
export async function runRollback(args: Arguments): Promise<number> {
  requireFolder(args)
  await using held = await holdDataFolder(args)
  const finished = await finishRollback(held.folder)
  if (finished) {
    complain('A rollback that was interrupted was finished.')
    printBack(args, held, finished, undefined)
    return EXIT.done
  }
  const way = await findWayBack(held.folder, held.settings)
  const passphrase = findPassphrase(args, held, way)
  const manifest = await loadManifest({ file: way.file, passphrase })
  const losses = await countLosses(held.folder, manifest, readStoreLimits(held.settings))
  for (const line of describeWay(way, manifest.CreatedAt, losses)) complain(line)
  if (!args.has('yes')) {
    complain('Nothing was changed. Use --yes to go back.')
    return EXIT.failed
  }
  const back = await rollbackFolder(way, {
    folder: held.folder,
    settings: held.settings,
    passphrase,
    now: () => systemClock.now(),
    tell: planTelling('unpacked'),
    warn: complain,
  }).catch(explain)
  printBack(args, held, back, losses)
  return EXIT.done
}

/** A command that takes data away makes no folder. */
function requireFolder(args: Arguments): void {
  const folder = resolve(args.dataFolder)
  if (['engine.db.id', 'engine.db'].some((name) => Bun.file(join(folder, name)).size > 0)) return
  throw new CommandFailure(`${folder} is no data folder: it has no engine.db.`)
}

const findPassphrase = (
  args: Arguments,
  { settings }: HeldFolder,
  { file }: WayBack,
): string | undefined =>
  readPassphrase(args) ?? (file.endsWith('.age') ? readBackupPassphrase(settings) : undefined)

/** Tables that are listed one by one. */
const TABLES_TOLD = 12

function describeWay(
  { file, upgrade }: WayBack,
  since: string,
  losses: Losses | undefined,
): string[] {
  const to = upgrade ? ` to version ${upgrade.To.Version}` : ''
  const begin = `Back to before the upgrade of ${upgrade?.At ?? since}${to}, by ${file}.`
  if (!losses)
    return [begin, `Everything written since ${since} is lost. The database cannot be read.`]
  const { Changes, LastAt, Rows } = losses
  const changes = counted(Changes, 'entry', 'entries')
  const last = LastAt === null ? '' : `, the last of ${LastAt}`
  const rows = Rows.map(({ Table, Now, Then }) => `  ${Table}: ${Now} rows, ${Then} afterwards`)
  const more = rows.length - TABLES_TOLD
  return [
    begin,
    `Everything written since ${since} is lost: ${changes} of the audit log${last}.`,
    ...rows.slice(0, TABLES_TOLD),
    ...(more > 0 ? [`  and ${counted(more, 'more table')}`] : []),
  ]
}

function printBack(
  args: Arguments,
  { folder }: HeldFolder,
  back: RolledBack,
  losses: Losses | undefined,
): void {
  const { At, Version, Schema, Held, Waiting } = back
  const reads = Version === null ? `The version of schema ${Schema}` : `Version ${Version}`
  const lines = [
    `${folder} is as it was at ${At}. ${reads} reads it (schema ${Schema}); this one would ` +
      'upgrade it again.',
    'Everybody has to sign in again. Exports that waited to be fetched are gone.',
    describeHold({ Held, Waiting }, `appengine resume${nameData(args)}`),
  ]
  printResult(args, lines.join('\n'), { Folder: folder, ...back, Lost: losses ?? null })
}

function describeHold({ Held, Waiting }: Pick<RolledBack, 'Held' | 'Waiting'>, resume: string) {
  if (Held)
    return (
      'Mails, webhooks, pushes and jobs that send are held: they may have been sent already. ' +
      `Look at what is held, and let it go with that version's "${resume}".`
    )
  if (Waiting === 0) return 'No mail and no job waits.'
  const what = counted(Waiting, 'mail or job', 'mails and jobs')
  return (
    `That version cannot hold what waits: ${what} go out as it starts, some for the second time. ` +
    'Have it start without a network if that matters.'
  )
}
