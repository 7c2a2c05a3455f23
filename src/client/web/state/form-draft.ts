/** The draft of one form: kept after each pause, offered on return, gone once it is stored. */
import { effect, signal } from '@preact/signals'
import { areDraftsKept, type Draft, dropDraft, findDraft, keepDraft } from './drafts.ts'
import type { RecordForm } from './record-form.ts'

/** A pause after which what was typed is kept. */
const PAUSE_MS = 400

/** Follows a form that is loaded. */
export class FormDraft {
  readonly #form: RecordForm
  readonly #name: string
  /** A draft of an earlier visit that waits for the word of the user. */
  readonly offered = signal<Draft | undefined>(undefined)
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The values with which it began: those of a copy are not stored, but not typed either. */
  #start = ''

  constructor(form: RecordForm, name: string) {
    this.#form = form
    this.#name = name
  }

  #write(): string {
    const { values, rows } = this.#form.planDraft()
    return JSON.stringify([values, rows])
  }

  /** True where something was typed since the form was opened, and is not stored. */
  #isTyped(): boolean {
    return this.#form.isTouched.value && this.#write() !== this.#start
  }

  /** True for a draft that says nothing which is not stored by now. */
  #isStored({ values, rows }: Draft): boolean {
    const stored = this.#form.values.peek()
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
    const found = findDraft(this.#name).then((draft) => {
      if (!draft || this.#isTyped()) return
      // The page was left between the save and the end of its draft.
      if (this.#isStored(draft)) void dropDraft(this.#name)
      else this.offered.value = draft
    })
    let wasTyped = false
    const end = effect(() => {
      // Each further letter is another draft, which waits for the next pause.
      const isTyped = this.#isTyped()
      clearTimeout(this.#timer)
      if (isTyped) this.#timer = setTimeout(() => this.#keep(), PAUSE_MS)
      else if (wasTyped) void found.then(() => this.#forget())
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

  /** Keeps what is typed now, beside what is offered and not answered yet. */
  #keep(): void {
    const draft = this.#form.planDraft()
    const before = this.offered.peek()
    const kept = before
      ? { ...draft, values: { ...before.values, ...draft.values }, rows: before.rows }
      : draft
    void keepDraft(this.#name, kept)
  }

  /** Forgets what is stored now; an offer that is not answered stays. */
  #forget(): void {
    const before = this.offered.peek()
    void (before ? keepDraft(this.#name, before) : dropDraft(this.#name))
  }

  /** True where the record was changed since the draft was typed. */
  isOld(draft: Draft): boolean {
    return draft.rowVersion !== null && draft.rowVersion !== this.#form.rowVersion()
  }

  /** Types the draft into the form. @throws ServerError where its rows cannot be loaded */
  async restore(): Promise<void> {
    const draft = this.offered.value
    this.offered.value = undefined
    if (draft) await this.#form.takeDraft(draft)
  }

  /** Forgets the draft. */
  async discard(): Promise<void> {
    this.offered.value = undefined
    await dropDraft(this.#name)
  }
}
