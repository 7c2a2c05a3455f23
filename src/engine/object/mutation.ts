/** Tools that every mutation is made with; tells its after-write pass who caused it. */
import type { Clock } from '../../kernel/clock.ts'
import type { FieldErrors } from '../../kernel/failure.ts'
import { type Store, systemScope, type Tx, type WriteScope } from '../../store/store.ts'
import type { Entity } from '../../model/compiled/entity.ts'
import type { View } from '../../model/compiled/view.ts'
import type { CurrentModel } from '../../model/current.ts'
import type { Model } from '../../model/model.ts'
import { requireValidCaller } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { type Context, newContext } from './context.ts'
import { UnexplainedFailure } from './unexplained-failure.ts'

/** The parts of the server that the object engine works with. */
export interface ObjectEngine {
  readonly store: Store
  readonly models: CurrentModel
  readonly clock: Clock
  /**
   * `Svc:Objects:RequireRowVersion`: an update or delete of a stamped record must bring its stamp.
   */
  readonly requireRowVersion: boolean
  /** Finds the check that extensions run on records before they are written. */
  readonly findRecordCheck?: FindRecordCheck | undefined
  /** True when an extension listens to changes of an entity's records. */
  readonly isHeard?: (model: Model, entity: Entity) => boolean
}

/** The cause of the changes of a transaction, for audit and rules. */
export interface ChangeSource {
  context: Context
  /** The view, or the engine's own reason. */
  source: string
  traceId: string | undefined
  /** How many events of extensions led to it, one from the other. */
  eventDepth?: number | undefined
  /** Records come in as they were: nothing follows from it but what the data itself comes to. */
  history?: History | undefined
}

/** Tracking that records of an entity keep when they are taken over. */
export interface History {
  entity: Entity
  /** Names of the tracking columns that say who made and changed a record back then. */
  keeps: ReadonlySet<string>
}

/** By which way a change came, as the audit log names it. */
export const auditSource = ({ source, history }: ChangeSource): string =>
  history ? `takeover/${source}` : source

declare module '../../store/store.ts' {
  interface TxFacts {
    /** Undefined for the engine's own work. */
    origin?: ChangeSource
  }
}

/** One request that changes records. */
export interface Mutation {
  engine: ObjectEngine
  context: Context
  caller: Caller
  /** The model that served when the mutation was planned; its grants are of that model. */
  model: Model
  traceId: string
  allCompanies: boolean
  /** Depth of events that a listener of an extension causes: see `ChangeSource`. */
  eventDepth?: number | undefined
  /** The transaction of several mutations of which it is one, which ends it. */
  within?: Tx | undefined
  /** Called last in the transaction, with the answer: writes that must commit with it. */
  recordResponse?: ((tx: Tx, result: unknown) => Promise<void>) | undefined
}

/** A record as it would be stored: the view's fields of its own, as JSON has them. */
export interface CheckedRecord {
  isNew: boolean
  values: Record<string, unknown>
  /** As it is stored now; null for a new one. */
  old: Record<string, unknown> | null
}

/**
 * Checks records of a view: the faults of each, in their order; undefined for a record without any.
 * Throws where it cannot tell: then nothing is written.
 */
export type CheckRecords = (
  mutation: Mutation,
  records: readonly CheckedRecord[],
) => Promise<readonly (FieldErrors | undefined)[]>

/** Finds what checks the records of a view; undefined where nothing does. */
export type FindRecordCheck = (view: View) => Promise<CheckRecords | undefined>

/** Plans a mutation for a caller who asks now, with what serves now. */
export function newMutation(
  by: Pick<Mutation, 'engine' | 'caller' | 'model' | 'traceId' | 'eventDepth'>,
  { allCompanies = false, recordResponse }: Partial<Mutation> = {},
): Mutation {
  const { engine, caller, model } = by
  const context = newContext(engine, caller, model)
  return { ...by, context, allCompanies, recordResponse }
}

/**
 * Runs the work of a mutation in one transaction, held to the caller's company, or within the one
 * that it is a part of; it resolves to what the mutation answers.
 */
export async function writeMutation<T>(
  mutation: Mutation,
  source: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { engine, context, traceId, eventDepth } = mutation
  if (mutation.within) return work(mutation.within)
  const writing = engine.store.write(async (tx) => {
    tx.facts.origin = { context, source, traceId, eventDepth }
    const result = await work(tx)
    await mutation.recordResponse?.(tx, result)
    return result
  }, mutationScope(mutation))
  try {
    return await writing
  } catch (error) {
    // Authored text of a reading must not hold the writer.
    throw error instanceof UnexplainedFailure ? await error.explained(engine.store) : error
  }
}

const ALL_COMPANIES = systemScope('System asked for AllCompanies')

/**
 * Whose rows a mutation may write, and that its caller may still do so: neither their session nor
 * their rights, nor the model that grants them, are others than when it was planned.
 */
export const mutationScope = ({
  engine,
  caller,
  model,
  allCompanies,
}: Pick<Mutation, 'engine' | 'caller' | 'model' | 'allCompanies'>): WriteScope => ({
  ...(allCompanies && caller.isSystem ? ALL_COMPANIES : { company: caller.companyId }),
  revalidate: () => {
    engine.models.requireHeld(model)
    return requireValidCaller(caller)
  },
})
