/** A script that somebody asked for, from its parameters to its result. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { openCallerApi, openReporter } from './caller-api.ts'
import type { CallerApi } from './caller-api.ts'
import { explainRun, ExtensionRun } from './extension-run.ts'
import type { Outcome } from './extension-run.ts'
import type { Declared, Extensions } from './extensions.ts'
import { LOG_CHARACTERS_MAX, RESULT_CHARACTERS_MAX } from './limits.ts'
import { readPartParameters } from './part-parameters.ts'
import type { ScriptPart } from './parts.ts'

/** Lines of a log that outlive a script which has no answer to put them in. */
const LAST_LINES = 20
const LAST_LINE_CHARACTERS_MAX = 500

/** What a script gives. */
export interface ScriptOutcome {
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
  reach: CallerApi,
  begin: () => Promise<void>,
): Promise<ScriptOutcome> {
  const parameters = readPartParameters(part.Parameters, given)
  const work = async (): Promise<ScriptOutcome> => {
    await begin()
    const startedAt = performance.now()
    const lines = new ScriptLog()
    const { folder, limits, signal } = extensions
    const order = { do: 'run', folder, file, name: part.Name, parameters } as const
    await using run = new ExtensionRun(order, {
      ...limits,
      signal,
      onLog: (text) => lines.add(text),
      answer: openCallerApi(reach, part.Name),
      reportError: openReporter(reach),
    })
    const { log, traceId } = reach
    const outcome = await run.finish().catch((error: unknown) => {
      const lastLines = lines.last()
      throw explainRun(error, part.Name, { log, limits, traceId, lastLines })
    })
    return {
      resultJson: requireResult(outcome, part.Name),
      log: lines.list(),
      durationMs: Math.round(performance.now() - startedAt),
    }
  }
  return extensions.semaphore.run(work, String(reach.caller.userId))
}

function requireResult(outcome: Outcome, name: string): string {
  const text = 'result' in outcome ? outcome.result : 'null'
  if (text.length > RESULT_CHARACTERS_MAX)
    throw invalid(say`The result of '${name}' is larger than ${RESULT_CHARACTERS_MAX} characters`)
  try {
    JSON.parse(text)
  } catch (cause) {
    throw invalid(say`'${name}' ended its process; the server's log has the reason`, { cause })
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
