/** Rows that a question is looked up in, as its caller may list them. */
import type { AssistantCall } from '../assistant-call.ts'
import type { ReachedField } from './scope.ts'
import { runQuery } from '../../object-explorer/query.ts'
import type { QueryRequest } from '../../object-explorer/schema.ts'
import { newContext } from '../../object/context.ts'

/** A row of a lookup. */
export type Row = Readonly<Record<string, unknown>>

/** Reads that one question may cause before it is given up. */
const READS_MAX = 150

/** Lookups of the readings of one question: each thing once, within a bound. */
export class Lookups {
  readonly #by: AssistantCall
  readonly #known = new Map<string, Promise<Row[]>>()

  constructor(by: AssistantCall) {
    this.#by = by
  }

  /** Rows the caller may list them; none once too much was asked. */
  ask({ view, grant }: Pick<ReachedField, 'view' | 'grant'>, request: QueryRequest) {
    const key = JSON.stringify(request)
    const known = this.#known.get(key)
    if (known) return known
    if (this.#known.size >= READS_MAX) return Promise.resolve([])
    const reading = this.#read({ view, grant }, request)
    this.#known.set(key, reading)
    return reading
  }

  async #read(
    { view, grant }: Pick<ReachedField, 'view' | 'grant'>,
    request: QueryRequest,
  ): Promise<Row[]> {
    const { engine, reader, caller, model, bytesMax, signal } = this.#by
    const requested = { view, request, grant, context: newContext(engine, caller, model) }
    const text = await runQuery(reader, requested, { bytes: bytesMax }, signal)
    return (JSON.parse(text) as { Rows: Row[] }).Rows
  }
}
