/**
 * Parses and compiles a model in a helper, so that requests served meanwhile need not wait for it.
 * The result of a compilation is the text that a start reads.
 */
import { Failure } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import {
  type CompiledScripts,
  compileHere,
  type Compiler,
} from '../../model/compile/compile-scripts.ts'
import type { FaultyScript } from '../../model/compile/faulty-scripts.ts'
import type { Script } from '../../model/compiled/script.ts'
import type { Diagnostic } from '../../model/parse/element.ts'
import {
  type ModelFile,
  type ParsedFile,
  parseModelFile,
  parseModelFiles,
} from '../../model/parse/parse.ts'
import { planKey, readModel, readWhole } from '../../model/snapshot/model-snapshot.ts'
import type { HelperPort } from './helper-port.ts'
import { type Helper, HelperFault, type HelperOptions, spawnHelper } from './helper-process.ts'

/**
 * Orders to the helper: scripts in portions, then those with faults, and then it compiles; or
 * files, each of which it answers parsed.
 */
type CompileOrder =
  | { scripts: readonly Script[] }
  | { faulty: readonly FaultyScript[]; explained: string | undefined }
  | { file: ModelFile }

/** The helper's reply. */
interface CompileReply {
  /** Undefined where there are faults. */
  text: string | undefined
  faults: Diagnostic[]
  warnings: Diagnostic[]
  plans?: CompiledScripts['plans']
}

const LIMITS: HelperOptions = { deadlineMs: 300_000, memoryBytesMax: 2 * 1024 ** 3 }

/** Each portion is turned into text at once. */
const PORTION = 20

/** Most bytes of files that this process parses itself: a few milliseconds of any content. */
const PARSED_HERE_MAX = 16 * 1024

/** One helper at a time, however many deploys wait to be compiled one after another. */
const parsing = new Semaphore(1)

/**
 * Parses and compiles in helpers of these limits. A call rejects with unavailable (503) if its
 * helper does not finish.
 */
export const openCompiler = (limits: HelperOptions = LIMITS): Compiler => ({
  parse: (files) => {
    const bytes = files.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0)
    if (bytes <= PARSED_HERE_MAX) return parseModelFiles(files)
    return parsing.run(() => withHelper(limits, (helper) => exchangeFiles(helper, files)))
  },
  compile: (scripts, faulty, explained) =>
    withHelper(limits, async (helper) =>
      openReply(await exchange(helper, scripts, { faulty, explained }), scripts),
    ),
})

async function withHelper<T>(
  limits: HelperOptions,
  work: (helper: Helper) => Promise<T>,
): Promise<T> {
  try {
    await using helper = spawnHelper('compile-model', limits)
    return await work(helper)
  } catch (error) {
    throw error instanceof HelperFault ? stopped(error) : error
  }
}

/** Sends one file at a time: its parsed form is as large. */
async function exchangeFiles(helper: Helper, files: readonly ModelFile[]): Promise<ParsedFile[]> {
  const replies = helper.messages()[Symbol.asyncIterator]()
  const parsed: ParsedFile[] = []
  for (const file of files) {
    await helper.send({ file } satisfies CompileOrder)
    const { done, value } = await replies.next()
    if (done) throw (await helper.ended) ?? silent()
    // The helper is this build itself: its messages can be trusted.
    parsed.push(value as ParsedFile)
  }
  return parsed
}

const silent = (): HelperFault => new HelperFault('exited', 'The compiler said nothing')

const stopped = (cause: HelperFault): Failure =>
  new Failure(
    'unavailable',
    say`The compiler stopped unexpectedly. Nothing was changed. Please deploy again.`,
    { cause },
  )

const otherBuild = (): Failure =>
  new Failure(
    'unavailable',
    say`The executable was replaced while running. Nothing was changed. Please restart it.`,
  )

async function exchange(
  helper: Helper,
  scripts: readonly Script[],
  order: Extract<CompileOrder, { faulty: unknown }>,
): Promise<CompileReply> {
  for (let at = 0; at < scripts.length; at += PORTION)
    await helper.send({ scripts: scripts.slice(at, at + PORTION) } satisfies CompileOrder)
  await helper.send(order satisfies CompileOrder)
  // The helper is this build itself: its messages can be trusted.
  for await (const reply of helper.messages()) return reply as CompileReply
  throw (await helper.ended) ?? silent()
}

/** Reads the helper's reply; 503 for one of another build, which this build does not trust. */
export async function openReply(
  { text, faults, warnings, plans }: CompileReply,
  scripts: readonly Script[],
): Promise<CompiledScripts> {
  const read = text === undefined ? undefined : await readModel(text, planKey(scripts))
  if (text !== undefined && !read) throw otherBuild()
  if (read) await readWhole(read.model)
  const snapshot = (): Promise<string> =>
    text === undefined
      ? Promise.reject(new Error('A model with faults has no snapshot'))
      : Promise.resolve(text)
  return { model: read?.model, faults, warnings, snapshot, plans }
}

/** The inside of the helper. */
export async function compileModelForParent(port: HelperPort): Promise<void> {
  const scripts: Script[] = []
  for await (const message of port.messages()) {
    // The process that started this one is the same build.
    const order = message as CompileOrder
    if ('file' in order) await port.send(await parseModelFile(order.file))
    else if ('scripts' in order) scripts.push(...order.scripts)
    else return port.send(await compileReply(scripts, order))
  }
}

async function compileReply(
  scripts: readonly Script[],
  { faulty, explained }: Extract<CompileOrder, { faulty: unknown }>,
): Promise<CompileReply> {
  const { model, snapshot, ...reply } = await compileHere(scripts, faulty, explained)
  return { ...reply, text: model && (await snapshot()) }
}
