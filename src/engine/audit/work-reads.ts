/** The notes of what one work shows of entities whose reading is logged. */
import { findAccount, newAccount, onAccount } from '../../kernel/charged.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import type { ReadBy, ReadNotes, WorkNotes } from '../../kernel/read-notes.ts'
import type { Model } from '../../model/model.ts'
import { findLogged, type LoggedEntities } from './logged-entities.ts'
import type { ShownRecords } from './read-entry.ts'
import type { ReadJournal } from './read-journal.ts'

/** Characters of a request that an entry has at most. */
const REQUEST_CHARACTERS_MAX = 4000

interface ReadLogParts {
  journal: ReadJournal
  clock: Clock
  log: Log
  models: { get(): Model }
}

/** Opens the notes of works. */
export class ReadLog implements WorkNotes {
  readonly #parts: ReadLogParts

  constructor(parts: ReadLogParts) {
    this.#parts = parts
  }

  /** The notes of a work; undefined where the model has no reading logged. */
  open(by: () => ReadBy): ReadNotes | undefined {
    const logged = findLogged(this.#parts.models.get())
    return logged && new WorkReads(this.#parts, logged, by)
  }

  /** See `WorkNotes`. */
  async run<T>(by: () => ReadBy, work: () => Promise<T>): Promise<T> {
    const account = { ...newAccount(), span: findAccount()?.span }
    account.reads = this.open(by)
    if (!account.reads) return work()
    try {
      return await onAccount(account, work)
    } finally {
      account.reads.settle()
    }
  }

  /** Puts what was shown so far into the audit log. */
  flush(): Promise<void> {
    return this.#parts.journal.flush()
  }

  /** Records that were noted since the start, as lines of the journal. */
  get lines(): number {
    return this.#parts.journal.lines
  }

  close(): Promise<void> {
    return this.#parts.journal.close()
  }
}

/** Records of an entity that a view showed. */
interface Shown {
  entity: string
  view: string
  /** See `ReadNotes.noteRecords`. */
  keys: string
}

class WorkReads implements ReadNotes {
  readonly #parts: ReadLogParts
  readonly #logged: LoggedEntities
  readonly #by: () => ReadBy
  #shown: Shown[] = []
  /** Entities that a statement may have read. */
  #read: string[] = []
  #isSettled = false
  #isDue = false

  constructor(parts: ReadLogParts, logged: LoggedEntities, by: () => ReadBy) {
    this.#parts = parts
    this.#logged = logged
    this.#by = by
  }

  noteStatement(sql: string): void {
    this.#note(this.#logged.findInSql(sql))
  }

  noteTables(tables: readonly string[]): void {
    this.#note(this.#logged.findInTables(tables))
  }

  #note(entities: readonly string[]): void {
    if (entities.length === 0) return
    for (const entity of entities) if (!this.#read.includes(entity)) this.#read.push(entity)
    this.#settleLater()
  }

  noteRecords(entity: string, view: string, keys: string): void {
    if (!this.#logged.has(entity)) return
    const known = this.#shown.find((each) => each.entity === entity && each.view === view)
    if (!known) this.#shown.push({ entity, view, keys })
    else if (keys !== '') known.keys += known.keys === '' ? keys : `\n${keys}`
    this.#settleLater()
  }

  settle(isRefusal = false): void {
    this.#isSettled = true
    if (isRefusal) this.#read = []
    if (this.#shown.length === 0 && this.#read.length === 0) return
    const { journal } = this.#parts
    const by = this.#by()
    const who = `${by.userId} ${by.impersonatorId} ${by.companyId}`
    const fresh: ShownRecords[] = []
    for (const { entity, view: source, keys } of this.#shown)
      if (keys !== '' && journal.isNew(`${who} ${entity} ${source}`, keys))
        fresh.push({ ...this.#toAuthor(by), source, entity, keys })
    for (const entity of this.#read) {
      if (this.#shown.some((each) => each.entity === entity)) continue
      const request = boundRequest(by.request)
      if (journal.isNew(`${who} ${entity} ${by.place}\n`, JSON.stringify(request ?? null)))
        fresh.push({ ...this.#toAuthor(by), source: by.place, entity, request })
    }
    this.#shown = []
    this.#read = []
    journal.add(fresh)
  }

  #toAuthor({ userId, impersonatorId, companyId, traceId }: ReadBy) {
    return {
      at: this.#parts.clock.now().toISOString(),
      userId: userId ?? null,
      impersonatorId: impersonatorId ?? null,
      companyId: companyId ?? null,
      traceId: traceId ?? null,
    }
  }

  /** Writes down what is shown behind the head of an answer: in its stream, or by later work. */
  #settleLater(): void {
    if (!this.#isSettled || this.#isDue) return
    this.#isDue = true
    queueMicrotask(() => {
      this.#isDue = false
      try {
        this.settle()
      } catch (error) {
        this.#parts.log.error('reads could not be logged', error)
      }
    })
  }
}

/** A request as its entry has it: whole, or the beginning of its text. */
function boundRequest(request: unknown): unknown {
  if (request === undefined) return undefined
  const text = JSON.stringify(request)
  return text.length <= REQUEST_CHARACTERS_MAX ? request : text.slice(0, REQUEST_CHARACTERS_MAX)
}
