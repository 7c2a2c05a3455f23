/** One turn of the model, put together from its pieces in the manners that servers have. */
import { overlong } from './model-failure.ts'

/** A call that the model asks for, with its arguments as it wrote them. */
export interface AskedCall {
  id: string
  name: string
  text: string
}

/** Calls of one turn. */
const CALLS_MAX = 16
const NAME_CHARACTERS_MAX = 200
const ARGUMENT_CHARACTERS_MAX = 64 * 1024
const TEXT_CHARACTERS_MAX = 256 * 1024
/** Most tokens of any request; a larger number is not a count. */
const TOKENS_MAX = 100_000_000

type Members = Readonly<Record<string, unknown>>

/** The parts of a turn received so far. */
export class ModelTurn {
  readonly calls: AskedCall[] = []
  text = ''
  /** The reason why it ended; undefined before. */
  finish: string | undefined
  /** Tokens as the server counts them; undefined where it does not. */
  tokens: number | undefined
  /** UTF-16 units of all that was written. */
  length = 0
  readonly #places: (number | undefined)[] = []

  /**
   * Takes the next piece, `delta` or whole `message`; gives the text in it.
   * @throws ModelFailure where it has become too long
   */
  take(piece: unknown): string {
    const { choices, usage } = toMembers(piece)
    this.tokens = readTokens(usage) ?? this.tokens
    const choice = toMembers(Array.isArray(choices) ? choices[0] : undefined)
    if (typeof choice.finish_reason === 'string') this.finish = choice.finish_reason
    const said = toMembers(choice.delta ?? choice.message)
    if (Array.isArray(said.tool_calls)) for (const call of said.tool_calls) this.#takeCall(call)
    const text = typeof said.content === 'string' ? said.content : ''
    this.text += text
    this.#grow(text.length)
    // Thoughts of a model are not shown, but cost.
    for (const thought of [said.reasoning_content, said.reasoning])
      if (typeof thought === 'string') this.#grow(thought.length)
    return text
  }

  #takeCall(given: unknown): void {
    const { id, index, function: asked } = toMembers(given)
    const { name, arguments: piece } = toMembers(asked)
    const call = this.#findCall(
      typeof id === 'string' && id !== '' ? id : undefined,
      typeof index === 'number' ? index : undefined,
      typeof name === 'string' && name !== '',
    )
    // Whole at once, in crumbs, or again with each crumb.
    if (typeof name === 'string' && name !== call.name) call.name += name
    // An object where the protocol wants its text.
    const text = typeof piece === 'object' && piece !== null ? JSON.stringify(piece) : piece
    if (typeof text === 'string') call.text += text
    this.#grow((typeof name === 'string' ? name.length : 0) + String(text ?? '').length)
    if (call.name.length > NAME_CHARACTERS_MAX || call.text.length > ARGUMENT_CHARACTERS_MAX)
      throw overlong()
  }

  /**
   * The call that a piece continues, or a new one. Some servers give every call of a turn the
   * index 0 or none, others repeat the id with every crumb.
   */
  #findCall(id: string | undefined, index: number | undefined, isNamed: boolean): AskedCall {
    const at = index === undefined ? this.calls.length - 1 : this.#places.lastIndexOf(index)
    const open = this.calls[at]
    const isOther = id === undefined ? index === undefined && isNamed : id !== open?.id
    if (open && !(isOther && (id === undefined || open.text !== '' || isNamed))) return open
    if (this.calls.length >= CALLS_MAX) throw overlong()
    const call = { id: id ?? `call_${this.calls.length}`, name: '', text: '' }
    this.calls.push(call)
    this.#places.push(index)
    return call
  }

  #grow(length: number): void {
    this.length += length
    if (this.length > TEXT_CHARACTERS_MAX) throw overlong()
  }
}

const toMembers = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {}

function readTokens(usage: unknown): number | undefined {
  const { total_tokens: total, prompt_tokens: prompt, completion_tokens: out } = toMembers(usage)
  const tokens = toCount(total) ?? (toCount(prompt) ?? 0) + (toCount(out) ?? 0)
  return tokens > 0 ? tokens : undefined
}

const toCount = (value: unknown): number | undefined =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= TOKENS_MAX
    ? Number(value)
    : undefined
