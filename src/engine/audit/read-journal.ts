/**
 * The journal of reads: the way of what answers showed into the audit log. A line is in the file
 * before its answer leaves, so a process that is killed loses none; a loss of power takes what the
 * system had not yet put on the disk. From there entries go into the log in groups, beside the
 * requests, each once: `svc_facts` has the place up to which the journal is in the log.
 */
import { closeSync, openSync, readdirSync, readSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../kernel/durable.ts'
import type { Log } from '../../kernel/log.ts'
import { type Store, systemScope, type Tx } from '../../store/store.ts'
import { planReadEntries, type ShownRecords } from './read-entry.ts'

const SCOPE = { ...systemScope('reads of all companies are logged'), isAside: true }

const FOLDER = 'audit'
const NAME = /^reads-(\d{9})\.jsonl$/
const OWNER_FILE = 0o600

const FACT = 'ReadJournal'
const FIND = 'SELECT Value FROM svc_facts WHERE Name = @name'
const SAVE = `INSERT INTO svc_facts (Name, Value) VALUES (@name, @value)
  ON CONFLICT (Name) DO UPDATE SET Value = excluded.Value`

/** Bytes of the journal that one transaction takes: others write in between. */
const CHUNK_BYTES = 256 * 1024

/** Characters that are remembered of a file; more are forgotten, and may come twice. */
const WINDOW_CHARACTERS_MAX = 4 * 1024 * 1024

/** A place in the journal: the number of a file, and bytes of it. */
interface Place {
  file: number
  bytes: number
}

/** The file that lines are added to. */
interface Open {
  file: number
  descriptor: number
}

interface JournalParts {
  /** The data folder. */
  folder: string
  store: Store
  log: Log
}

/** See the head of this file. */
export class ReadJournal {
  readonly #folder: string
  readonly #store: Store
  readonly #log: Log
  #open: Open | undefined
  /** Lines of the file, by who was shown their records. */
  readonly #window = new Map<string, Set<string>>()
  #windowCharacters = 0
  /** The number of the next file; undefined before the folder was looked at. */
  #next: number | undefined
  #flushing: Promise<void> = Promise.resolve()
  /** Lines that were written since the start. */
  lines = 0

  constructor({ folder, store, log }: JournalParts) {
    this.#folder = join(folder, FOLDER)
    this.#store = store
    this.#log = log
  }

  /**
   * False for what the file has already: who was shown the same a moment ago. An answer that is
   * read again and again is one line.
   */
  isNew(who: string, what: string): boolean {
    const known = this.#window.getOrInsertComputed(who, () => new Set<string>())
    if (known.has(what)) return false
    known.add(what)
    this.#windowCharacters += what.length
    return true
  }

  /** Adds what an answer showed. @throws Error of the file system: it may not be shown then */
  add(shown: readonly ShownRecords[]): void {
    if (shown.length === 0) return
    if (this.#windowCharacters > WINDOW_CHARACTERS_MAX) this.#forget()
    const text = Buffer.from(shown.map((one) => `${JSON.stringify(one)}\n`).join(''))
    try {
      const open = (this.#open ??= this.#openNext())
      for (let done = 0; done < text.length;) done += writeSync(open.descriptor, text, done)
    } catch (error) {
      // What it has of the line is no line, and the same may be asked for again.
      this.#endFile()
      throw error
    }
    this.lines += shown.length
  }

  /** Puts what has been added into the audit log; resolves when it is there. */
  flush(): Promise<void> {
    const flushed = this.#flushing.then(() => this.#flush())
    this.#flushing = flushed.catch(() => {})
    return flushed
  }

  /** The last entries, as far as they can be written: a start goes on with the others. */
  async close(): Promise<void> {
    try {
      await this.flush()
    } catch (error) {
      this.#log.error('reads wait for the next start to go into the audit log', error)
    }
    this.#endFile()
  }

  #openNext(): Open {
    makeFolder(this.#folder)
    const file = this.#next ?? Math.max(0, ...this.#listFiles()) + 1
    this.#next = file + 1
    return { file, descriptor: openSync(this.#pathOf(file), 'ax', OWNER_FILE) }
  }

  #forget(): void {
    this.#window.clear()
    this.#windowCharacters = 0
  }

  #endFile(): void {
    this.#forget()
    if (this.#open) closeSync(this.#open.descriptor)
    this.#open = undefined
  }

  #pathOf(file: number): string {
    return join(this.#folder, `reads-${String(file).padStart(9, '0')}.jsonl`)
  }

  /** The numbers of its files, in their order. */
  #listFiles(): number[] {
    try {
      return readdirSync(this.#folder)
        .flatMap((name) => Number(NAME.exec(name)?.[1] ?? []))
        .toSorted((one, other) => one - other)
    } catch (error) {
      if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return []
      throw error
    }
  }

  async #flush(): Promise<void> {
    if (this.#next === undefined) await this.#begin()
    else if (!this.#open) return
    this.#endFile()
    for (const file of this.#listFiles()) if (file !== this.#fileNow) await this.#take(file)
  }

  get #fileNow(): number | undefined {
    return this.#open?.file
  }

  /** Files of an earlier process come first; no number is given twice. */
  async #begin(): Promise<void> {
    const { file } = await this.#findTaken()
    this.#next = Math.max(file, ...this.#listFiles()) + 1
  }

  async #findTaken(): Promise<Place> {
    const row = await this.#store.get({ sql: FIND, args: { name: FACT }, runs: 'inline' })
    const [file = 0, bytes = 0] = typeof row?.Value === 'string' ? row.Value.split(':') : []
    return { file: Number(file), bytes: Number(bytes) }
  }

  /** Takes a file that nothing is added to any more into the log, and removes it. */
  async #take(file: number): Promise<void> {
    const path = this.#pathOf(file)
    const taken = await this.#findTaken()
    const size = statSync(path).size
    let at = taken.file === file ? taken.bytes : taken.file > file ? size : 0
    const descriptor = openSync(path, 'r')
    try {
      while (at < size) {
        const text = readLines(descriptor, at, size)
        if (text.length === 0) break
        const bytes = at + text.length
        const entries = planReadEntries(this.#parse(text.toString(), path))
        await this.#store.write(async (tx) => {
          await tx.audit(...entries)
          await savePlace(tx, { file, bytes })
        }, SCOPE)
        at = bytes
      }
    } finally {
      closeSync(descriptor)
    }
    rmSync(path)
  }

  /** A line that a crash cut short belongs to an answer that was never sent. */
  #parse(text: string, path: string): ShownRecords[] {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line) => {
        try {
          return JSON.parse(line) as ShownRecords
        } catch {
          this.#log.warn('a line of the journal of reads is not whole', { path })
          return []
        }
      })
  }
}

const savePlace = (tx: Tx, { file, bytes }: Place): Promise<number> =>
  tx.run(SAVE, { name: FACT, value: `${file}:${bytes}` })

/** Whole lines from a place on, some at a time; the rest where there is no further end of line. */
function readLines(descriptor: number, from: number, size: number): Buffer {
  for (let length = CHUNK_BYTES; ; length *= 2) {
    const buffer = Buffer.alloc(Math.min(length, size - from))
    const read = readSync(descriptor, buffer, 0, buffer.length, from)
    const text = buffer.subarray(0, read)
    const end = text.lastIndexOf('\n')
    if (end >= 0) return text.subarray(0, end + 1)
    if (from + read >= size || read === 0) return text
  }
}
