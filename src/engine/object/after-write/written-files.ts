/**
 * Files follow the columns that name them, by whatever path a record was changed: uploads become
 * files of the record, and what no record names any more goes after the commit.
 */
import { allRows, insertRow, upsertRow } from '../../../store/rows.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import { files as fileRows } from '../../../store/tables/files.ts'
import type { Column, Entity } from '../../../model/compiled/entity.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { FileVault } from '../../files/file-vault.ts'
import { loadUploads, type Upload } from '../../files/uploads.ts'
import type { Round } from './corrections.ts'
import {
  type FileEntry,
  isKey,
  missingFile,
  pathOf,
  readEntries,
  toEntry,
} from '../record/file-entries.ts'
import { companyOf } from '../record/record-values.ts'
import { updateStored } from '../record/stored-rows.ts'
import { keyText, type WrittenRow } from '../record/written-row.ts'
import { breakRecords } from '../rules/broken-records.ts'

type FileRow = typeof fileRows.$inferSelect

/** One column of a record that names other files than before. */
interface Move {
  row: WrittenRow
  column: Column
  added: string[]
  removed: string[]
}

/**
 * Files that no record names any more are released after the commit; without a vault they stay
 * until the next sweep. @throws validation for a key of an upload that is not there.
 */
export async function keepWrittenFiles(round: Round, vault: FileVault | undefined): Promise<void> {
  const moves = [...round.rows.values()].flatMap(listMoves)
  if (moves.length === 0) return
  for (const move of moves) await bindAdded(round, move)
  const removed = new Set<string>()
  for (const move of moves) {
    await unbind(round.tx, move)
    for (const path of move.removed) removed.add(path)
  }
  vault?.releaseAfter(round.tx, [...removed])
}

const fileColumns = new WeakMap<Entity, readonly Column[]>()

function listFileColumns(entity: Entity): readonly Column[] {
  let columns = fileColumns.get(entity)
  if (!columns) {
    columns = entity.columns.filter(({ type }) => FIELD_KINDS[type].structure === 'files')
    fileColumns.set(entity, columns)
  }
  return columns
}

function listMoves(row: WrittenRow): Move[] {
  const { entity, touched, after } = row
  return listFileColumns(entity).flatMap((column) => {
    const [from, to] = [touched.before?.[column.name], after?.[column.name]]
    if ((from ?? null) === (to ?? null)) return []
    const entries = readEntries(to)
    const before = new Set(readEntries(from).map(pathOf))
    const now = new Set(entries.map(pathOf))
    const added = [...now].filter((path) => !before.has(path))
    const removed = [...before].filter((path) => !now.has(path))
    // A statement may store the key of an upload that the record has taken over before.
    const isMoved = added.length + removed.length > 0 || entries.some(isKey)
    return isMoved ? [{ row, column, added, removed }] : []
  })
}

/** Whose file it is: a place in `svc_files`. */
const placeOf = ({ row, column }: Move) => ({
  Entity: row.entity.name,
  RecordKey: keyText(row.touched.key),
  Field: column.name,
})

async function bindAdded(round: Round, move: Move): Promise<void> {
  const { tx, context } = round
  const { caller, now } = context
  const waiting = caller
    ? await loadUploads(tx, caller, move.added, now)
    : new Map<string, Upload>()
  for (const path of move.added) {
    const upload = waiting.get(path)
    if (upload) await bindUpload(round, move, upload)
    else await copyBinding(round, move, path)
  }
  await nameFiles(round, move, waiting)
}

async function bindUpload({ tx, context }: Round, move: Move, upload: Upload): Promise<void> {
  const { Key, FileName, ContentType, Size, Sha256 } = upload
  const { entity, after } = move.row
  const company = companyOf(entity, after ?? {}, context)
  await insertRow(tx, fileRows, {
    Path: Key,
    ...placeOf(move),
    FileName,
    ContentType,
    Size,
    Sha256,
    CompanyId: typeof company === 'number' ? company : null,
    CreatedAt: context.now.toISOString(),
    CreatedBy: context.caller?.userId ?? null,
  })
  await tx.run('DELETE FROM svc_uploads WHERE Key = @Key', { Key })
}

/** A statement of the model put a file of one record into another one of the same company. */
async function copyBinding({ tx, context }: Round, move: Move, path: string): Promise<void> {
  const { entity, after } = move.row
  const company = companyOf(entity, after ?? {}, context)
  const known = await allRows(tx, fileRows, 'WHERE Path = @path', { path })
  const source = known.find((row) => row.CompanyId === company)
  if (!source) return
  const row: FileRow = { ...source, ...placeOf(move) }
  await upsertRow(tx, fileRows, row, 'ON CONFLICT DO NOTHING')
}

/** Replaces keys of uploads that a statement stored by the files that they have become. */
async function nameFiles(
  { tx, view }: Round,
  { row, column }: Move,
  waiting: ReadonlyMap<string, Upload>,
): Promise<void> {
  const { entity, touched, after } = row
  const entries = readEntries(after?.[column.name])
  if (!after || !entries.some(isKey)) return
  const before = readEntries(touched.before?.[column.name])
  const named: FileEntry[] = []
  for (const entry of entries) {
    const upload = waiting.get(pathOf(entry))
    const held = before.find((each) => !isKey(each) && each.Path === entry)
    if (!isKey(entry)) named.push(entry)
    else if (held && !isKey(held)) named.push(held)
    else if (upload) named.push(toEntry(upload))
    else {
      const broken = { entity, key: touched.key, field: column.name, message: missingFile() }
      throw breakRecords([broken], view)
    }
  }
  const text: SqlValue = JSON.stringify(named)
  const cells = new Map([[column.name, text]])
  await tx.silently(() => updateStored(tx, entity, touched.key, cells))
  after[column.name] = text
}

const UNBIND = `DELETE FROM svc_files
  WHERE Entity = @Entity AND RecordKey = @RecordKey AND Field = @Field
    AND Path IN (SELECT value FROM json_each(@paths))`

async function unbind(tx: Tx, move: Move): Promise<void> {
  if (move.removed.length === 0) return
  await tx.run(UNBIND, { ...placeOf(move), paths: JSON.stringify(move.removed) })
}
