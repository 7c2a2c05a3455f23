/** Failures of a model to answer: for the caller, without address, key or words of its server. */
import { type Message, say } from '../../../kernel/messages.ts'

/** Ends an answer in an `error` item. */
export class ModelFailure extends Error {
  /** Stable upper-snake-case code for machines. */
  readonly code: string
  readonly text: Message
  /** The status of the server's answer; for the log. */
  readonly status: number | undefined

  constructor(code: string, text: Message, status?: number) {
    super(String(text))
    this.code = code
    this.text = text
    this.status = status
  }
}

/** The server was silent for too long, or the whole answer took too long. */
export const timedOut = (): ModelFailure =>
  new ModelFailure('ASSISTANT_TIMEOUT', say`The assistant's model took too long to answer`)

/** The caller has disconnected or cancelled the answer. */
export const cancelled = (): ModelFailure =>
  new ModelFailure('ASSISTANT_CANCELLED', say`The answer was cancelled`)

/** The failure for a connection that did not come about. */
export const unreachable = (): ModelFailure =>
  new ModelFailure('ASSISTANT_UNREACHABLE', say`The assistant's model cannot be reached`)

/** The failure for an answer outside of the protocol, or an incomplete one. */
export const broken = (): ModelFailure =>
  new ModelFailure(
    'ASSISTANT_BROKEN',
    say`The assistant's model sent an incomplete answer. Please try again.`,
  )

/** The failure for an answer that is longer than any may be. */
export const overlong = (): ModelFailure =>
  new ModelFailure('ASSISTANT_OVERLONG', say`The assistant's model could not finish its answer`)

/** The failure for a question that does not fit beside the model's instructions. */
export const overfull = (status?: number): ModelFailure =>
  new ModelFailure(
    'ASSISTANT_QUESTION_TOO_LONG',
    say`The question and its conversation are too long for the assistant's model`,
    status,
  )

/** The failure for a status that is not 2xx, for the caller; `code` is the server's own. */
export function ofStatus(status: number, code: unknown): ModelFailure {
  if (status === 429)
    return new ModelFailure(
      'ASSISTANT_BUSY',
      say`The assistant's model is busy. Please try again later.`,
      status,
    )
  if (status === 413 || code === 'context_length_exceeded') return overfull(status)
  if (status >= 500 || status === 408)
    return new ModelFailure(
      'ASSISTANT_FAILED',
      say`The assistant's model failed. Please try again later.`,
      status,
    )
  return new ModelFailure(
    'ASSISTANT_REFUSED',
    say`The assistant's model refused the request. See the server log for the reason.`,
    status,
  )
}
