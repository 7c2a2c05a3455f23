/** Kinds of work that write, on new orders that stand there for them. */
import type { RecordedRequest } from './record.ts'
import { at, engineRequest, type Facts, times, type Work } from './work.ts'

const UPDATED_ORDERS = 2000
const CREATES = 3000

/** Orders of the pool that a work has for itself: updates, deletes and actions in turn. */
const shareOf = ({ pool }: Facts, turn: 0 | 1 | 2): { Id: number }[] =>
  pool.filter((_, index) => index % 3 === turn)

/** Both sides of a write; each body goes to both. */
function planWrite<Body>(
  about: Pick<Work, 'name' | 'wanted' | 'isOnce'>,
  bodies: readonly Body[],
  toEngine: (body: Body) => RecordedRequest,
): Work {
  return {
    ...about,
    isWrite: true,
    isCached: true,
    requests: bodies.map(toEngine),
    byHand: bodies.map((body) => ({ path: `/${about.name}`, body: JSON.stringify(body) })),
  }
}

const submit = (Parameters: object): RecordedRequest =>
  engineRequest('submit', { FormName: 'orders', Parameters })

/** Updates, creates, deletes and a row action. */
export function planWrites(facts: Facts): Work[] {
  const updated = shareOf(facts, 0).slice(0, UPDATED_ORDERS)
  // Each order twice, under another reference: an update that changes nothing would be cheaper.
  const updates = times(2 * updated.length, (index) => ({
    Id: at(updated, index).Id,
    Reference: `PO ${10_000 + index}`,
  }))
  const creates = times(CREATES, (index) => ({
    CustomerId: at(facts.customers, index).Id,
    Reference: `PO ${50_000 + index}`,
  }))
  const deletes = shareOf(facts, 1).map(({ Id }) => ({ Id }))
  const cancels = shareOf(facts, 2).map(({ Id }) => ({ Id, Reason: 'mistake' }))
  return [
    planWrite({ name: 'update', wanted: 1 }, updates, submit),
    planWrite({ name: 'create', wanted: 1 }, creates, (body) =>
      submit({ ...body, Region: 'Lakes' }),
    ),
    planWrite({ name: 'delete', wanted: 1, isOnce: true }, deletes, (Parameters) =>
      engineRequest('delete-row', { ObjectName: 'orders', Parameters }),
    ),
    planWrite({ name: 'action', wanted: 1, isOnce: true }, cancels, (Parameters) =>
      engineRequest('execute-row-action', {
        ObjectName: 'orders',
        ActionName: 'Cancel',
        Parameters,
      }),
    ),
  ]
}
