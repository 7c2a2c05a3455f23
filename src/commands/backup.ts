/** `appengine backup FILE`. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '../kernel/clock.ts'
import { counted } from '../kernel/counted.ts'
import { lowerPriority } from '../kernel/priority.ts'
import { readStoreLimits } from '../store/floor.ts'
import { makeBackup } from '../engine/backups/make-backup.ts'
import { configure } from '../app.ts'
import type { Arguments } from './arguments.ts'
import { CommandFailure, complain, EXIT, printResult } from './output.ts'
import facts from '../../package.json' with { type: 'json' }

/** Backups and restores give way to a server of the same machine. */
export const NICENESS = 10

/** A passphrase that a file holds is guessed from its archive without any bound of tries. */
const PASSPHRASE_MIN = 12

/** Backs the data folder up into one file, beside its server if there is one. */
export async function runBackup(args: Arguments): Promise<number> {
  lowerPriority(NICENESS)
  const folder = resolve(args.dataFolder)
  const target = resolve(args.word(0))
  const settings = configure({ dataFolder: folder, flags: args.settings })
  const passphrase = readPassphrase(args)
  if (passphrase !== undefined && passphrase.length < PASSPHRASE_MIN)
    throw new CommandFailure(`The passphrase must have ${PASSPHRASE_MIN} characters at least.`)
  const startedAt = performance.now()
  const { manifest, size, logGrowth } = await makeBackup({
    folder,
    target,
    passphrase,
    secrets: args.has('secrets') ? [] : settings.listSecrets(),
    engine: facts.version,
    limits: readStoreLimits(settings),
    now: () => systemClock.now(),
    tell: planTelling('packed'),
  })
  for (const name of manifest.Missing) complain(`warning: ${name} is named, and was not there`)
  const seconds = (performance.now() - startedAt) / 1000
  const { Entries, Bytes, LeftOut, CreatedAt } = manifest
  const lines = [
    `${target}: ${counted(Entries, 'file')} of ${formatBytes(Bytes)} as of ${CreatedAt}, in ` +
      `${formatBytes(size)}. It took ${seconds.toFixed(1)} s; the log grew by ` +
      `${formatBytes(logGrowth)} meanwhile.`,
    ...(LeftOut.length > 0
      ? [`Left out of appsettings.json: ${LeftOut.join(', ')}. With --secrets they are in it.`]
      : []),
    passphrase === undefined
      ? 'Keep it as secret as the data folder: it holds the signing keys, second factors and all ' +
        'records. --passphrase-file encrypts it.'
      : 'It is encrypted: without its passphrase nobody can restore it.',
  ]
  printResult(args, lines.join('\n'), {
    File: target,
    CreatedAt,
    Bytes: size,
    Content: { Files: Entries, Bytes },
    LogGrowth: logGrowth,
    Missing: manifest.Missing,
    LeftOut,
    Encrypted: passphrase !== undefined,
  })
  return EXIT.done
}

/** The passphrase that `--passphrase-file` names; undefined without one. */
export function readPassphrase(args: Arguments): string | undefined {
  const path = args.find('passphrase-file')
  if (path === undefined) return undefined
  const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  if (text === '') throw new CommandFailure(`${path} is empty: it must hold the passphrase.`)
  return text
}

const STEP_PERCENT = 10

/** Complains of progress, so that results stay alone: `50 % packed`. Small work says nothing. */
export function planTelling(what: string): (done: number, total: number) => void {
  let told = 0
  return (done, total) => {
    const percent = Math.floor((done * 100) / Math.max(total, 1) / STEP_PERCENT) * STEP_PERCENT
    if (total < TOLD_FROM || percent <= told) return
    told = percent
    complain(`${percent} % ${what}`)
  }
}

/** Bytes from which on progress is told. */
const TOLD_FROM = 256 * 1024 * 1024

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

/** `1.5 GB`. */
export function formatBytes(bytes: number): string {
  const at = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10))
  const value = bytes / 1024 ** at
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[at]}`
}
