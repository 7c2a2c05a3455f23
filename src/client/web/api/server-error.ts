/** The envelope of a refusal. */
interface ErrorEnvelope {
  error: string
  code?: string
  traceId?: string
  /** The language of its sentence, where the server says it. */
  language?: string
  fieldErrors?: Readonly<Record<string, readonly string[] | string>>
  conflict?: unknown
  suggestions?: readonly string[]
}

/** An answer that is no success. `status` 0 where none came. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly status: number
  readonly refusal: ErrorEnvelope

  constructor(status: number, refusal: ErrorEnvelope) {
    super(refusal.error)
    this.status = status
    this.refusal = refusal
  }
}
