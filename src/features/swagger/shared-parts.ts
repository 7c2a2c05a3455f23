/** Answers and parameters that several operations have in common: once, as components. */
import type { AnswerHeader } from './headers.ts'
import type { Answer, Operation, Parameter, PathItem } from './parts.ts'

type Paths = Readonly<Record<string, PathItem>>

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

const operationsOf = ({ parameters: _, ...operations }: PathItem): Operation[] =>
  Object.values(operations)

const listOperations = (paths: Paths): Operation[] => Object.values(paths).flatMap(operationsOf)

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

/** A name for an answer in JSON, of a file, or without a body. */
function nameAnswer({ content, headers }: Answer): string | undefined {
  const has = (header: AnswerHeader): boolean => headers?.[header] !== undefined
  if (has('Content-Disposition')) return has('Content-Range') ? 'FileRange' : 'File'
  if (content === undefined) return has('ETag') ? 'Unchanged' : undefined
  const schema = content['application/json']?.schema?.$ref ?? ''
  const name = /(\w+?)(?:Envelope)?$/.exec(schema)?.[1]
  if (name === undefined) return undefined
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

/** Puts parameters that all operations of a path have beside these, in place of one with each. */
export function liftParameters(paths: Paths): void {
  for (const item of Object.values(paths)) {
    const operations = operationsOf(item)
    const [first, ...others] = operations.map(({ parameters = [] }) => parameters)
    const texts = others.map((list) => new Set(list.map((each) => JSON.stringify(each))))
    const common = first?.filter((each) => texts.every((list) => list.has(JSON.stringify(each))))
    if (!common?.length || others.length === 0) continue
    item.parameters = common
    const lifted = new Set(common.map((each) => JSON.stringify(each)))
    for (const operation of operations) {
      const own = operation.parameters?.filter((each) => !lifted.has(JSON.stringify(each)))
      if (own?.length) operation.parameters = own
      else delete operation.parameters
    }
  }
}

function nameParameter({ name = '', description = '' }: Parameter): string | undefined {
  const own = toTitle(name)
  if (description.startsWith('Its ')) return own
  const [, told] = /^([A-Z]\w+) of its [a-z]+$/.exec(description) ?? []
  if (told !== undefined) return told
  const words = /\bof (?:the|a) ([a-z]+(?: [a-z]+)?)$/i.exec(description)?.[1]?.split(' ') ?? []
  const subject = words.map(toTitle).join('')
  if (subject === '') return undefined
  return own.startsWith(subject) ? own : subject + own
}

const toTitle = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)
