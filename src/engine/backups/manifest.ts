/** The two descriptions in a backup: what it is, at its begin, and what it holds, at its end. */
import type { AuditHead } from '../../store/audit/record.ts'
import type { DatabaseKind } from '../../store/engine-tables.ts'

/** The first entry of the archive: what it takes to decide about the others. */
export const HEADER_NAME = 'backup.json'
/** The last entry of the archive. */
export const MANIFEST_NAME = 'manifest.json'

const FORMAT = 1

/** A file of the archive. */
export interface BackupEntry {
  /** Its path, with slashes: `files/018f…`. */
  Name: string
  /** Bytes. */
  Size: number
  /** Hexadecimal. */
  Sha256: string
}

/** A database of the archive. */
interface BackupDatabase {
  /** Migrations of the engine's tables that it has. */
  Schema: number
  /** Rows by table. */
  Rows: Readonly<Record<string, number>>
}

export interface BackupHeader {
  Format: typeof FORMAT
  /** The instant of the state that it holds, as an ISO text. */
  CreatedAt: string
  /** The version of the engine that made it. */
  Engine: string
  /** Bytes of all entries between this one and the manifest. */
  Bytes: number
  /** How many they are. */
  Entries: number
}

export interface BackupManifest extends BackupHeader {
  Databases: Readonly<Record<DatabaseKind, BackupDatabase>>
  /** The end of the audit log; null where it has no entry. */
  Audit: AuditHead | null
  Files: readonly BackupEntry[]
  /** Files that rows name and that were not in the data folder. */
  Missing: readonly string[]
  /** Names of the secret settings that were left out. */
  LeftOut: readonly string[]
}

/** The header of a backup made by this engine. */
export const planHeader = (facts: Omit<BackupHeader, 'Format'>): BackupHeader => ({
  Format: FORMAT,
  ...facts,
})

/** An archive that is no backup, or not whole: its message is a sentence for the operator. */
export class UnusableBackup extends Error {
  override readonly name = 'UnusableBackup'
}

/** Reads the header. @throws UnusableBackup for another format */
export const readHeader = (text: string): BackupHeader => readAs<BackupHeader>(text, HEADER_NAME)

/** Reads the manifest. @throws UnusableBackup for another format */
export const readManifest = (text: string): BackupManifest =>
  readAs<BackupManifest>(text, MANIFEST_NAME)

function readAs<T extends BackupHeader>(text: string, name: string): T {
  const json = parse(text)
  if (json?.Format === FORMAT) return json as T
  throw new UnusableBackup(
    typeof json?.Format === 'number' && json.Format > FORMAT
      ? `The backup was made by engine ${String(json.Engine)}, in a format that this one does ` +
          'not know. Restore it with that version.'
      : `The file ${name} in the archive is not that of a backup.`,
  )
}

function parse(text: string): Partial<BackupManifest> | undefined {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? json : undefined
  } catch {
    return undefined
  }
}
