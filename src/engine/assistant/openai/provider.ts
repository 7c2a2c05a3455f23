/**
 * The provider `openai`: a model calls the tools, as the caller, and words the answer. It has no
 * other way to the data, and no number of its own.
 */
import type { ChatCompletionMessageParam } from 'openai/resources/chat'
import { toEnvelope, toFailure } from '../../../kernel/envelope.ts'
import { invalid } from '../../../kernel/failure.ts'
import { renderMessage, say } from '../../../kernel/messages.ts'
import type { AssistantCall } from '../assistant-call.ts'
import type { AnswerItem, TableItem } from '../item.ts'
import { beginMessages, fitMessages, MODEL_TOOLS } from './messages.ts'
import { broken, ModelFailure } from './model-failure.ts'
import type { ModelServer } from './model-server.ts'
import { type AskedCall, ModelTurn } from './model-turn.ts'
import { KnownNumbers } from './numerals.ts'
import type { OpenaiOptions } from './openai-options.ts'
import { type SourcedPiece, SourcedText, type SourcePlace } from './sourced-text.ts'
import { estimateTokens, type TokenBudget } from './token-budget.ts'
import { writeData } from './tool-data.ts'
import type { AssistantProvider, Question } from '../provider.ts'
import type { ToolCall, ToolResult } from '../tool.ts'

/** Turns in which a model may call tools. */
const TURNS_MAX = 8
/** The part of a request that one result may be. */
const RESULT_SHARE = 4

interface OpenaiParts {
  server: ModelServer
  budget: TokenBudget
  options: OpenaiOptions
}

/** Makes the provider. See `AssistantProvider`. */
export const openOpenaiProvider = (parts: OpenaiParts): AssistantProvider => ({
  name: 'openai',
  answer: (by, question, call) => new ModelAnswer(parts, { by, question, call }).items(),
})

interface Asking {
  by: AssistantCall
  question: Question
  call: ToolCall
}

/** One answer, from its first turn to its last. */
class ModelAnswer {
  readonly #parts: OpenaiParts
  readonly #asking: Asking
  readonly #messages: ChatCompletionMessageParam[]
  readonly #tables: TableItem[] = []
  readonly #numbers = new KnownNumbers()

  constructor(parts: OpenaiParts, asking: Asking) {
    this.#parts = parts
    this.#asking = asking
    this.#messages = beginMessages(asking.by, asking.question)
    this.#numbers.add([asking.question.text, ...asking.question.before.map((e) => e.question)])
  }

  async *items(): AsyncGenerator<AnswerItem, void> {
    const { by } = this.#asking
    const timeout = AbortSignal.timeout(this.#parts.options.timeoutMs)
    try {
      for (let turn = 0; turn <= TURNS_MAX; turn++) {
        const calls = yield* this.#take(timeout, turn < TURNS_MAX)
        if (calls.length === 0) return
        for (const asked of calls) yield* this.#run(asked)
      }
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error
      const { code, text, status } = error
      by.log.warn('the assistant has no answer of its model', {
        code,
        traceId: by.traceId,
        ...(status !== undefined && { status }),
      })
      yield { Type: 'error', Code: code, Message: renderMessage(text, by.language) }
    }
  }

  /** One turn: its text piece by piece; the calls that it asks for. */
  async *#take(timeout: AbortSignal, mayCall: boolean): AsyncGenerator<AnswerItem, AskedCall[]> {
    const { server, budget, options } = this.#parts
    const { by, question } = this.#asking
    const { messages, bytes } = fitMessages(this.#messages, options.contextBytes)
    const charge = await budget.charge(by.caller.userId, estimateTokens(bytes))
    const turn = new ModelTurn()
    const sourced = new SourcedText({
      findValue: (place) => this.#findValue(place),
      numbers: this.#numbers,
    })
    try {
      const request = { messages, tools: MODEL_TOOLS, mayCall, traceId: by.traceId }
      for await (const piece of server.stream(request, { cancel: by.signal, timeout }))
        yield* tell(sourced.push(turn.take(piece)))
      yield* tell(sourced.end())
    } finally {
      const tokens = turn.tokens ?? charge.tokens + estimateTokens(turn.length)
      await budget.settle(charge, tokens)
      question.spend(tokens)
    }
    const calls = mayCall ? turn.calls : []
    if (calls.length === 0 && turn.text.trim() === '') throw broken()
    this.#messages.push({
      role: 'assistant',
      content: turn.text,
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ id, name, text }) => ({
          id,
          type: 'function' as const,
          function: { name, arguments: text || '{}' },
        })),
      }),
    })
    return calls
  }

  /** Runs a call as the caller; the model and the caller both get the text of a refusal. */
  async *#run({ id, name, text }: AskedCall): AsyncGenerator<AnswerItem, void> {
    const { call, by } = this.#asking
    let content: string
    try {
      const given = readArguments(text)
      yield { Type: 'tool', Tool: name, Arguments: given }
      content = yield* this.#show(await call(name, given))
    } catch (error) {
      if (by.signal.aborted) throw error
      const failure = toFailure(error)
      if (failure.kind === 'internal') throw error
      const { code, error: told } = toEnvelope(failure, by.traceId, false, by.language)
      yield { Type: 'tool', Tool: name, Arguments: null, Error: told }
      content = `REFUSED: ${JSON.stringify({ code, message: told })}`
    }
    this.#messages.push({ role: 'tool', tool_call_id: id, content })
  }

  /** Shows a result to the caller, and returns its text for the model. */
  *#show({ value, item }: ToolResult): Generator<AnswerItem, string> {
    const bytesMax = Math.floor(this.#parts.options.contextBytes / RESULT_SHARE)
    const table = item?.Type === 'table' ? this.#tables.push(item) - 1 : undefined
    if (item) yield item
    try {
      const { text, shown } = writeData(value, table, bytesMax)
      this.#numbers.add(shown)
      return text
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return 'REFUSED: {"message":"The result is too large: ask for less"}'
    }
  }

  #findValue({ table, column, row }: SourcePlace): { column: string; text: string } | undefined {
    const found = this.#tables[table]
    if (!found) return undefined
    const { language } = this.#asking.by
    const show = (value: unknown): string =>
      typeof value === 'number'
        ? new Intl.NumberFormat(language, { maximumFractionDigits: 6 }).format(value)
        : String(value)
    if (row === undefined) return { column: '', text: show(found.RowCount) }
    const key = column.toLowerCase()
    const named = found.Columns.find(({ Name }) => Name.toLowerCase() === key)
    const value = named && found.Rows[row]?.[named.Name]
    return named && value !== undefined && value !== null
      ? { column: named.Name, text: show(value) }
      : undefined
  }
}

function* tell(piece: SourcedPiece | undefined): Generator<AnswerItem, void> {
  if (!piece || piece.text === '') return
  const { text, references } = piece
  yield { Type: 'text', Text: text, ...(references.length > 0 && { References: references }) }
}

/** Reads arguments. @throws invalid for a text that is not a JSON object */
function readArguments(text: string): Readonly<Record<string, unknown>> {
  try {
    const given: unknown = JSON.parse(text === '' ? '{}' : text)
    if (typeof given === 'object' && given !== null && !Array.isArray(given)) return { ...given }
  } catch {
    // Said below.
  }
  throw invalid(say`The arguments of a tool must be a JSON object`)
}
