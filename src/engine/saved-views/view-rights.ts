/** Rights to see, share, change and delete saved views. */
import { denied, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Model } from '../../model/model.ts'
import { ADMIN_ROLE, type Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import type { Shares } from './schema.ts'
import type { ViewRow } from './view-records.ts'

/** A reader of saved views, with the model of now. */
export interface ViewReader {
  readonly caller: Caller
  readonly model: Model
}

type Right = 'Create' | 'Update' | 'Delete'

/** System and Admin hold each right on shared views. */
const holds = ({ caller, model }: ViewReader, right: Right): boolean =>
  caller.isSystem ||
  caller.roles.includes(ADMIN_ROLE) ||
  Grant.findCapability(caller, model, 'SharedViews', right) !== undefined

/** Tells whether a reader may share views of their own. */
export const canShare = (reader: ViewReader): boolean => holds(reader, 'Create')

/** Tells whether a reader may change shared views of others, and so sees those of every role. */
export const managesShared = (reader: ViewReader): boolean =>
  holds(reader, 'Update') || holds(reader, 'Delete')

/** Tells whether the reader saved a view. */
export const isOwn = ({ caller }: ViewReader, row: ViewRow): boolean =>
  row.MakerId === caller.userId

/** Tells whether a reader may change a view that they see. */
export const canChange = (reader: ViewReader, row: ViewRow): boolean =>
  row.OwnerId === reader.caller.userId ||
  (isOwn(reader, row) && canShare(reader)) ||
  holds(reader, 'Update')

/** Tells whether a reader may delete a view that they see: its maker may always. */
export const canDelete = (reader: ViewReader, row: ViewRow): boolean =>
  isOwn(reader, row) || holds(reader, 'Delete')

/** A view's readers, as a request names them. */
export interface Sharing {
  shared: Shares
  role: string | null
}

/**
 * Requires that the reader may share a view so: with a role that they hold, or as an administrator
 * with any. @throws denied (401), validation for a role that is missing or not theirs
 */
export function requireSharing(reader: ViewReader, { shared, role }: Sharing): void {
  if (shared === 'none') return
  if (!canShare(reader)) throw denied(say`You are not allowed to share views`)
  if (shared !== 'role') return
  const { caller, model } = reader
  if (role === null) throw validation({ Role: say`Name the role to share the view with` })
  const isAdmin = caller.isSystem || caller.roles.includes(ADMIN_ROLE)
  const isTheirs = caller.roles.includes(role)
  if (!isTheirs && !(isAdmin && model.roles.has(role)))
    throw validation({
      Role: isAdmin ? say`There is no such role` : say`must be one of your roles`,
    })
}
