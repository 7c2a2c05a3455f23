/**
 * Memory of the runtime: ten times a second Bun's allocator looks for pages without anything alive
 * among those that are in use and gives them back to the system, which clears each anew when it is
 * needed next. While much is made and dropped, as by an import, that is a third of the processor.
 * The allocator reads an environment variable about it before any program begins, and has no other
 * face, so its value is changed where it lies: in a table of the executable's own data.
 * Goes when Bun has a function for it.
 */
import { CString, toArrayBuffer, type Pointer } from 'bun:ffi'
import { readFileSync, readlinkSync } from 'node:fs'

const OPTION = 'purge_holes'

/** An entry of the table: value, whether it was read, its number, name and former name. */
const ENTRY_BYTES = 32
const NUMBER_AT = 12
const NAME_AT = 16
const WORD_BYTES = 8
/** Numbers that rise by one over so many entries are nothing else. */
const ENTRIES_MIN = 40

interface Mapping {
  from: Pointer
  bytes: number
}

/** What the system has mapped of the executable for the program to write to. */
function listWritable(): Mapping[] {
  const executable = readlinkSync('/proc/self/exe')
  return readFileSync('/proc/self/maps', 'utf8')
    .split('\n')
    .filter((line) => line.endsWith(` ${executable}`))
    .flatMap((line) => {
      const [, from, to] = /^([\da-f]+)-([\da-f]+) rw/.exec(line) ?? []
      if (from === undefined || to === undefined) return []
      const start = parseInt(from, 16)
      return [{ from: start as Pointer, bytes: parseInt(to, 16) - start }]
    })
}

/** How many entries of the table stand from here on. */
function countEntries(view: DataView, from: number): number {
  let count = 0
  for (; from + (count + 1) * ENTRY_BYTES <= view.byteLength; count++)
    if (view.getInt32(from + count * ENTRY_BYTES + NUMBER_AT, true) !== count) break
  return count
}

function findInMapping({ from, bytes }: Mapping): BigInt64Array | undefined {
  const memory = toArrayBuffer(from, 0, bytes)
  const view = new DataView(memory)
  for (let start = 0; start < bytes; start += WORD_BYTES) {
    const entries = countEntries(view, start)
    if (entries < ENTRIES_MIN) continue
    for (let at = start; at < start + entries * ENTRY_BYTES; at += ENTRY_BYTES) {
      const name = Number(view.getBigUint64(at + NAME_AT, true)) as Pointer
      if (new CString(name).toString() === OPTION) return new BigInt64Array(memory, at, 1)
    }
  }
  return undefined
}

/** The value where it lies; undefined where it is not found, as on systems without `/proc`. */
function findOption(): BigInt64Array | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    for (const mapping of listWritable()) {
      const found = findInMapping(mapping)
      if (found) return found
    }
  } catch {
    // Without it all works as it does on other systems.
  }
  return undefined
}

/** What is freed stays so long behind the last work: the next one often follows at once. */
const LINGER_MS = 10_000

let option: { value: BigInt64Array | undefined } | undefined
let holding = 0
/** What the operator or the runtime has set. */
let former = 1n

function release(value: BigInt64Array): void {
  if (--holding === 0) value[0] = former
}

/**
 * Freed memory stays with the process until `lingerMs` after this was disposed of, by whoever holds
 * it last: for work that makes and drops much. Where the runtime's table is not found, nothing is
 * another than before.
 */
export function holdFreedMemory(lingerMs = LINGER_MS): Disposable {
  const { value } = (option ??= { value: findOption() })
  if (!value) return { [Symbol.dispose]: () => {} }
  if (holding++ === 0) {
    former = value[0] ?? former
    value[0] = 0n
  }
  return { [Symbol.dispose]: () => void setTimeout(release, lingerMs, value).unref() }
}

/** Whether the runtime gives freed memory back now; undefined where that is not known. */
export function givesMemoryBack(): boolean | undefined {
  const { value } = (option ??= { value: findOption() })
  return value && value[0] !== 0n
}
