/** Makes a backup of a data folder, beside the process that serves it if there is one. */
import { stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../kernel/durable.ts'
import { removeGently } from '../../kernel/gentle-disk.ts'
import { requireNoRollback } from '../../store/file/identity.ts'
import type { StoreLimits } from '../../store/limits.ts'
import { ArchiveWriter, type PackedFile } from './archive-writer.ts'
import {
  type BackupEntry,
  type BackupManifest,
  HEADER_NAME,
  MANIFEST_NAME,
  planHeader,
  UnusableBackup,
} from './manifest.ts'
import { readSettingsFile, SETTINGS_NAME } from './settings-file.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'
import { openWorkFolder } from './work-folder.ts'
import { DISK_RESERVE_BYTES } from '../files/disk-reserve.ts'

/** Told as the work goes on: bytes packed so far, and of how many. */
export type TellProgress = (done: number, total: number) => void

interface BackupOptions {
  /** The data folder. */
  folder: string
  /** The file to be made; it must not exist. */
  target: string
  passphrase?: string | undefined
  /** Names of settings whose values are left out. */
  secrets: readonly string[]
  /** The version of the engine. */
  engine: string
  limits: StoreLimits
  now: () => Date
  tell?: TellProgress
}

/** A backup that was made. */
export interface MadeBackup {
  manifest: BackupManifest
  /** Bytes of the file. */
  size: number
  /** Bytes by which the log of `engine.db` grew while it was copied. */
  logGrowth: number
}

/**
 * Makes the file, for its owner alone: it is whole, or not there. Takes no lock and changes nothing
 * in the folder but links of its own to files, which go again.
 * @throws UnusableBackup with a sentence for the operator
 */
export async function makeBackup(options: BackupOptions): Promise<MadeBackup> {
  const { folder, target, passphrase } = options
  if (await Bun.file(target).exists())
    throw new UnusableBackup(`${target} exists already: name another file, or remove it.`)
  makeFolder(dirname(target))
  await requireFolder(folder)
  await using copies = await openWorkFolder(join(dirname(target), '.appengine-backup'))
  await requireSpace(folder, dirname(target))
  await using links = await openWorkFolder(join(folder, '.backup'))
  const snapshot = await takeSnapshot({ ...options, copies: copies.path, links: links.path })
  const at = snapshot.at
  const part = join(copies.path, 'archive')
  const writer = new ArchiveWriter(target, { part, passphrase, at })
  try {
    const manifest = await pack(writer, snapshot, options)
    await writer.finish()
    return { manifest, size: (await stat(target)).size, logGrowth: snapshot.engine.logGrowth }
  } catch (error) {
    await writer.abandon()
    throw error
  }
}

async function requireFolder(folder: string): Promise<void> {
  if (await Bun.file(join(folder, 'engine.db')).exists()) return
  requireNoRollback(folder)
  throw new UnusableBackup(`${folder} is no data folder: it has no engine.db.`)
}

/** The copies of both databases lie beside the archive until they are packed. */
async function requireSpace(folder: string, place: string): Promise<void> {
  const sizes = await Promise.all(
    ['engine.db', 'state.db'].map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  const needed = sizes.reduce((sum, size) => sum + size, 0) + DISK_RESERVE_BYTES
  const { bavail, bsize } = await statfs(place)
  if (bavail * bsize < needed)
    throw new UnusableBackup(
      `${place} has ${bavail * bsize} bytes free, and the backup needs ${needed} at least. ` +
        'Make room, or name a file on another disk.',
    )
}

async function pack(
  writer: ArchiveWriter,
  snapshot: Snapshot,
  { folder, secrets, engine: version, tell }: BackupOptions,
): Promise<BackupManifest> {
  const { at, engine, state, audit, missing } = snapshot
  const settings = await readSettingsFile(folder, secrets)
  const files: PackedFile[] = [
    ...snapshot.files,
    ...(settings ? [{ name: SETTINGS_NAME, text: settings.text }] : []),
  ]
  const total = files.reduce((sum, file) => sum + sizeOf(file), 0)
  const facts = {
    CreatedAt: at.toISOString(),
    Engine: version,
    Bytes: total,
    Entries: files.length,
  }
  const header = planHeader(facts)
  await writer.add({ name: HEADER_NAME, text: toText(header) })
  const entries: BackupEntry[] = []
  for (const file of files) {
    entries.push(await writer.add(file))
    // What is packed needs no room any more: a small disk has the archive and one copy.
    if (file.name === 'engine.db' && 'path' in file) await removeGently(file.path)
    tell?.(writer.bytes, total)
  }
  const manifest: BackupManifest = {
    ...header,
    Databases: {
      engine: { Schema: engine.schema, Rows: engine.rows },
      state: { Schema: state?.schema ?? 0, Rows: state?.rows ?? {} },
    },
    Audit: audit.count === 0 ? null : audit,
    Files: entries,
    Missing: missing,
    LeftOut: settings?.leftOut ?? [],
  }
  await writer.add({ name: MANIFEST_NAME, text: toText(manifest) })
  return manifest
}

const sizeOf = (file: PackedFile): number =>
  'text' in file ? Buffer.byteLength(file.text) : file.size

const toText = (value: unknown): string => `${JSON.stringify(value, undefined, 1)}\n`
