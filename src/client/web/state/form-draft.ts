/** The draft of one form: kept after each pause, offered on return, gone once it is stored. */
import { effect, signal } from '@preact/signals'
import {
  areDraftsKept,
  type Draft,
  dropDraft,
  keepDraft,
  type KeptDraft,
  listDrafts,
  nameVisit,
} from './drafts.ts'
import type { RecordForm } from './record-form.ts'

/** A pause after which what was typed is kept. */
const PAUSE_MS = 400

/** Follows a form that is loaded. */
export class FormDraft {
  readonly #form: RecordForm
  readonly #record: string
  /** The name of the draft of this visit. */
  readonly #name: string
  /** Drafts of other visits, or other tabs, that wait for the word of the user; latest first. */
  readonly offered = signal<readonly KeptDraft[]>([])
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The values with which it began: those of a copy are not stored, but not typed either. */
  #start = ''

  /** @param record What `nameDraft` gives. */
  constructor(form: RecordForm, record: string) {
    this.#form = form
    this.#record = record
    this.#name = nameVisit(record)
  }

  #write(): string {
    const { values, rows } = this.#form.planDraft()
    return JSON.stringify([values, rows])
  }

  /** True where something was typed since the form was opened, and is not stored. */
  #isTyped(): boolean {
    return this.#form.isTouched.value && this.#write() !== this.#start
  }

  /** True for a draft that says nothing which the form did not begin with. */
  #isStored({ values, rows }: Draft, stored: Draft['values']): boolean {
    return (
      Object.values(rows).every(({ length }) => length === 0) &&
      Object.entries(values).every(
        ([name, value]) => JSON.stringify(value) === JSON.stringify(stored[name] ?? null),
      )
    )
  }

  /** Offers what is kept, and keeps what is typed from now on; returns what ends it. */
  follow(): () => void {
    this.#start = this.#write()
    const began = this.#form.values.peek()
    void listDrafts(this.#record).then((found) => {
      const others = found.filter(({ name }) => name !== this.#name)
      const open = others.filter(({ draft }) => !this.#isStored(draft, began))
      // A page was left between the save and the end of its draft.
      for (const each of others) if (!open.includes(each)) void dropDraft(each.name)
      this.offered.value = open
    })
    let wasTyped = false
    const end = effect(() => {
      // Each further letter is another draft, which waits for the next pause.
      const isTyped = this.#isTyped()
      clearTimeout(this.#timer)
      if (isTyped) this.#timer = setTimeout(() => this.#keep(), PAUSE_MS)
      else if (wasTyped) void dropDraft(this.#name)
      wasTyped = isTyped
    })
    const keepNow = (event: Event): void => {
      if (!this.#isTyped()) return
      this.#keep()
      if (event.type === 'beforeunload' && !areDraftsKept.value) event.preventDefault()
    }
    for (const name of ['pagehide', 'beforeunload']) addEventListener(name, keepNow)
    return () => {
      end()
      clearTimeout(this.#timer)
      // It is left for another place: what was typed stays here.
      if (this.#isTyped()) this.#keep()
      for (const name of ['pagehide', 'beforeunload']) removeEventListener(name, keepNow)
    }
  }

  /** Keeps what is typed now. */
  #keep(): void {
    void keepDraft(this.#name, this.#form.planDraft())
  }

  /** True where the record was changed since the draft was typed. */
  isOld(draft: Draft): boolean {
    return draft.rowVersion !== null && draft.rowVersion !== this.#form.rowVersion()
  }

  /**
   * Types a draft into the form, and keeps it as that of this visit.
   * @throws ServerError where its rows cannot be loaded
   */
  async restore({ name, draft }: KeptDraft): Promise<void> {
    this.#answer(name)
    await this.#form.takeDraft(draft)
    await keepDraft(this.#name, this.#form.planDraft())
    await dropDraft(name)
  }

  /** Forgets a draft. */
  async discard({ name }: KeptDraft): Promise<void> {
    this.#answer(name)
    await dropDraft(name)
  }

  #answer(name: string): void {
    this.offered.value = this.offered.value.filter((each) => each.name !== name)
  }
}
