/** Providers, which turn a question into an answer. They know the data by tools alone. */
import type { AssistantCall } from './assistant-call.ts'
import type { AnswerItem } from './item.ts'
import type { ToolCall } from './tool.ts'

/** An earlier exchange of the conversation, the oldest first. */
export interface Exchange {
  question: string
  /** The text of the answer, without rows. */
  text: string
  /** The requests that were answered, by their objects, the latest last. */
  requests: readonly { Object: string; Request: unknown }[]
}

/** A question with the exchanges that it follows. */
export interface Question {
  text: string
  /** The object that the caller looks at, by name or slug. */
  object?: string | undefined
  before: readonly Exchange[]
  /** Counts tokens of a model against the caller's. */
  spend: (tokens: number) => void
}

/** A provider of answers. */
export interface AssistantProvider {
  /** The name in `Svc:Assistant:Provider`. */
  readonly name: string
  /**
   * Answers piece by piece. `call` runs a tool as the caller, audits it and returns its result; it
   * throws the failure of a refusal. A question that is not understood ends in an `error` item with
   * suggestions.
   */
  answer(by: AssistantCall, question: Question, call: ToolCall): AsyncIterable<AnswerItem>
}
