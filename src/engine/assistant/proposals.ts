/**
 * Proposals: a write that was rehearsed and shown, and that its caller may confirm. Its id is its
 * idempotency key: confirmed again, it answers what it did.
 */
import { conflict, invalid, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { MINUTE } from '../../kernel/setting.ts'
import { type Reader, type Store, systemScope, type Tx } from '../../store/store.ts'
import { requireValidCaller } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { carryOut, joinResults, type ProposedWrite } from './carry-out.ts'
import type { assistantProposals } from './engine-db.ts'
import { OWN, ownArgs } from './owner.ts'
import { type Mutation, newMutation } from '../object/mutation.ts'
import type { ObjectActionResult } from '../object/schema.ts'

const SCOPE = systemScope('proposals belong to users')

/** Milliseconds in which a proposal may be confirmed. */
export const PROPOSAL_MS = 30 * MINUTE
/** Proposals of one user that are open at once. */
const OPEN_MAX = 100

/** Thrown at the end of a rehearsal, so that nothing of it stays. */
class Rehearsed extends Error {
  readonly results: readonly ObjectActionResult[]

  constructor(results: readonly ObjectActionResult[]) {
    super('rehearsed')
    this.results = results
  }
}

/** The results that a mutation answers: that of one record, or those of several. */
const listResults = (done: unknown): readonly ObjectActionResult[] =>
  [done].flat() as readonly ObjectActionResult[]

/**
 * Rehearses a write: it is carried out with all its effects, then rolled back. The result of each
 * record, in their order.
 */
export async function rehearse(
  by: Pick<Mutation, 'engine' | 'caller' | 'model' | 'traceId'>,
  write: ProposedWrite,
): Promise<readonly ObjectActionResult[]> {
  const recordResponse = (_: Tx, done: unknown): Promise<void> =>
    Promise.reject(new Rehearsed(listResults(done)))
  try {
    return await carryOut(newMutation(by, { recordResponse }), write)
  } catch (error) {
    if (error instanceof Rehearsed) return error.results
    throw error
  }
}

const COUNT = `SELECT count(*) AS Open FROM svc_assistant_proposals
  WHERE UserId = @user AND CompanyId = @company AND DoneAt IS NULL AND ExpiresAt > @now`

const SAVE = `INSERT INTO svc_assistant_proposals
  (Id, UserId, CompanyId, ApiKeyId, ImpersonatorId, Kind, Request, CreatedAt, ExpiresAt)
  VALUES (@id, @user, @company, @key, @impersonator, @kind, @request, @now, @until)`

/** Keeps a proposal until it is confirmed or expires. @throws conflict for too many of them */
export async function saveProposal(
  store: Store,
  caller: Caller,
  { write, now }: { write: ProposedWrite; now: Date },
): Promise<{ id: string; expiresAt: string }> {
  const id = Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString('base64url')
  const until = new Date(now.getTime() + PROPOSAL_MS).toISOString()
  const at = now.toISOString()
  await store.write(async (tx) => {
    const { user, company } = ownArgs(caller)
    const counted = await tx.get<{ Open: number }>(COUNT, { user, company, now: at })
    if ((counted?.Open ?? 0) >= OPEN_MAX)
      throw conflict(
        say`You have too many open proposals. Confirm some, or wait until they expire.`,
      )
    const request = JSON.stringify('records' in write ? write.records : write.request)
    const kept = { kind: write.kind, request }
    await tx.run(SAVE, { ...ownArgs(caller), id, ...kept, now: at, until })
  }, SCOPE)
  return { id, expiresAt: until }
}

type ProposalRow = Pick<
  typeof assistantProposals.$inferSelect,
  'Kind' | 'Request' | 'ExpiresAt' | 'Result'
>

const FIND = `SELECT Kind, Request, ExpiresAt, Result FROM svc_assistant_proposals
  WHERE Id = @id AND ${OWN}`

async function requireProposal(reader: Reader, caller: Caller, id: string): Promise<ProposalRow> {
  const row = await reader.get<ProposalRow>(FIND, { ...ownArgs(caller), id })
  if (!row) throw notFound(say`There is no such proposal`, { code: 'PROPOSAL_NOT_FOUND' })
  return row
}

const DONE = `UPDATE svc_assistant_proposals SET DoneAt = @now, Result = @result
  WHERE Id = @id AND DoneAt IS NULL AND ExpiresAt > @now`

/** Another confirmation was faster: its result is this one's, too. */
class DoneElsewhere extends Error {}

/**
 * Carries a proposal out by the caller's present rights, once: its writes commit with it.
 * @throws notFound, invalid for one that has expired, and the write's failures: then it is open
 */
export async function confirmProposal(
  by: Pick<Mutation, 'engine' | 'caller' | 'model' | 'traceId'>,
  id: string,
): Promise<ObjectActionResult> {
  const { engine, caller } = by
  await requireValidCaller(caller)
  const row = await requireProposal(engine.store, caller, id)
  if (row.Result !== null) return JSON.parse(row.Result) as ObjectActionResult
  if (row.ExpiresAt <= engine.clock.now().toISOString())
    throw invalid(say`The proposal has expired. Please ask again.`, { code: 'PROPOSAL_EXPIRED' })
  const write = readWrite(row)
  const recordResponse = async (tx: Tx, done: unknown): Promise<void> => {
    const result = JSON.stringify(joinResults(write, listResults(done)))
    const args = { id, now: engine.clock.now().toISOString(), result }
    if ((await tx.run(DONE, args)) === 0) throw new DoneElsewhere()
  }
  try {
    return joinResults(write, await carryOut(newMutation(by, { recordResponse }), write))
  } catch (error) {
    // A repeat may also meet the first one's change, as a stale stamp.
    const again = await requireProposal(engine.store, caller, id)
    if (again.Result !== null) return JSON.parse(again.Result) as ObjectActionResult
    if (error instanceof DoneElsewhere)
      throw invalid(say`The proposal has expired. Please ask again.`, { code: 'PROPOSAL_EXPIRED' })
    throw error
  }
}

/** The write of a kept proposal: a list of requests where it is of several records. */
function readWrite({ Kind, Request }: Pick<ProposalRow, 'Kind' | 'Request'>): ProposedWrite {
  const kept = JSON.parse(Request) as unknown
  const of = Array.isArray(kept) ? { records: kept } : { request: kept }
  return { kind: Kind, ...of } as ProposedWrite
}
