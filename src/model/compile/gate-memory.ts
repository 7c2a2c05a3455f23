/**
 * What the SQL gate said of each statement of a model. Passing the gate is most of a compilation,
 * and the same statements over the same tables pass it the same way: a translation does not ask
 * again.
 */
import type {
  ConditionFacts,
  GateFacts,
  ReadOptions,
  Shadow,
  SqlGate,
} from '../../store/sql-gate.ts'
import { SqlFault } from '../../store/gate-fault.ts'

/** The part of the gate that a compilation asks. */
export type GateRequest = Pick<SqlGate, 'isWrite' | 'read' | 'write' | 'condition'>

/** A refusal, as it is remembered. */
interface Refusal {
  refused: string
  offset: number
}

/** Asks a gate and remembers what it says, its refusals too. */
export class RememberingGate implements GateRequest {
  readonly #gate: GateRequest
  /** JSON by JSON, so that nothing is left to be done at the end. */
  readonly #answers = new Map<string, string>()

  constructor(gate: GateRequest) {
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

  /** All of it as text, for `recallGate`. */
  remember(): string {
    const pairs = [...this.#answers].map(([asked, told]) => `[${JSON.stringify(asked)},${told}]`)
    return `[${pairs.join()}]`
  }

  #ask<T>(question: string, ask: () => T): T {
    try {
      const answer = ask()
      this.#answers.set(question, JSON.stringify(answer))
      return answer
    } catch (error) {
      if (error instanceof SqlFault) {
        const refusal: Refusal = { refused: error.message, offset: error.offset }
        this.#answers.set(question, JSON.stringify(refusal))
      }
      throw error
    }
  }
}

/**
 * A gate that answers from what another one remembered, of the same scripts and by the same build.
 * It throws for what that one was not asked.
 */
export function recallGate(memory: string): GateRequest {
  const known = new Map(JSON.parse(memory) as [question: string, answer: unknown][])
  const recall = (...parts: unknown[]): unknown => {
    const question = planQuestion(...parts)
    if (!known.has(question)) throw new Error(`The gate was never asked ${question}`)
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

const planQuestion = (...parts: unknown[]): string => JSON.stringify(parts)
