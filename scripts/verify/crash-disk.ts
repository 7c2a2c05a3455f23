/** A disk that may lose its power: what is on it for sure, and what may or may not be. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Random } from '../../data/demo/random.ts'
import type { DiskEvent } from './disk-log.ts'

/** Sectors of so many bytes, each of which a disk keeps whole or not at all. */
const SECTORS = [512, 4096] as const

type Change = { offset: number; bytes: Buffer } | { size: number } | { reach: number }

/** A file or folder: bytes that are synced, and changes since then. */
interface Node {
  isFolder: boolean
  synced: Buffer
  pending: Change[]
}

/** Names that change together; undefined where a name goes. */
type NameChange = ReadonlyMap<string, Node | undefined>

interface PendingNames {
  change: NameChange
  /** A sync of any of these makes it last. */
  folders: ReadonlySet<string>
}

/** How much of what was not synced is kept. */
type Loss = 'all' | 'nothing' | 'what came first' | 'any part' | 'zeros'

const LOSSES: readonly Loss[] = ['all', 'nothing', 'what came first', 'any part', 'zeros']

/** Takes events in their order; gives images of the disk as a loss of power may leave it. */
export class CrashDisk {
  readonly #root: string
  /** As a running system sees them. */
  readonly #live = new Map<string, Node>()
  /** The entries of folders that were synced. */
  readonly #synced = new Map<string, Node>()
  /** Changes of names that were not, in their order. */
  #pending: PendingNames[] = []

  /** `root` is the folder that is looked at; its own name is one of its parent's. */
  constructor(root: string) {
    this.#root = root
  }

  take(event: DiskEvent): void {
    const node = this.#live.get(event.path)
    switch (event.do) {
      case 'create':
        if (node === undefined) this.#name(new Map([[event.path, newNode(false)]]))
        return
      case 'makeFolder':
        if (node === undefined) this.#name(new Map([[event.path, newNode(true)]]))
        return
      case 'write':
        node?.pending.push({ offset: event.offset, bytes: event.bytes })
        return
      case 'resize':
        node?.pending.push({ size: event.size })
        return
      case 'remove':
        this.#name(new Map([[event.path, undefined]]))
        return
      case 'rename':
        this.#name(
          new Map([
            [event.path, undefined],
            [event.to, node],
          ]),
        )
        return
      case 'sync':
        this.#sync(event.path, node)
    }
  }

  /** Writes the disk as it is while it has power. */
  writeLive(target: string): void {
    this.#write(target, this.#live, (node) => applyAll(node.synced, node.pending))
  }

  /** Writes a disk that lost its power here, one of many that are possible. */
  writeImage(target: string, random: Random): string {
    const [names, contents] = [pick(random, LOSSES), pick(random, LOSSES)]
    const tree = new Map(this.#synced)
    for (const { change } of keep(this.#pending, names, random)) applyNames(tree, change)
    this.#write(target, tree, (node) => crash(node, contents, random))
    return `names: ${names}, bytes: ${contents}`
  }

  #name(change: NameChange): void {
    applyNames(this.#live, change)
    this.#pending.push({ change, folders: new Set([...change.keys()].map(dirname)) })
  }

  #sync(path: string, node: Node | undefined): void {
    for (const { change, folders } of this.#pending)
      if (folders.has(path)) applyNames(this.#synced, change)
    this.#pending = this.#pending.filter(({ folders }) => !folders.has(path))
    if (node === undefined || node.isFolder) return
    node.synced = applyAll(node.synced, node.pending)
    node.pending = []
  }

  #write(target: string, tree: ReadonlyMap<string, Node>, contentOf: (node: Node) => Buffer): void {
    rmSync(target, { recursive: true, force: true })
    const isReached = (path: string): boolean =>
      tree.has(path) && (path === this.#root || isReached(dirname(path)))
    for (const [path, node] of [...tree].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (!path.startsWith(this.#root) || !isReached(path)) continue
      const place = join(target, relative(this.#root, path))
      if (node.isFolder) mkdirSync(place, { recursive: true, mode: 0o700 })
      else writeFileSync(place, contentOf(node), { mode: 0o600 })
    }
  }
}

const newNode = (isFolder: boolean): Node => ({ isFolder, synced: Buffer.alloc(0), pending: [] })

function applyNames(tree: Map<string, Node>, change: NameChange): void {
  for (const [path, node] of change) {
    if (node === undefined) tree.delete(path)
    else tree.set(path, node)
  }
}

/** Never changes `synced` itself: images share it. */
function applyAll(synced: Buffer, changes: readonly Change[]): Buffer {
  const bytes = Buffer.alloc(Math.max(synced.length, ...changes.map(endOf)))
  synced.copy(bytes)
  let size = synced.length
  for (const change of changes) {
    if ('size' in change) {
      bytes.fill(0, Math.min(size, change.size), size)
      size = change.size
    } else {
      if ('bytes' in change) change.bytes.copy(bytes, change.offset)
      size = Math.max(size, endOf(change))
    }
  }
  return bytes.subarray(0, size)
}

function endOf(change: Change): number {
  if ('size' in change) return change.size
  return 'reach' in change ? change.reach : change.offset + change.bytes.length
}

function crash({ synced, pending }: Node, loss: Loss, random: Random): Buffer {
  if (loss === 'zeros') return applyAll(synced, pending.map(toZeros))
  const kept = keep(pending, loss, random)
  const torn = loss === 'any part' ? kept.flatMap((change) => tear(change, random)) : kept
  return applyAll(synced, torn)
}

/** The size was kept, and the bytes were not. */
const toZeros = (change: Change): Change => ('size' in change ? change : { reach: endOf(change) })

function keep<T>(changes: readonly T[], loss: Loss, random: Random): readonly T[] {
  if (loss === 'all' || loss === 'zeros') return changes
  if (loss === 'nothing') return []
  if (loss === 'what came first') return changes.slice(0, random.int(0, changes.length))
  return changes.filter(() => random.chance(0.5))
}

/** Some of its sectors. */
function tear(change: Change, random: Random): Change[] {
  if (!('bytes' in change) || random.chance(0.5)) return [change]
  const sector = pick(random, SECTORS)
  const parts: Change[] = []
  for (let at = 0; at < change.bytes.length; at += sector)
    if (random.chance(0.5))
      parts.push({
        offset: change.offset + at,
        bytes: change.bytes.subarray(at, at + sector),
      })
  return parts
}

const pick = <T>(random: Random, list: readonly [T, ...T[]] | readonly T[]): T => {
  const found = list[random.int(0, list.length - 1)]
  if (found === undefined) throw new Error('Nothing to pick from')
  return found
}
