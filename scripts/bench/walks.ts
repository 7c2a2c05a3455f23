/** Pages of grids one after another, each by the cursor of the one before. */
import type { OpenContext } from '../../src/server/open-context.ts'
import { createApp } from '../../src/app.ts'
import { OBJECTS, type PageOf } from './work.ts'

const WALKS = 16
const WALKED = 30
const STATUSES = ['shipped', 'approved', 'cancelled', 'new']

interface PageAnswer {
  success: boolean
  data: { Rows: { OrderedAt: string; Id: number }[]; Pagination: { NextCursor: string | null } }
}

/**
 * Walks through grids of orders in this process, since only the engine knows its cursors. Resolves
 * to the pages behind the first of each grid, in the order in which people who walk at the same
 * time ask for them.
 */
export async function planWalks(context: OpenContext, token: string): Promise<PageOf[]> {
  const app = createApp(context)
  const ask = async (body: object): Promise<PageAnswer['data']> => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
    const url = `http://localhost${OBJECTS}/orders/table`
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = (await (await app.handle(new Request(url, init))).json()) as PageAnswer
    if (!answer.success) throw new Error(JSON.stringify(answer))
    return answer.data
  }
  const walks: PageOf[][] = []
  for (let walk = 0; walk < WALKS; walk++)
    walks.push(await walkOne(ask, STATUSES[walk % STATUSES.length] ?? '', walk))
  return Array.from({ length: WALKED }, (_, page) =>
    walks.flatMap((pages) => pages[page] ?? []),
  ).flat()
}

async function walkOne(
  ask: (body: object) => Promise<PageAnswer['data']>,
  status: string,
  nth: number,
): Promise<PageOf[]> {
  const from = `20${20 + (nth % 6)}-01-01T00:00:00.000Z`
  const Filters = [
    { Field: 'Status', Operator: 'eq', Value: status },
    { Field: 'OrderedAt', Operator: 'ge', Value: from },
  ]
  const Sort = [{ Field: 'OrderedAt', Direction: 'desc' }]
  const first = { Filters, Sort, PageSize: 50, CountMode: 'none' }
  const pages: PageOf[] = []
  let { Rows, Pagination } = await ask(first)
  while (Pagination.NextCursor !== null && pages.length < WALKED) {
    const last = Rows.at(-1)
    if (!last) break
    const body = { ...first, Cursor: Pagination.NextCursor }
    const after: PageOf['after'] = [last.OrderedAt, last.Id]
    const Arguments = [status, from]
    pages.push({ body, condition: 'since', Arguments, after, isCounted: false })
    ;({ Rows, Pagination } = await ask(body))
  }
  return pages
}
