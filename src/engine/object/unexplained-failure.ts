/** A refusal of a write whose words want a read: it is made when the writer is free again. */
import { Failure, invalid } from '../../kernel/failure.ts'
import type { Message } from '../../kernel/messages.ts'
import type { Reader } from '../../store/store.ts'

/** Reads, outside of the write, what a refusal may tell; undefined with nothing. */
type Explain = (reader: Reader) => Promise<Message | undefined>

/** A refusal as it is, and the facts that it could add. */
export class UnexplainedFailure extends Failure {
  readonly #explain: Explain

  constructor(cause: Failure, explain: Explain) {
    super(cause.kind, cause.text, { code: cause.code, cause })
    this.#explain = explain
  }

  /** The refusal in full words; as it is where they cannot be read: it is true without them. */
  async explained(reader: Reader): Promise<Failure> {
    const text = await this.#explain(reader).catch(() => undefined)
    return text ? invalid(text, { code: this.code, cause: this }) : this
  }
}
