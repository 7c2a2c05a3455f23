/** Acts of a process on the files of a folder, as strace wrote them down. */
import { createReadStream } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

/** A change of the disk, or a sync, in its order. `at` is in milliseconds since 1970. */
export type DiskEvent = { at: number } & (
  | { do: 'create'; path: string }
  | { do: 'write'; path: string; offset: number; bytes: Buffer }
  | { do: 'resize'; path: string; size: number }
  | { do: 'sync'; path: string }
  | { do: 'rename'; path: string; to: string }
  | { do: 'remove'; path: string }
  | { do: 'makeFolder'; path: string }
)

const CALLS = [
  ...['openat', 'open', 'creat', 'write', 'pwrite64', 'writev', 'pwritev', 'pwritev2', 'lseek'],
  ...[
    'ftruncate',
    'truncate',
    'fallocate',
    'fsync',
    'fdatasync',
    'rename',
    'renameat',
    'renameat2',
  ],
  ...['unlink', 'unlinkat', 'mkdir', 'mkdirat', 'rmdir', 'link', 'linkat', 'copy_file_range'],
  'sendfile',
]

/** The command that starts the executable so that all of this is written down. */
export const planRecording = (log: string): string[] => [
  ...['strace', '-f', '--seccomp-bpf', '-qq', '-ttt', '-y', '-xx', '-s', '16777216'],
  ...['-o', log, '-e', `trace=${CALLS.join(',')}`],
]

/**
 * Reads a log: what was done to `folder`, to its own name and to what is in it. SQLite's shared
 * memory is left out: it is created again after a loss of power.
 */
export async function readDiskLog(log: string, folder: string): Promise<DiskEvent[]> {
  const parser = new Parser(folder)
  const lines = createInterface({ input: createReadStream(log, 'latin1'), crlfDelay: Infinity })
  for await (const line of lines) parser.take(line)
  return parser.events
}

const LINE = /^(\d+)\s+([\d.]+) (.*)$/s
const RESUMED = /^<\.\.\. \w+ resumed>(.*)$/s
const UNFINISHED = ' <unfinished ...>'
const DONE = /^(\w+)\((.*)\)\s+= (\d+)/s

class Parser {
  readonly events: DiskEvent[] = []
  readonly #folder: string
  /** The first half of calls that others came between, by thread. */
  readonly #halves = new Map<string, string>()
  /** Where the next write of a descriptor goes, by its number and path. */
  readonly #offsets = new Map<string, number>()

  constructor(folder: string) {
    this.#folder = folder
  }

  take(line: string): void {
    const [, thread = '', at = '', rest = ''] = LINE.exec(line) ?? []
    const second = RESUMED.exec(rest)?.[1]
    if (second !== undefined) {
      const whole = (this.#halves.get(thread) ?? '') + second
      this.#halves.delete(thread)
      this.#takeCall(Number(at) * 1000, whole)
    } else if (rest.endsWith(UNFINISHED))
      this.#halves.set(thread, rest.slice(0, -UNFINISHED.length))
    else this.#takeCall(Number(at) * 1000, rest)
  }

  #takeCall(at: number, text: string): void {
    const [, call = '', args = '', result = ''] = DONE.exec(text) ?? []
    const read = READERS[call]
    if (read === undefined) return
    for (const event of read(args, { result: Number(result), offsets: this.#offsets, text }))
      if (this.#isOurs(event.path)) this.events.push({ ...event, at })
  }

  #isOurs(path: string): boolean {
    if (path.endsWith('-shm') || path.endsWith('(deleted)')) return false
    return path === this.#folder || path === dirname(this.#folder) || this.#isInside(path)
  }

  #isInside(path: string): boolean {
    return path.startsWith(`${this.#folder}/`)
  }
}

interface CallFacts {
  result: number
  offsets: Map<string, number>
  /** The whole line, whose end names the descriptor that was opened. */
  text: string
}

type Unplaced<T> = T extends unknown ? Omit<T, 'at'> : never
type Reader = (args: string, facts: CallFacts) => Unplaced<DiskEvent>[]

const plain = (text: string): string =>
  text.includes('\\x') ? toBytes(text).toString('latin1') : text

const toBytes = (text: string): Buffer => Buffer.from(text.replaceAll('\\x', ''), 'hex')

/** `12</path>` at the beginning: its number and path. */
function descriptorOf(args: string): { key: string; path: string } {
  const [, number = '', path = ''] = /^(\d+)<([^>]*)>/.exec(args) ?? []
  return { key: `${number} ${plain(path)}`, path: plain(path) }
}

/** Paths as they are given; one that begins at a descriptor is joined to it. */
function pathsOf(args: string): string[] {
  const found = args.matchAll(/(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)"/g)
  return [...found].map(([, from, name = '']) => joinAt(from, plain(name)))
}

const joinAt = (from: string | undefined, name: string): string =>
  name.startsWith('/') || from === undefined ? name : join(plain(from), name)

const open: Reader = (args, { result, offsets, text }) => {
  const path = plain(/= \d+<([^>]*)>/.exec(text.slice(text.lastIndexOf(') ')))?.[1] ?? '')
  offsets.set(`${result} ${path}`, args.includes('O_APPEND') ? -1 : 0)
  if (!args.includes('O_CREAT')) return []
  const created: Unplaced<DiskEvent>[] = [{ do: 'create', path }]
  return args.includes('O_TRUNC') ? [...created, { do: 'resize', path, size: 0 }] : created
}

const write: Reader = (args, { result, offsets }) => {
  const { key, path } = descriptorOf(args)
  const offset = offsets.get(key) ?? 0
  offsets.set(key, offset + result)
  const texts = [...args.matchAll(/"([^"]*)"/g)].map(([, text = '']) => toBytes(text))
  return [{ do: 'write', path, offset, bytes: Buffer.concat(texts).subarray(0, result) }]
}

const writeAt: Reader = (args, { result }) => {
  const { path } = descriptorOf(args)
  const texts = [...args.matchAll(/"([^"]*)"/g)].map(([, text = '']) => toBytes(text))
  const offset = Number(/(\d+)$/.exec(args)?.[1])
  return [{ do: 'write', path, offset, bytes: Buffer.concat(texts).subarray(0, result) }]
}

const sync: Reader = (args) => [{ do: 'sync', path: descriptorOf(args).path }]

const rename: Reader = (args) => {
  const [path = '', to = ''] = pathsOf(args)
  return [{ do: 'rename', path, to }]
}

const remove: Reader = (args) => [{ do: 'remove', path: pathsOf(args)[0] ?? '' }]

const READERS: Readonly<Record<string, Reader>> = {
  openat: open,
  open,
  creat: open,
  write,
  writev: write,
  pwrite64: writeAt,
  pwritev: writeAt,
  fsync: sync,
  fdatasync: sync,
  rename,
  renameat: rename,
  renameat2: rename,
  unlink: remove,
  unlinkat: remove,
  rmdir: remove,
  lseek: (args, { result, offsets }) => {
    offsets.set(descriptorOf(args).key, result)
    return []
  },
  ftruncate: (args) => [
    { do: 'resize', path: descriptorOf(args).path, size: Number(/(\d+)$/.exec(args)?.[1]) },
  ],
  mkdir: (args) => [{ do: 'makeFolder', path: pathsOf(args)[0] ?? '' }],
  mkdirat: (args) => [{ do: 'makeFolder', path: pathsOf(args)[0] ?? '' }],
}
