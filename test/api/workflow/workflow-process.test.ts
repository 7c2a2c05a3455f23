/** An approval process as it is: twelve states in under sixty lines, walked through. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkflowInstance } from '../../../src/engine/workflow/schema.ts'
import { startApp } from '../../support/app.ts'
import { approvals } from '../../support/approvals.ts'

const TEXT = readFileSync(join(import.meta.dir, '../../support/purchase-approval.xml'), 'utf8')
const PURCHASE = approvals(TEXT)

test('a purchase is submitted, returned, checked side by side, and ordered by two', async () => {
  expect(TEXT.trimEnd().split('\n').length).toBeLessThan(60)
  expect(TEXT.match(/<State /g)).toHaveLength(12)
  await using app = await startApp({ application: PURCHASE })
  const body = { FormName: 'Requests', Parameters: { Title: 'Crane', Amount: 9000 } }
  await app.fetch('/api/v1/svc/object/submit', { as: 'maker', body })
  const act = async (as: string, action: string, said: object = {}) => {
    const path = `/api/v1/svc/workflow/instances/1/actions/${action}`
    const answer = await app.fetch<{ data: WorkflowInstance }>(path, { as, body: said })
    return answer.status === 200 ? answer.body.data.State : answer.status
  }
  expect(await act('maker', 'Submit')).toBe('manager')
  expect(await act('ann', 'Return')).toBe(400)
  expect(await act('ann', 'Return', { Comment: 'which colour?' })).toBe('changes')
  expect(await act('maker', 'Submit', { Comment: 'yellow' })).toBe('manager')
  expect(await act('ann', 'Approve')).toBe('checks')
  expect(await act('dee', 'Fund')).toBe('checks')
  expect(await act('bob', 'Recommend')).toBe('board')
  expect(await act('cid', 'Approve')).toBe('board')
  expect(await act('ann', 'Approve')).toBe('ordered')
  const read = { sql: 'SELECT State, Note FROM requests', args: {}, runs: 'inline' } as const
  // The listener of the model hears of the action that moved it, too.
  expect(await app.store.all(read)).toEqual([{ State: 'ordered', Note: 'orderedheard;' }])
})
