/** The server of the model, by the SDK `openai`; it gets only the data that a request needs. */
import type { OpenAI } from 'openai'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat'
import { toTraceparent } from '../../../kernel/ids.ts'
import { guardFetch, readJson } from './guarded-fetch.ts'
import {
  broken,
  cancelled,
  ModelFailure,
  ofStatus,
  timedOut,
  unreachable,
} from './model-failure.ts'
import type { OpenaiOptions } from './openai-options.ts'

/** One request to the model. */
interface ModelRequest {
  messages: ChatCompletionMessageParam[]
  tools: ChatCompletionTool[]
  /** False where the model must answer in words now. */
  mayCall: boolean
  /** The trace of the question. */
  traceId: string
}

/** Signals that end the wait for an answer. */
interface Ends {
  /** The caller's signal. */
  cancel: AbortSignal
  /** The signal of the time bound. */
  timeout: AbortSignal
}

type Sdk = typeof import('openai')

/** The text in place of a missing key; it is never sent. */
const NO_KEY = 'none'

/** Asks the server. */
export class ModelServer {
  readonly #options: OpenaiOptions
  #opened: Promise<{ sdk: Sdk; client: OpenAI }> | undefined

  constructor(options: OpenaiOptions) {
    this.#options = options
  }

  /**
   * The answer, piece by piece, each as the server sent it: a server that ignores `stream` gives
   * one piece. The request ends when its reader stops reading.
   * @throws ModelFailure
   */
  async *stream(request: ModelRequest, ends: Ends): AsyncGenerator<unknown, void> {
    const { sdk, client } = await (this.#opened ??= this.#open())
    const abort = new AbortController()
    const signal = AbortSignal.any([ends.cancel, ends.timeout, abort.signal])
    try {
      signal.throwIfAborted()
      const response = await this.#send(client, request, signal)
      const type = response.headers.get('content-type') ?? ''
      if (/\bjson\b/i.test(type)) yield await readJson(response)
      else if (!/^text\/event-stream\b/i.test(type)) throw broken()
      else yield* await readEvents(response, abort, client)
      // The SDK ends in silence where a signal has ended it.
      signal.throwIfAborted()
    } catch (error) {
      throw toModelFailure(error, sdk, ends)
    } finally {
      abort.abort()
    }
  }

  #send(client: OpenAI, asked: ModelRequest, signal: AbortSignal) {
    const { messages, tools, mayCall, traceId } = asked
    const { model } = this.#options
    const traceparent = toTraceparent(traceId)
    return client.chat.completions
      .create(
        {
          model,
          messages,
          stream: true,
          stream_options: { include_usage: true },
          ...(tools.length > 0 && { tools, tool_choice: mayCall ? 'auto' : 'none' }),
        },
        { signal, ...(traceparent !== undefined && { headers: { traceparent } }) },
      )
      .asResponse()
  }

  async #open(): Promise<{ sdk: Sdk; client: OpenAI }> {
    // Loaded with the first question: a start does not wait for it.
    const sdk = await import('openai')
    const { baseUrl, apiKey, retries, silenceMs } = this.#options
    const client = new sdk.OpenAI({
      baseURL: baseUrl,
      apiKey: apiKey || NO_KEY,
      maxRetries: retries,
      timeout: silenceMs,
      // Values that the SDK would otherwise take from the environment.
      organization: null,
      project: null,
      adminAPIKey: null,
      webhookSecret: null,
      logLevel: 'off',
      fetch: guardFetch({ silenceMs, hasKey: apiKey !== '' }),
    })
    return { sdk, client }
  }
}

async function readEvents(
  response: Response,
  abort: AbortController,
  client: OpenAI,
): Promise<AsyncIterable<unknown>> {
  const { Stream } = await import('openai/streaming')
  return Stream.fromSSEResponse<unknown>(response, abort, client)
}

/** Turns an error of the SDK or the guard into the failure that the caller may see. */
function toModelFailure(error: unknown, sdk: Sdk, { cancel, timeout }: Ends): ModelFailure {
  if (cancel.aborted) return cancelled()
  if (timeout.aborted) return timedOut()
  if (error instanceof ModelFailure) return error
  if (error instanceof sdk.APIConnectionTimeoutError) return timedOut()
  if (error instanceof sdk.APIConnectionError) return unreachable()
  if (error instanceof sdk.APIError && typeof error.status === 'number')
    return ofStatus(error.status, error.code)
  return broken()
}
