/** Answers and parameters that several operations have in common: once, as components. */
import type { AnswerHeader } from './headers.ts'
import type { Answer, Operation, Parameter } from './parts.ts'

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** A part, and how each operation that has it takes a reference in its place. */
interface Use<T> {
  part: T
  refer: ((part: { $ref: string }) => void)[]
}

/** Parts by their text; what is a reference already is none. */
class Uses<T extends { $ref?: string }> {
  readonly #uses = new Map<string, Use<T>>()

  add(part: T, refer: (part: { $ref: string }) => void): void {
    if (part.$ref !== undefined) return
    const key = JSON.stringify(part)
    const use = this.#uses.get(key) ?? { part, refer: [] }
    this.#uses.set(key, use)
    use.refer.push(refer)
  }

  /**
   * Puts references in the places of parts that are there twice, where `nameOf` has a name for them
   * that none has yet; returns them beside the `known` ones.
   */
  share(
    place: string,
    known: Readonly<Record<string, T>>,
    nameOf: (part: T) => string | undefined,
  ): Record<string, T> {
    const shared: Record<string, T> = { ...known }
    for (const { part, refer } of this.#uses.values()) {
      const name = refer.length > 1 ? nameOf(part) : undefined
      if (name === undefined || name in shared) continue
      shared[name] = part
      for (const put of refer) put({ $ref: `#/components/${place}/${name}` })
    }
    return shared
  }
}

const listOperations = (paths: Paths): Operation[] =>
  Object.values(paths).flatMap((operations) => Object.values(operations))

/**
 * Puts a reference in the place of each answer that another operation has too, and returns these
 * answers by name, beside the `known` ones: `User` for a UserEnvelope, `OnceUser` where the answer
 * may be a replayed one, `TaggedUser` where it has a tag.
 */
export function shareAnswers(
  paths: Paths,
  known: Readonly<Record<string, Answer>>,
): Record<string, Answer> {
  const uses = new Uses<Answer>()
  for (const { responses = {} } of listOperations(paths))
    for (const [status, answer] of Object.entries(responses))
      uses.add(answer, (reference) => (responses[status] = reference))
  return uses.share('responses', known, nameAnswer)
}

/** A name for an answer in JSON; the others are few. */
function nameAnswer({ content, headers }: Answer): string | undefined {
  const schema = content?.['application/json']?.schema?.$ref ?? ''
  const name = /(\w+?)(?:Envelope)?$/.exec(schema)?.[1]
  if (name === undefined) return undefined
  const has = (header: AnswerHeader): boolean => headers?.[header] !== undefined
  return `${has('ETag') ? 'Tagged' : ''}${has('Idempotency-Replayed') ? 'Once' : ''}${name}`
}

/** The same for parameters of paths and queries: `UserId`, described as "Id of the user". */
export function shareParameters(
  paths: Paths,
  known: Readonly<Record<string, Parameter>>,
): Record<string, Parameter> {
  const uses = new Uses<Parameter>()
  for (const { parameters = [] } of listOperations(paths))
    for (const [at, parameter] of parameters.entries())
      uses.add(parameter, (reference) => (parameters[at] = reference))
  return uses.share('parameters', known, nameParameter)
}

function nameParameter({ name = '', description = '' }: Parameter): string | undefined {
  const own = toTitle(name)
  if (description.startsWith('Its ')) return own
  const subject = toTitle(/\bof (?:the|a) ([a-z]+)$/.exec(description)?.[1] ?? '')
  if (subject === '') return undefined
  return own.startsWith(subject) ? own : subject + own
}

const toTitle = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)
