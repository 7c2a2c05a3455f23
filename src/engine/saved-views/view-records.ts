/** Saved views as they are stored, and which ones a user finds. */
import { tooLarge } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { allRows, insertRow, updateRows, upsertRow } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { defaultViews, savedViews } from './engine-db.ts'
import type { ViewParts } from './schema.ts'

export type ViewRow = typeof savedViews.$inferSelect

/** Views of one user, and shared ones of a company, of one object. */
const OWN_MAX = 50
const SHARED_MAX = 100

/** Bytes of one view. */
const BODY_KB_MAX = 16

/** Views of a company that a user finds: their own, and those that are shared with them. */
const FOUND = `CompanyId = @company AND (OwnerId = @user OR (OwnerId IS NULL AND (
  Shared = 'company' OR MakerId = @user OR @all OR Role IN (SELECT value FROM json_each(@roles)))))`

/** A user who finds views; `all`: shared ones of whichever role. */
interface Finder {
  caller: Caller
  all: boolean
}

const argsOf = ({ caller, all }: Finder) => ({
  company: caller.companyId,
  user: caller.userId,
  roles: JSON.stringify(caller.roles),
  all: all ? 1 : 0,
})

/** Loads the views of an object that a user finds: their own first, by name. */
export const loadViews = (reader: Reader, finder: Finder, object: string): Promise<ViewRow[]> =>
  allRows(
    reader,
    savedViews,
    `WHERE Object = @object AND ${FOUND} ORDER BY OwnerId IS NULL, Name COLLATE NOCASE, Id`,
    { ...argsOf(finder), object },
  )

/** Finds one view among those that a user finds, of whichever object. */
export async function findView(
  reader: Reader,
  finder: Finder,
  id: number,
): Promise<ViewRow | undefined> {
  const args = { ...argsOf(finder), id }
  return (await allRows(reader, savedViews, `WHERE Id = @id AND ${FOUND}`, args))[0]
}

/** Writes the parts of a view. @throws tooLarge (413) for more than `BODY_KB_MAX` */
export function writeBody(parts: ViewParts): string {
  const text = JSON.stringify(parts)
  if (Buffer.byteLength(text) > BODY_KB_MAX * 1024)
    throw tooLarge(say`A saved view can have at most ${BODY_KB_MAX} KB`)
  return text
}

/** Reads the parts of a view, as they were saved. */
export const readBody = ({ Body }: Pick<ViewRow, 'Body'>): ViewParts =>
  JSON.parse(Body) as ViewParts

const COUNT = `SELECT count(*) AS Views FROM svc_saved_views
  WHERE CompanyId = @company AND Object = @object AND OwnerId IS @owner`

/** @throws tooLarge (413) where there are more views of the object than one may have */
async function requireRoom(
  tx: Tx,
  { CompanyId, Object: object, OwnerId }: Pick<ViewRow, 'CompanyId' | 'Object' | 'OwnerId'>,
): Promise<void> {
  const found = await tx.get(COUNT, { company: CompanyId, object, owner: OwnerId })
  const max = OwnerId === null ? SHARED_MAX : OWN_MAX
  if (Number(found?.Views) <= max) return
  throw tooLarge(
    OwnerId === null
      ? say`The company can share at most ${max} views of an object. Delete some of them first.`
      : say`You can save at most ${max} views of an object. Delete some of them first.`,
  )
}

/** Adds a view; resolves to it. */
export async function insertView(tx: Tx, row: Omit<ViewRow, 'Id'>): Promise<ViewRow> {
  const id = await insertRow(tx, savedViews, row)
  await requireRoom(tx, row)
  return { ...row, Id: id }
}

/** Writes what a change makes of a view. */
export async function updateView(tx: Tx, { Id, ...row }: ViewRow): Promise<void> {
  await updateRows(tx, savedViews, 'WHERE Id = @id', { id: Id, set: row })
  await requireRoom(tx, row)
}

/** Deletes a view, with the choices of those who opened the object with it. */
export const deleteView = (tx: Tx, id: number): Promise<number> =>
  tx.run('DELETE FROM svc_saved_views WHERE Id = @id', { id })

/** The user's choice of the view that an object opens with. */
interface Choice {
  caller: Caller
  object: string
  viewId: number
}

/** Has an object open with a view for the user, or with it no longer. */
export async function saveDefault(
  tx: Tx,
  { caller, object, viewId }: Choice,
  isDefault: boolean,
): Promise<void> {
  const key = { UserId: caller.userId, CompanyId: caller.companyId, Object: object }
  if (isDefault)
    return upsertRow(
      tx,
      defaultViews,
      { ...key, ViewId: viewId },
      'ON CONFLICT DO UPDATE SET ViewId = excluded.ViewId',
    )
  const sql = `DELETE FROM svc_default_views
    WHERE UserId = @UserId AND CompanyId = @CompanyId AND Object = @Object AND ViewId = @viewId`
  await tx.run(sql, { ...key, viewId })
}

const DEFAULT = `SELECT ViewId FROM svc_default_views
  WHERE UserId = @user AND CompanyId = @company AND Object = @object`

/** The id of the view that the user opens an object with. */
export async function findDefault(
  reader: Pick<Reader, 'get'>,
  { userId, companyId }: Caller,
  object: string,
): Promise<number | undefined> {
  const row = await reader.get(DEFAULT, { user: userId, company: companyId, object })
  return row && Number(row.ViewId)
}
