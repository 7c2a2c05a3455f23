/** A script that a user runs, from its parameters to its result. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { type CallerApi, openCallerApi, openReporter } from './caller-api.ts'
import {
  type AnswerCall,
  explainRun,
  ExtensionRun,
  type Outcome,
  type RunLimits,
  type RunOptions,
} from './extension-run.ts'
import type { Declared, Extensions } from './extensions.ts'
import { LOG_CHARACTERS_MAX, RESULT_CHARACTERS_MAX } from './limits.ts'
import { readPartParameters } from './part-parameters.ts'
import type { ScriptPart } from './parts.ts'
import type { Order } from './rpc-messages.ts'

/** Lines of a log that outlive a script which has no answer to put them in. */
const LAST_LINES = 20
const LAST_LINE_CHARACTERS_MAX = 500

/** The outcome of a script. */
interface ScriptOutcome {
  /** JSON text. */
  resultJson: string
  log: string[]
  durationMs: number
}

/**
 * Runs a script for its caller, in a process of its own.
 * @throws validation, invalid for parameters; invalid for a script that fails or is ended
 */
export async function runScript(
  extensions: Extensions,
  { part, file }: Declared<ScriptPart>,
  given: Record<string, unknown> | null | undefined,
  api: CallerApi,
  begin: () => Promise<void>,
): Promise<ScriptOutcome> {
  const parameters = readPartParameters(part.Parameters, given)
  const { folder } = extensions
  const order = { do: 'run', folder, file, name: part.Name, parameters } as const
  const work = async (): Promise<ScriptOutcome> => {
    await begin()
    return runOrder(extensions, order, { api, answer: openCallerApi(api, part.Name) })
  }
  return extensions.semaphore.run(work, String(api.caller.userId))
}

/** An order that has a result. */
export type ResultOrder = Extract<Order, { do: 'run' | 'report' | 'job' | 'validate' | 'on' }>

/** A run's caller, the answers to its calls, and the signal that ends it besides the server. */
interface OrderOptions extends Pick<RunOptions, 'ending' | 'onProgress' | 'onLog'> {
  api: Pick<CallerApi, 'log' | 'language' | 'traceId'>
  answer: AnswerCall
  signal?: AbortSignal
  /** The limits; those of scripts by default. */
  limits?: RunLimits
}

/** Runs an order that has a result. @throws invalid where it fails or is ended */
export async function runOrder(
  extensions: Extensions,
  order: ResultOrder,
  { api, answer, signal, onLog, limits = extensions.limits, ...told }: OrderOptions,
): Promise<ScriptOutcome> {
  const startedAt = performance.now()
  const lines = new ScriptLog()
  const signals = [extensions.signal, ...(signal ? [signal] : [])]
  await using run = new ExtensionRun(order, {
    ...told,
    ...limits,
    settings: extensions.settings,
    signal: AbortSignal.any(signals),
    onLog: onLog ?? ((text) => lines.add(text)),
    answer,
    reportError: openReporter(api),
  })
  const { log, traceId } = api
  const outcome = await run.finish().catch((error: unknown) => {
    const lastLines = lines.last()
    throw explainRun(error, order.name, { log, limits, traceId, lastLines })
  })
  return {
    resultJson: requireResult(outcome, order.name),
    log: lines.list(),
    durationMs: Math.round(performance.now() - startedAt),
  }
}

function requireResult(outcome: Outcome, name: string): string {
  const text = 'result' in outcome ? outcome.result : 'null'
  if (text.length > RESULT_CHARACTERS_MAX)
    throw invalid(say`The result of '${name}' is longer than ${RESULT_CHARACTERS_MAX} characters`)
  try {
    JSON.parse(text)
  } catch (cause) {
    throw invalid(say`'${name}' exited unexpectedly. See the server log for the reason.`, { cause })
  }
  return text
}

/** The lines of a log, up to its bound. */
class ScriptLog {
  readonly #lines: string[] = []
  #characters = 0

  add(text: string): void {
    if (this.#characters > LOG_CHARACTERS_MAX) return
    this.#characters += text.length + 1
    this.#lines.push(this.#characters > LOG_CHARACTERS_MAX ? '… the log is longer' : text)
  }

  list(): string[] {
    return this.#lines
  }

  last(): string[] {
    return this.#lines.slice(-LAST_LINES).map((text) => text.slice(0, LAST_LINE_CHARACTERS_MAX))
  }
}
