/** Writes of proposals: one record as the route of its kind writes it, or several at once. */
import { conflict, Failure } from '../../kernel/failure.ts'
import { Message, say } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import { Grant } from '../../access/rights/grant.ts'
import { type Mutation, writeMutation } from '../object/mutation.ts'
import { readParameters } from '../object/parameters.ts'
import { requireView } from '../object/read/find-view.ts'
import { keyValues, openRecords, requireKey } from '../object/record/record.ts'
import type {
  DeleteRowRequest,
  ExecuteRowActionRequest,
  ObjectActionResult,
  SubmitRequest,
} from '../object/schema.ts'
import { UnexplainedFailure } from '../object/unexplained-failure.ts'
import { deleteRow } from '../object/write/delete-row.ts'
import { type RehearsedRecord, requireChecked } from '../object/write/rehearsal.ts'
import { submit } from '../object/write/submit.ts'
import { executeAction } from '../workflow/execute-action.ts'

/** A write of one record, as the route of its kind takes it. */
export type RecordWrite =
  | { kind: 'create' | 'update'; request: SubmitRequest }
  | { kind: 'delete'; request: DeleteRowRequest }
  | { kind: 'action'; request: ExecuteRowActionRequest }

/** The write of one of several records, with its name. */
interface NamedRequest {
  name: string
  request: RecordWrite['request']
}

/** The same done to several records of one object, in one transaction. */
interface SeveralWrites {
  kind: 'update' | 'delete' | 'action'
  records: readonly NamedRequest[]
}

export type ProposedWrite = RecordWrite | SeveralWrites

/**
 * Carries a write out; that of several records as a whole or not at all. Resolves to the result of
 * each record, which `recordResponse` is given as well.
 * @throws the failures of its route; one of several names its record
 */
export async function carryOut(
  mutation: Mutation,
  write: ProposedWrite,
): Promise<readonly ObjectActionResult[]> {
  if (!('records' in write)) return [await writeOne(mutation, write)]
  await requireAllChecked(mutation, write)
  return writeMutation(mutation, viewOf(mutation, write).name, (tx) =>
    writeEach(tx, mutation, write),
  )
}

function writeOne(mutation: Mutation, write: RecordWrite): Promise<ObjectActionResult> {
  if (write.kind === 'delete') return deleteRow(mutation, write.request)
  return write.kind === 'action'
    ? executeAction(mutation, write.request)
    : submit(mutation, write.request)
}

function viewOf({ model }: Mutation, { records: [first] }: SeveralWrites) {
  const { request } = first ?? {}
  const name = request && ('FormName' in request ? request.FormName : request.ObjectName)
  return requireView(model, name ?? '')
}

/** Has the records that an update would leave checked by code beside the model, all together. */
async function requireAllChecked(mutation: Mutation, write: SeveralWrites): Promise<void> {
  if (write.kind !== 'update') return
  const view = viewOf(mutation, write)
  const grant = Grant.require(mutation.caller, mutation.model, view.resource, ['Update'])
  await requireChecked(mutation, [view], view.name, async (tx) => {
    await writeEach(tx, mutation, write)
    return write.records.map(({ name, request }): RehearsedRecord => {
      const access = openRecords(tx, mutation, { view, grant })
      const key = requireKey(access, readParameters(request.Parameters))
      const { entity } = access
      return { view, grant, entity, key: keyValues(entity, key), isNew: false, name }
    })
  })
}

/** Records that were changed meanwhile, as a refusal names them. */
const NAMED_MAX = 10

/**
 * Writes one record after the other.
 * @throws conflict naming every record that was changed meanwhile; else the first failure
 */
async function writeEach(
  tx: Tx,
  mutation: Mutation,
  { kind, records }: SeveralWrites,
): Promise<ObjectActionResult[]> {
  const own = { ...mutation, within: tx, recordResponse: undefined }
  const results: ObjectActionResult[] = []
  const stale: { name: string; failure: Failure }[] = []
  for (const { name, request } of records)
    try {
      results.push(await writeOne(own, { kind, request } as RecordWrite))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (error.kind !== 'conflict' || !error.members?.conflict) throw nameFailure(error, name)
      stale.push({ name, failure: error })
    }
  const [first] = stale
  if (!first) return results
  const names = joinNames(
    stale.map(({ name }) => name),
    NAMED_MAX,
  )
  const { members } = first.failure
  throw conflict(
    say`Nothing was done, as others changed these meanwhile: ${names}. Please ask again.`,
    { ...(members && { members }), cause: first.failure },
  )
}

/** The refusal of one of several records, which it names. */
export class RecordFailure extends Failure {
  /** The name of the record. */
  readonly record: string

  constructor(cause: Failure, record: string) {
    const { kind, text, code, fieldErrors, members } = cause
    const details = {
      code,
      ...(fieldErrors && { fieldErrors }),
      ...(members && { members }),
      cause,
    }
    super(kind, nameText(record, text), details)
    this.record = record
  }
}

/** A sentence about a record, which it names. */
export const nameText = (record: string, text: Message): Message =>
  new Message('{0}: {1}', [record, text])

/** The refusal with its record; of one that is explained later, its record is said then, too. */
function nameFailure(failure: Failure, record: string): Failure {
  const named = new RecordFailure(failure, record)
  if (!(failure instanceof UnexplainedFailure)) return named
  return new UnexplainedFailure(named, async (reader) =>
    nameText(record, (await failure.explained(reader)).text),
  )
}

/** `SO-1, SO-2 … (7)`: the first of many names, with their number. */
export function joinNames(names: readonly string[], max: number): string {
  const shown = names.slice(0, max).join(', ')
  return names.length > max ? `${shown} … (${names.length})` : shown
}

/** The answer of what was carried out: that of its route, with the keys of several records. */
export function joinResults(
  write: ProposedWrite,
  results: readonly ObjectActionResult[],
): ObjectActionResult {
  const [first] = results
  if (first && !('records' in write)) return first
  const dispatch = new Map(
    results.flatMap(({ Dispatch }) =>
      Dispatch.map((each) => [JSON.stringify(each), each] as const),
    ),
  )
  return {
    Action: first?.Action ?? '',
    Keys: results.flatMap(({ Keys }) => (Keys === null ? [] : [Keys].flat())),
    Ignored: [...new Set(results.flatMap(({ Ignored }) => Ignored))],
    Dispatch: [...dispatch.values()],
  }
}
