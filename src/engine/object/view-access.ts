/** A view as a caller may use it: nearly all work on records is done with one. */
import type { Reader, Tx } from '../../store/store.ts'
import type { Entity } from '../../model/compiled/entity.ts'
import type { View } from '../../model/compiled/view.ts'
import type { Grant } from '../../access/rights/grant.ts'
import type { Context } from './context.ts'

/** A view as a caller uses it at one instant: all that a plan depends on besides the request. */
export interface ViewUse<V = View> {
  view: V
  grant: Grant
  context: Context
}

/** The same of a view whose records are an entity's. */
export interface EntityUse extends ViewUse {
  entity: Entity
}

/**
 * A view as a caller uses it, with where its records are read: of the last commit, of a
 * transaction, of a stage.
 */
export interface ViewAccess<R extends Reader = Reader, V = View> extends ViewUse<V> {
  reader: R
}

/** A view of an entity's records as a caller uses it, with where they are read and written. */
export interface RecordAccess<R extends Reader = Tx> extends EntityUse {
  reader: R
}
