/** Unpacks an archive into a folder, and holds what came out against its manifest. */
import { createHash } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder, syncFolder } from '../../kernel/durable.ts'
import { GentleFile } from '../../kernel/gentle-disk.ts'
import { MB } from '../../kernel/setting.ts'
import { readArchive, type ReadFile } from './archive-reader.ts'
import type { TellProgress } from './make-backup.ts'
import {
  type BackupEntry,
  type BackupHeader,
  type BackupManifest,
  HEADER_NAME,
  MANIFEST_NAME,
  readHeader,
  readManifest,
  UnusableBackup,
} from './manifest.ts'
import { DISK_RESERVE_BYTES } from '../files/disk-reserve.ts'

/** An archive, and how to open it. */
export interface BackupFile {
  file: string
  passphrase?: string | undefined
}

interface UnpackOptions extends BackupFile {
  /** The folder that the files come into. */
  into: string
  /** Checks that an entry is wanted; all are by default. */
  isWanted?: (name: string) => boolean
  /** Bytes of the wanted files where the caller knows them; all of the archive by default. */
  neededBytes?: number
  tell?: TellProgress | undefined
}

/** Header and manifest may be this large: some hundred bytes for each file. */
const TEXT_BYTES_MAX = 512 * MB

/**
 * Unpacks the wanted files; afterwards they are on the disk, each as the manifest tells. Looks for
 * room first.
 * @throws UnusableBackup for an archive that is not whole, and for a file that is not as it was
 */
export async function unpack(options: UnpackOptions): Promise<BackupManifest> {
  const { file, passphrase, into, isWanted = () => true } = options
  const found: BackupEntry[] = []
  const folders = new Set<string>()
  let bytes = 0
  let header: BackupHeader | undefined
  let manifest: BackupManifest | undefined
  for await (const entry of readArchive(file, passphrase)) {
    if (header === undefined) {
      header = await takeHeader(file, entry)
      await requireSpace(into, options.neededBytes ?? header.Bytes)
    } else if (manifest !== undefined)
      throw new UnusableBackup(
        `${file} goes on behind its manifest: it is no backup of the engine.`,
      )
    else if (entry.name === MANIFEST_NAME) manifest = readManifest(await readText(entry))
    else {
      bytes += entry.size
      // One that holds more than it says would fill the disk that was looked at.
      if (found.length === header.Entries || bytes > header.Bytes)
        throw new UnusableBackup(`${file} holds more than it says: it is no backup of the engine.`)
      const isMade = isWanted(entry.name)
      found.push(await unpackFile(options, entry, isMade))
      if (isMade) folders.add(dirname(join(into, entry.name)))
      options.tell?.(bytes, header.Bytes)
    }
  }
  if (header === undefined || manifest === undefined)
    throw new UnusableBackup(`${file} is cut off: its manifest is missing.`)
  requireSame(file, manifest, found)
  for (const folder of folders) await syncFolder(folder)
  return manifest
}

/** Reads the manifest alone; every byte of the archive is looked at for it. */
export async function loadManifest({ file, passphrase }: BackupFile): Promise<BackupManifest> {
  for await (const entry of readArchive(file, passphrase))
    if (entry.name === MANIFEST_NAME) return readManifest(await readText(entry))
  throw new UnusableBackup(`${file} is cut off, or no backup: it has no manifest.`)
}

async function takeHeader(file: string, entry: ReadFile): Promise<BackupHeader> {
  if (entry.name !== HEADER_NAME)
    throw new UnusableBackup(`${file} is no backup of the engine: it does not begin with one.`)
  return readHeader(await readText(entry))
}

async function readText({ name, size, bytes }: ReadFile): Promise<string> {
  if (size > TEXT_BYTES_MAX)
    throw new UnusableBackup(`The file ${name} in the archive is too large.`)
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

async function requireSpace(into: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(into)
  const needed = bytes + DISK_RESERVE_BYTES
  if (bavail * bsize < needed)
    throw new UnusableBackup(
      `${into} has ${bavail * bsize} bytes free, and the restored folder needs ${needed}. ` +
        'Make room, or name a folder on another disk.',
    )
}

/** Names that a backup may hold: nothing else comes to the disk, whatever the archive says. */
const KNOWN = [
  /^(?:engine|state)\.db$/,
  /^appsettings\.json$/,
  /^(?:audit|files|imports)\/[\w.-]{1,200}$/,
  /^extensions\/.+$/s,
]

function requireKnown(name: string): void {
  const parts = name.split('/')
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..')
  if (isPlain && !/[\\\0]/.test(name) && KNOWN.some((form) => form.test(name))) return
  throw new UnusableBackup(`The archive holds ${name}, which is no file of a backup.`)
}

async function unpackFile(
  { into, file }: UnpackOptions,
  { name, bytes }: ReadFile,
  isWanted: boolean,
): Promise<BackupEntry> {
  requireKnown(name)
  const hash = createHash('sha256')
  const path = join(into, name)
  if (isWanted) makeFolder(dirname(path))
  const written = isWanted ? await GentleFile.make(path).catch(twice(file, name)) : undefined
  let size = 0
  try {
    for await (const chunk of bytes) {
      hash.update(chunk)
      size += chunk.length
      await written?.write(chunk)
    }
    await written?.sync()
  } finally {
    await written?.close()
  }
  return { Name: name, Size: size, Sha256: hash.digest('hex') }
}

const twice =
  (file: string, name: string) =>
  (error: unknown): never => {
    if (error instanceof Error && Reflect.get(error, 'code') === 'EEXIST')
      throw new UnusableBackup(`${file} holds ${name} twice: it is no backup of the engine.`)
    throw error
  }

function requireSame(
  file: string,
  { Files: told }: BackupManifest,
  found: readonly BackupEntry[],
): void {
  const byName = new Map(found.map((entry) => [entry.Name, entry]))
  for (const { Name, Size, Sha256 } of told) {
    const entry = byName.get(Name)
    if (!entry) throw new UnusableBackup(`${file} lacks ${Name}, which its manifest names.`)
    if (entry.Size !== Size || entry.Sha256 !== Sha256)
      throw new UnusableBackup(`${Name} in ${file} is not as it was backed up.`)
  }
  if (told.length !== found.length)
    throw new UnusableBackup(`${file} holds files that its manifest does not name.`)
}
