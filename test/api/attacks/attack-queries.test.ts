/** Explorer queries by those who mean harm: nothing hidden is told, and nothing breaks. */
import { expect, test } from 'bun:test'
import { EXPLORER, startSales } from '../../support/explored-sales.ts'
import { refusal, type Row } from '../../support/objects.ts'

const count = { Function: 'count', As: 'N' }

test('a query that is too much of anything is refused, never a failure', async () => {
  await using sales = await startSales()
  const sort = (size: number) => Array.from({ length: size }, () => ({ Field: 'Region' }))
  const requests: Row[] = [
    { GroupBy: ['Region'], Sort: sort(3000) },
    { Sort: sort(3000) },
    { GroupBy: Array.from({ length: 11 }, () => 'Region') },
    { Aggregates: Array.from({ length: 31 }, (_, at) => ({ ...count, As: `A${at}` })) },
    { GroupBy: ['Region', 'region'] },
    { GroupBy: ['At:month', 'AT:Month'] },
    { Aggregates: [{ ...count, As: 'a"b' }] },
    { Aggregates: [{ ...count, As: '__proto__' }] },
    { Fields: ['x'.repeat(100_000)] },
    { GroupBy: ['Region'], Sort: [{ Field: 'Region', Direction: 'asc, (SELECT 1)' }] },
    { GroupBy: ['Region'], Sort: [{ Field: '(CASE WHEN 1 THEN Region END)' }] },
    { GroupBy: ['Region:month); --'] },
    { Limit: 1e9 },
    { Limit: -1 },
  ]
  for (const request of requests) refusal(await sales.ask(request), 400)
  const names = { Aggregates: ['constructor', 'toString', 'rowid'].map((As) => ({ ...count, As })) }
  const [row] = (await sales.query(names)).Rows
  expect(row).toEqual({ constructor: 5, toString: 5, rowid: 5 })
})

test('no sum, group, order or filter tells a hidden field from one that is not there', async () => {
  await using sales = await startSales()
  const told = async (request: (field: string) => Row, field: string) => {
    const { error, code } = refusal(await sales.ask(request(field), 'rep'), 400)
    return { error: error.replaceAll(field, '…'), code }
  }
  const requests: ((field: string) => Row)[] = [
    (Field) => ({ Aggregates: [{ Field, Function: 'sum', As: 'N' }] }),
    (Field) => ({ Aggregates: [{ Field, Function: 'count', As: 'N' }] }),
    (Field) => ({ Aggregates: [{ Field, Function: 'none', As: 'N' }] }),
    (field) => ({ GroupBy: [field] }),
    (field) => ({ GroupBy: [`${field}:month`] }),
    (field) => ({ GroupBy: [`${field}:none`] }),
    (Field) => ({ GroupBy: ['Region'], Sort: [{ Field }] }),
    (Field) => ({ Sort: [{ Field, Direction: 'none' }] }),
    (Field) => ({ Filters: [{ Field, Operator: 'gt', Value: 'none' }], Aggregates: [count] }),
    (field) => ({ Fields: [field] }),
  ]
  for (const request of requests)
    for (const hidden of ['Cost', 'ClientId', 'ClientId__Label', 'Inner', 'ClientId.Name'])
      expect(await told(request, hidden)).toEqual(await told(request, 'Missing'))
})

test('the company and the rows are the caller’s, whatever the request says', async () => {
  await using sales = await startSales()
  const request = {
    AllCompanies: true,
    Parameters: { CurrentCompanyId: 2, User_Region: 'south', __proto__: 1 },
    Aggregates: [count],
  }
  for (const [as, N] of [
    ['ana', 5],
    ['rep', 2],
  ] as const) {
    const { status, body } = await sales.ask(request, as)
    if (status === 200) expect(body.data.Rows).toEqual([{ N }])
    else expect(status).toBe(401)
  }
  for (const name of ['..%2f', '%00', '%ff', '__proto__', 'constructor', 'x'.repeat(5000)])
    refusal(await sales.app.fetch(`${EXPLORER}/objects/${name}`, { as: 'ana' }), 404)
})
