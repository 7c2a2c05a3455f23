/**
 * The model snapshot: the compiled model as text, stored beside the scripts. A start reads it in
 * place of compiling them again, and of it only the parts that it is asked for.
 */
import { createHash } from 'node:crypto'
import { findBuild } from '../../kernel/build.ts'
import { Yielder } from '../../kernel/yielder.ts'
import type { WatchedTable } from '../../store/store.ts'
import type { Script } from '../compiled/script.ts'
import type { Model } from '../model.ts'
import { PartMap, PartReader, PartWriter } from './parts.ts'

/** A model, and the watched tables that a start would compute from all of its entities. */
export interface ModelSnapshot {
  model: Model
  watched: readonly WatchedTable[]
}

/** Properties of a model by name: a part, or the parts of a map by their keys. */
type Properties = readonly [name: string, part: number | readonly [key: string, part: number][]][]

/** The head of a snapshot, before its parts. */
interface Contents {
  shapes: readonly (readonly string[])[]
  /** Ends of the parts, in bytes. */
  ends: readonly number[]
  model: Properties
  watched: number
}

/** Names the scripts and this build: what others have compiled is not read. */
export function planKey(scripts: readonly Pick<Script, 'type' | 'name' | 'versionHash'>[]): string {
  const names = scripts.map(({ type, name, versionHash }) => `${type} ${name} ${versionHash}`)
  return createHash('sha256')
    .update([findBuild(), ...names.sort()].join('\n'))
    .digest('hex')
}

/** A compiled model as text. Rejects for a model that holds anything but data. */
export async function writeModel(snapshot: ModelSnapshot): Promise<string> {
  const bytes = writeBytes(snapshot)
  const body = Buffer.from(await Bun.zstdCompress(bytes)).toString('base64')
  return [planKey(snapshot.model.scripts), digest(body), body].join('\n')
}

function writeBytes({ model, watched }: ModelSnapshot): Buffer {
  const writer = new PartWriter()
  writer.addRoots(listRoots(model))
  const contents: Omit<Contents, 'ends'> = {
    model: writeProperties(writer, model),
    watched: writer.add(watched),
    shapes: writer.shapes,
  }
  let end = 0
  const ends: number[] = []
  const parts: Buffer[] = []
  for (const part of writer.parts) {
    const bytes = Buffer.from(part)
    parts.push(bytes)
    ends.push((end += bytes.length))
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify({ ...contents, ends })}\n`), ...parts])
}

const listRoots = ({ scripts, entities, views, roles, sequences }: Model): object[] => [
  ...scripts,
  ...entities.values(),
  ...views.values(),
  ...roles.values(),
  ...sequences.values(),
]

function writeProperties(writer: PartWriter, model: Model): Properties {
  const written: Properties[number][] = []
  for (const [name, value] of Object.entries(model)) {
    written.push([name, listParts(writer, value) ?? writer.add(value)])
  }
  return written
}

/** The parts of a map whose values have their own. */
function listParts(writer: PartWriter, value: unknown): [string, number][] | undefined {
  if (!(value instanceof Map) || value.size === 0) return undefined
  const parts: [string, number][] = []
  for (const [key, each] of value) {
    const part = writer.partOf(each)
    if (part === undefined) return undefined
    parts.push([String(key), part])
  }
  return parts
}

/** The snapshot of a key; undefined for one of another key or a damaged one. */
export async function readModel(text: string, key: string): Promise<ModelSnapshot | undefined> {
  const [snapshotKey, snapshotDigest, body = ''] = text.split('\n')
  if (snapshotKey !== key || snapshotDigest !== digest(body)) return undefined
  const bytes = Buffer.from(await Bun.zstdDecompress(Buffer.from(body, 'base64')))
  const start = bytes.indexOf('\n')
  const contents = JSON.parse(bytes.toString('utf8', 0, start)) as Contents
  const reader = new PartReader(bytes.subarray(start + 1), contents.shapes, contents.ends)
  // The value was written from the same types by this build.
  return {
    model: openProperties(reader, contents.model),
    get watched() {
      return reader.read(contents.watched) as WatchedTable[]
    },
  }
}

/**
 * Reads a model in turns of the event loop before all of it is needed; a model that was compiled
 * here is already complete.
 */
export async function readWhole({ entities, views }: Model): Promise<void> {
  const yielder = new Yielder()
  for (const parts of [entities, views])
    for (const name of parts.keys()) {
      parts.get(name)
      await yielder.yieldWhenDue()
    }
}

/** A model whose properties are read when they are asked for. */
function openProperties(reader: PartReader, properties: Properties): Model {
  const model = {}
  for (const [name, part] of properties) {
    let map: PartMap<unknown> | undefined
    const get = () =>
      typeof part === 'number' ? reader.read(part) : (map ??= openMap(reader, part))
    Object.defineProperty(model, name, { get, enumerable: true })
  }
  return Object.freeze(model) as Model
}

const openMap = (reader: PartReader, parts: readonly [string, number][]): PartMap<unknown> =>
  new PartMap(new Map(parts), (part) => reader.read(part))

const digest = (body: string): string => createHash('sha256').update(body).digest('hex')
