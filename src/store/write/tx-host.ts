/** The parts of a writer that its transactions are made with. */
import type { AfterWrite, StoreCounters } from '../store.ts'
import type { WriterConnection } from './writer-connection.ts'

/** The parts of its writer that a transaction needs. */
export interface TxHost {
  writer: WriterConnection
  counters: StoreCounters
  afterWrite: AfterWrite | undefined
  /** The company whose rows it may write; null for every company. */
  company: number | null
  /** Authored statements end after so long; undefined: never, for a migration. */
  writeTimeoutMs: number | undefined
  /** A table whose rows `addRows` may add: foreign keys are off. */
  adds?: string | undefined
  /** True if that deadline is each statement's, not that of all of them together. */
  isLong: boolean
}
