/** Saved views of an object: found, saved, changed and deleted by the rights of now. */
import { isBlankText } from '../../kernel/blanks.ts'
import { conflict, denied, notFound, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { Actor } from '../../access/audit-entry.ts'
import type { ViewUse } from '../object/view-access.ts'
import { auditView } from './audit.ts'
import { isKnownToAll, judgeParts, requireFit } from './judge-view.ts'
import type { SavedView, SavedViewChange, ViewParts } from './schema.ts'
import {
  deleteView,
  findDefault,
  findView,
  insertView,
  loadViews,
  readBody,
  saveDefault,
  updateView,
  type ViewRow,
  writeBody,
} from './view-records.ts'
import {
  canChange,
  canDelete,
  canShare,
  isOwn,
  managesShared,
  requireSharing,
  type Sharing,
  type ViewReader,
} from './view-rights.ts'
import { loadUserNames } from '../workflow/user-labels.ts'

const readerOf = ({ grant: { caller, model } }: ViewUse): ViewReader => ({ caller, model })

const finderOf = (by: ViewReader) => ({ caller: by.caller, all: managesShared(by) })

/** Lists the saved views of an object that its reader finds, each as they may see it now. */
export async function listSavedViews(reader: Reader, use: ViewUse) {
  const by = readerOf(use)
  const rows = await loadViews(reader, finderOf(by), use.view.name)
  return { Views: await showViews(reader, use, rows), CanShare: canShare(by) }
}

async function showViews(
  reader: Pick<Reader, 'all' | 'get'>,
  use: ViewUse,
  rows: readonly ViewRow[],
): Promise<SavedView[]> {
  const { caller } = readerOf(use)
  const makers = rows.map(({ MakerId }) => MakerId)
  const nameOf = await loadUserNames(reader, caller.companyId, makers, caller)
  const chosen = await findDefault(reader, caller, use.view.name)
  return rows.map((row) => ({
    ...showParts(use, row),
    MadeBy: nameOf(row.MakerId),
    Default: row.Id === chosen,
  }))
}

/**
 * A view without what its reader may not see. What is left out is named where the reader saved it,
 * and where the metadata, which is the same for everybody, names it too.
 */
function showParts(use: ViewUse, row: ViewRow): Omit<SavedView, 'MadeBy' | 'Default'> {
  const by = readerOf(use)
  const { parts, dropped } = judgeParts(use, readBody(row))
  const own = isOwn(by, row)
  return {
    Id: row.Id,
    Object: row.Object,
    Name: row.Name,
    Shared: row.Shared,
    Role: row.Role,
    Kind: parts.Kind,
    Columns: parts.Columns ?? [],
    Filters: parts.Filters ?? [],
    SearchText: parts.SearchText ?? null,
    Sort: parts.Sort ?? [],
    Preset: parts.Preset ?? null,
    GroupBy: parts.GroupBy ?? [],
    Settings: parts.Settings ?? {},
    Ignored: dropped.filter((name) => own || isKnownToAll(use.view, name)),
    IsPartial: dropped.length > 0,
    IsOwn: own,
    CanChange: canChange(by, row),
    CanDelete: canDelete(by, row),
    RowVersion: row.RowVersion,
    ChangedAt: row.ChangedAt,
  }
}

async function showView(tx: Tx, use: ViewUse, row: ViewRow): Promise<SavedView> {
  const [shown] = await showViews(tx, use, [row])
  if (!shown) throw missingView()
  return shown
}

/** A view to save: its parts, its name, and who shall have it. */
type NewView = Omit<SavedViewChange, 'RowVersion'> & { Name: string }

/** Plans the insertion of a view. @throws validation, denied; nothing has been written then */
export function planInsert(
  use: ViewUse,
  view: NewView,
  actor: Actor,
): (tx: Tx) => Promise<SavedView> {
  const by = readerOf(use)
  const { caller } = by
  const sharing = toSharing(view, { shared: 'none', role: null })
  requireName(view.Name)
  requireSharing(by, sharing)
  requireFit(use, view)
  const at = actor.now.toISOString()
  const row = {
    CompanyId: caller.companyId,
    Object: use.view.name,
    OwnerId: sharing.shared === 'none' ? caller.userId : null,
    MakerId: caller.userId,
    Shared: sharing.shared,
    Role: sharing.role,
    Name: view.Name.trim(),
    Body: writeBody(mergeParts({ Kind: 'grid' }, view)),
    RowVersion: 1,
    CreatedAt: at,
    ChangedAt: at,
  }
  return async (tx) => {
    const saved = await insertView(tx, row)
    await auditView(tx, actor, null, saved)
    if (view.Default === true) await choose(tx, use, saved, true)
    return showView(tx, use, saved)
  }
}

/**
 * Changes a view; what is left out stays. The choice of the default is each reader's own; a maker
 * may always take back what they shared.
 * @throws notFound for one that the caller does not find, denied, conflict (409) where the view
 * moved, validation
 */
export async function changeView(
  tx: Tx,
  { use, id, actor }: { use: ViewUse; id: number; actor: Actor },
  change: SavedViewChange,
): Promise<SavedView> {
  const by = readerOf(use)
  const row = await requireSaved(tx, by, id)
  if (change.Default !== undefined) await choose(tx, use, row, change.Default)
  if (!changesView(change)) return showView(tx, use, row)
  if (!canChange(by, row) && !(isOwn(by, row) && change.Shared === 'none'))
    throw denied(say`You are not allowed to change this shared view`)
  if (change.RowVersion != null && change.RowVersion !== row.RowVersion)
    throw conflict(say`The view was changed by someone else. Reload it and try again.`)
  if (change.Name !== undefined) requireName(change.Name)
  const sharing = requireNewSharing(by, row, change)
  requireFit(use, change)
  const after = {
    ...row,
    OwnerId: sharing.shared === 'none' ? by.caller.userId : null,
    MakerId: by.caller.userId,
    Shared: sharing.shared,
    Role: sharing.role,
    Name: change.Name?.trim() ?? row.Name,
    Body: writeBody(mergeParts(readBody(row), change)),
    RowVersion: row.RowVersion + 1,
    ChangedAt: actor.now.toISOString(),
  }
  await updateView(tx, after)
  await auditView(tx, actor, row, after)
  return showView(tx, use, after)
}

/** Tells whether a change is about the view itself, and not about its default alone. */
const changesView = (change: SavedViewChange): boolean =>
  Object.entries(change).some(
    ([name, value]) => name !== 'Default' && name !== 'RowVersion' && value !== undefined,
  )

/** @throws validation where a view of another maker would become private, as of `requireSharing` */
function requireNewSharing(by: ViewReader, row: ViewRow, change: SavedViewChange): Sharing {
  const sharing = toSharing(change, { shared: row.Shared, role: row.Role })
  const isSame = sharing.shared === row.Shared && sharing.role === row.Role
  if (sharing.shared === 'none' && !isOwn(by, row))
    throw validation({ Shared: say`Only the person who shared a view can take it back` })
  if (!isSame) requireSharing(by, sharing)
  return sharing
}

/** The view that a request is about, by its object, which may be gone. @throws notFound */
export async function requireSaved(reader: Reader, by: ViewReader, id: number): Promise<ViewRow> {
  const row = await findView(reader, finderOf(by), id)
  if (!row) throw missingView()
  return row
}

/** Deletes a view. @throws notFound, denied */
export async function removeView(
  tx: Tx,
  by: ViewReader,
  { id, actor }: { id: number; actor: Actor },
): Promise<ViewRow> {
  const row = await requireSaved(tx, by, id)
  if (!canDelete(by, row)) throw denied(say`You are not allowed to delete this shared view`)
  await deleteView(tx, id)
  await auditView(tx, actor, row, null)
  return row
}

const choose = (tx: Tx, { grant, view }: ViewUse, { Id }: ViewRow, isDefault: boolean) =>
  saveDefault(tx, { caller: grant.caller, object: view.name, viewId: Id }, isDefault)

/** The sharing of a request over that of now; only one with a role has a role. */
function toSharing({ Shared, Role }: Partial<SavedViewChange>, now: Sharing): Sharing {
  const shared = Shared ?? now.shared
  return { shared, role: shared === 'role' ? (Role ?? now.role) : null }
}

function requireName(name: string): void {
  if (isBlankText(name) || /\p{C}/u.test(name))
    throw validation({ Name: say`The name of a view must have visible characters` })
}

const PARTS = [
  ...(['Kind', 'Columns', 'Filters', 'SearchText', 'Sort'] as const),
  ...(['Preset', 'GroupBy', 'Settings'] as const),
]

/** The parts of a change over those of now. */
const mergeParts = (now: ViewParts, change: Partial<ViewParts>): ViewParts => ({
  ...now,
  ...Object.fromEntries(
    PARTS.filter((name) => change[name] !== undefined).map((name) => [name, change[name]]),
  ),
})

const missingView = () =>
  notFound(say`There is no such saved view`, { code: 'SAVED_VIEW_NOT_FOUND' })
