/**
 * What the SQL gate said of each statement of a model. Passing the gate is most of a compilation,
 * and the same statements over the same tables pass it the same way: so a start does not ask again.
 */
import { createHash } from 'node:crypto'
import engine from '../../../package.json' with { type: 'json' }
import type { ConditionFacts, GateFacts, ReadOptions, Shadow, SqlGate } from '../../store/gate.ts'
import { SqlFault } from '../../store/gate-fault.ts'
import type { Script } from '../model.ts'

/** The part of the gate that a compilation asks. */
export type AskedGate = Pick<SqlGate, 'isWrite' | 'read' | 'write' | 'condition'>

/** A statement that the memory does not hold was asked for: the memory is of no use. */
export class ForgottenError extends Error {
  override readonly name = 'ForgottenError'
}

interface Memory {
  /** Names the engine's version and every script: other tables or rules make it worthless. */
  key: string
  answers: [question: string, answer: unknown][]
}

/** A refusal, as it is remembered. */
interface Refusal {
  refused: string
  offset: number
}

/** Asks a gate and remembers what it says, its refusals too. */
export class RememberingGate implements AskedGate {
  readonly #gate: AskedGate
  readonly #answers = new Map<string, unknown>()

  constructor(gate: AskedGate) {
    this.#gate = gate
  }

  isWrite(text: string): boolean {
    return this.#ask(planQuestion('isWrite', text), () => this.#gate.isWrite(text))
  }

  read(text: string, shadow?: Shadow, options?: ReadOptions): GateFacts {
    const question = planQuestion('read', text, options, !shadow)
    return this.#ask(question, () => this.#gate.read(text, shadow, options))
  }

  write(text: string, shadow?: Shadow): GateFacts {
    return this.#ask(planQuestion('write', text, !shadow), () => this.#gate.write(text, shadow))
  }

  condition(text: string, queryText: string, shadow?: Shadow): ConditionFacts {
    const question = planQuestion('condition', text, queryText, !shadow)
    return this.#ask(question, () => this.#gate.condition(text, queryText, shadow))
  }

  /** All of it as text, for `recallGate` with the same scripts. */
  remember(scripts: readonly Script[]): string {
    const memory: Memory = { key: planKey(scripts), answers: [...this.#answers] }
    return JSON.stringify(memory)
  }

  /** A gate that answers as this one did. */
  recall(): AskedGate {
    return answerFrom(this.#answers)
  }

  #ask<T>(question: string, ask: () => T): T {
    try {
      const answer = ask()
      this.#answers.set(question, answer)
      return answer
    } catch (error) {
      if (error instanceof SqlFault) {
        const refusal: Refusal = { refused: error.message, offset: error.offset }
        this.#answers.set(question, refusal)
      }
      throw error
    }
  }
}

/**
 * A gate that answers from memory, when the memory is of these scripts and this engine. It throws a
 * `ForgottenError` for what it does not know.
 */
export function recallGate(
  memory: string | undefined,
  scripts: readonly Script[],
): AskedGate | undefined {
  if (memory === undefined) return undefined
  const { key, answers } = JSON.parse(memory) as Partial<Memory>
  if (key !== planKey(scripts) || !answers) return undefined
  return answerFrom(new Map(answers))
}

function answerFrom(known: ReadonlyMap<string, unknown>): AskedGate {
  const recall = (...parts: unknown[]): unknown => {
    const question = planQuestion(...parts)
    if (!known.has(question)) throw new ForgottenError(question)
    const answer = known.get(question)
    if (isRefusal(answer)) throw new SqlFault(answer.refused, answer.offset)
    return answer
  }
  // What is recalled was noted down by the method of the same name.
  return {
    isWrite: (text) => recall('isWrite', text) as boolean,
    read: (text, shadow, options) => recall('read', text, options, !shadow) as GateFacts,
    write: (text, shadow) => recall('write', text, !shadow) as GateFacts,
    condition: (text, query, shadow) => recall('condition', text, query, !shadow) as ConditionFacts,
  }
}

function isRefusal(answer: unknown): answer is Refusal {
  return typeof answer === 'object' && answer !== null && 'refused' in answer
}

/** Rises when the gate tells more than it did. */
const FORMAT = 3

const planQuestion = (...parts: unknown[]): string => JSON.stringify(parts)

function planKey(scripts: readonly Script[]): string {
  const names = scripts.map(({ type, name, versionHash }) => `${type} ${name} ${versionHash}`)
  return createHash('sha256')
    .update([engine.version, FORMAT, ...names.sort()].join('\n'))
    .digest('hex')
}
