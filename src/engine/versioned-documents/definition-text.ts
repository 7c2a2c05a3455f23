/**
 * Texts of definitions: parsed, and compared in lines. Unusually large ones go to a helper, so that
 * requests served meanwhile need not wait.
 */
import { invalid } from '../../kernel/failure.ts'
import { JsonText } from '../../kernel/json-text.ts'
import { say } from '../../kernel/messages.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import type { Script } from '../../model/compiled/script.ts'
import { diffLines } from '../../model/deploy/text-diff.ts'
import type { Diagnostic, Element } from '../../model/parse/element.ts'
import { parseModelFile } from '../../model/parse/parse.ts'
import type { HelperPort } from '../process/helper-port.ts'
import { HelperFault, type HelperOptions, spawnHelper } from '../process/helper-process.ts'
import type { DocumentType } from './documents.ts'

/** The name by which faults call the text itself. */
export const DEFINITION_FILE = 'definition.xml'

/** A definition as it was parsed: one script, or faults. */
export interface ParsedDefinition {
  script: Script | undefined
  faults: readonly Diagnostic[]
}

/** Most characters that this process reads itself: a few milliseconds of any content. */
const READ_HERE_MAX = 16 * 1024

/** The most elements of a definition; one of a thousand is large. */
const ELEMENTS_MAX = 5000

/** The most bytes of an answer of lines: two texts of one line each are less. */
const LINES_BYTES_MAX = 10 * 1024 * 1024

const LIMITS: HelperOptions = { deadlineMs: 30_000, memoryBytesMax: 1024 ** 3 }

/** One large text at a time: callers with many wait for callers with few. */
const helping = new Semaphore(1)

/** Orders to the helper: texts, and then what to do with them. */
type TextOrder = { text: string } | { work: TextWork }

/** The work on a text: to parse a definition of a type, or to compare two. */
type TextWork = { parse: DocumentType } | 'diff'

/**
 * Parses a definition, which is one script of its type and nothing else, for a user.
 * @throws invalid for one that cannot be read within the limits of a helper
 */
export async function parseDefinition(
  type: DocumentType,
  body: string,
  userId: number,
): Promise<ParsedDefinition> {
  if (body.length <= READ_HERE_MAX) return parseHere(type, body)
  const parsed = await askHelper({ parse: type }, [body], userId)
  const { script, faults } = parsed as ParsedDefinition
  return { script: script && { ...script, body }, faults }
}

/**
 * The lines in which two texts differ (`diffLines`), as a JSON list.
 * @throws invalid for more of them than an answer may hold
 */
export async function compareTexts(
  texts: readonly [string, string],
  userId: number,
): Promise<JsonText> {
  const size = texts[0].length + texts[1].length
  const json =
    size <= READ_HERE_MAX
      ? JSON.stringify(diffLines(...texts))
      : ((await askHelper('diff', texts, userId)) as string | undefined)
  if (typeof json === 'string') return new JsonText(json)
  throw invalid(
    say`The versions differ by more than ${LINES_BYTES_MAX} bytes. Load both of them instead.`,
    {
      code: 'RESULT_TOO_LARGE',
    },
  )
}

async function askHelper(
  work: TextWork,
  texts: readonly string[],
  userId: number,
): Promise<unknown> {
  try {
    return await helping.run(() => exchange(work, texts), String(userId))
  } catch (error) {
    if (!(error instanceof HelperFault) || !['deadline', 'memory'].includes(error.end)) throw error
    throw invalid(say`The definition is too large`, { cause: error })
  }
}

async function exchange(work: TextWork, texts: readonly string[]): Promise<unknown> {
  await using helper = spawnHelper('read-definition', LIMITS)
  for (const text of texts) await helper.send({ text } satisfies TextOrder)
  await helper.send({ work } satisfies TextOrder)
  // The helper is this build itself: its messages can be trusted.
  for await (const reply of helper.messages()) return (reply as { result: unknown }).result
  throw (await helper.ended) ?? new HelperFault('exited', 'The helper said nothing')
}

/** The inside of the helper. */
export async function readDefinitionForParent(port: HelperPort): Promise<void> {
  const texts: string[] = []
  for await (const message of port.messages()) {
    // The process that started this one is the same build.
    const order = message as TextOrder
    if ('text' in order) texts.push(order.text)
    else return port.send({ result: await doWork(order.work, texts) })
  }
}

async function doWork(
  work: TextWork,
  [first = '', second = '']: readonly string[],
): Promise<unknown> {
  if (work === 'diff') {
    const json = JSON.stringify(diffLines(first, second))
    return Buffer.byteLength(json) > LINES_BYTES_MAX ? undefined : json
  }
  const { script, faults } = await parseHere(work.parse, first)
  return { script: script && { ...script, body: '' }, faults }
}

async function parseHere(type: DocumentType, body: string): Promise<ParsedDefinition> {
  const { scripts, faults, faulty } = await parseModelFile({ name: DEFINITION_FILE, body })
  const [script] = scripts
  if (faults.length > 0) return { script: undefined, faults }
  const isOne = script?.type === type && script.body === body && scripts.length === 1
  if (!isOne || faulty.length > 0) return refuse(`A definition is one ${type}`)
  if (countElements(script.element) > ELEMENTS_MAX)
    return refuse(`A definition has at most ${ELEMENTS_MAX} elements`)
  return { script, faults: [] }
}

const refuse = (message: string): ParsedDefinition => ({
  script: undefined,
  faults: [{ place: { file: DEFINITION_FILE, line: 1, column: 1 }, message }],
})

const countElements = ({ children }: Element): number =>
  children.reduce((sum, child) => sum + countElements(child), 1)

/** The script as that of a file, whose name faults then use. */
export function placeIn(script: Script, fileName: string): Script {
  const move = (element: Element): Element => ({
    ...element,
    place: { ...element.place, file: fileName },
    children: element.children.map(move),
    attributePlaces: Object.fromEntries(
      Object.entries(element.attributePlaces ?? {}).map(([name, place]) => [
        name,
        { ...place, file: fileName },
      ]),
    ),
  })
  return { ...script, fileName, element: move(script.element) }
}
