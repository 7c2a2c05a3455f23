/** The outcome of a bulk edit: counts, and the records that were not changed, with why. */
import { conflict, Failure, type FieldErrors } from '../../../kernel/failure.ts'
import { type Message, renderMessage, say } from '../../../kernel/messages.ts'
import type { Reader } from '../../../store/store.ts'
import type { ManyFault, ManyResult } from '../many-schema.ts'
import type { ManyPlan } from './many-plan.ts'
import type { Dispatch, ObjectActionResult } from '../schema.ts'
import { UnexplainedFailure } from '../unexplained-failure.ts'

/** Faults that an answer lists. */
const FAULTS_MAX = 1000

interface RowFault {
  keys: Record<string, unknown>
  /** Its place among Keys. */
  at: number
  failure: Failure
}

/** Counts of the rows of one run. */
export class ManyOutcome {
  updated = 0
  skipped = 0
  failed = 0
  conflicts = 0
  readonly #faults: RowFault[] = []
  readonly #ignored = new Set<string>()
  readonly #dispatch = new Map<string, Dispatch>()

  get checked(): number {
    return this.updated + this.skipped + this.failed
  }

  /** Counts a record that was changed, or had all of it before. */
  note({ Ignored, Dispatch }: ObjectActionResult, isChanged: boolean): void {
    if (isChanged) this.updated++
    else this.skipped++
    for (const name of Ignored) this.#ignored.add(name)
    for (const each of Dispatch) this.#dispatch.set(JSON.stringify(each), each)
  }

  /** Counts a record that cannot be changed. */
  refuse(fault: RowFault): void {
    this.failed++
    if (fault.failure.kind === 'conflict') this.conflicts++
    if (this.#faults.length < FAULTS_MAX) this.#faults.push(fault)
  }

  /** The answer. */
  toResult(
    plan: ManyPlan,
    { rows, importId, token = null, language }: ResultFacts,
  ): ObjectActionResult {
    const counts: ManyResult = {
      ImportId: importId,
      Rows: rows,
      Checked: this.checked,
      Updated: this.updated,
      Skipped: this.skipped,
      Failed: this.failed,
      Faults: this.#faults.map((fault) => toWireFault(fault, language)),
      Token: token,
    }
    return {
      Action: 'submit-many',
      Keys: null,
      Ignored: [...this.#ignored],
      Dispatch: plan.isDryRun ? [] : [...this.#dispatch.values()],
      Many: counts,
    }
  }

  /** The refusal of all, where one record cannot be changed: nothing is. */
  async toFailure(reader: Reader, { rows, language, isByKeys }: RefusalFacts): Promise<Failure> {
    const faults: RowFault[] = []
    for (const fault of this.#faults)
      faults.push({ ...fault, failure: await explain(fault.failure, reader) })
    const members = { records: faults.map((fault) => toWireFault(fault, language)) }
    if (this.conflicts > 0)
      return conflict(
        say`Nothing was changed: others changed records meanwhile (${this.conflicts} of ${rows})`,
        { members },
      )
    const text = say`Nothing was changed: some records cannot be (${this.failed} of ${rows})`
    const fieldErrors = isByKeys ? joinErrors(faults) : {}
    return new Failure('validation', text, { members, fieldErrors })
  }
}

interface ResultFacts {
  rows: number
  importId: string | null
  token?: string | null
  /** Of messages. */
  language: string
}

interface RefusalFacts {
  rows: number
  language: string
  isByKeys: boolean
}

const explain = (failure: Failure, reader: Reader): Promise<Failure> =>
  failure instanceof UnexplainedFailure ? failure.explained(reader) : Promise.resolve(failure)

function joinErrors(faults: readonly RowFault[]): FieldErrors {
  const all: FieldErrors = {}
  for (const { at, failure } of faults)
    for (const [field, message] of listErrors(failure))
      all[field === '' ? `Keys[${at}]` : `Keys[${at}].${field}`] = message
  return all
}

const listErrors = ({ fieldErrors, text }: Failure): [string, Message][] =>
  Object.entries(fieldErrors ?? { '': text })

interface Moved {
  ChangedFields: string[]
  ChangedBy: string | null
  ChangedAt: string | null
  RowVersion: string
}

function toWireFault({ keys, failure }: RowFault, language: string): ManyFault {
  const fields = Object.entries(failure.fieldErrors ?? {}).filter(([name]) => name !== '')
  const moved = failure.members?.conflict as Moved | undefined
  return {
    Keys: keys,
    Code: failure.code,
    Error: renderMessage(failure.text, language),
    FieldErrors: Object.fromEntries(
      fields.map(([name, message]) => [name, renderMessage(message, language)]),
    ),
    ...(moved && toConflict(moved)),
  }
}

/** Without the record: a thousand of them are no answer. */
const toConflict = ({ ChangedFields, ChangedBy, ChangedAt, RowVersion }: Moved) => ({
  ChangedFields,
  ChangedBy,
  ChangedAt,
  RowVersion,
})
