import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const SUBMIT = '/api/v1/svc/object/submit'
const FORM = '/api/v1/svc/object/orders/form'

/** A new order of the demo's first company, and an approved one. */
const OPEN_ORDER = 400
const APPROVED_ORDER = 399

interface Refusal {
  fieldErrors?: Record<string, string>
}

test('a rule in SQL of a view is judged on the record as it would be stored', async () => {
  await using app = await startApp()
  const submit = (Region: string) =>
    app.fetch<Refusal>(SUBMIT, {
      as: 'ana',
      body: { FormName: 'orders', Parameters: { Id: OPEN_ORDER, Region, RowVersion: '1' } },
    })
  const refused = await submit('Hills')
  expect(refused.status).toBe(400)
  expect(refused.body.fieldErrors).toEqual({ Region: "Another region than the customer's" })
  const stored = await app.fetch<{ data: { Values: { Region: string } } }>(FORM, {
    as: 'ana',
    body: { Parameters: { Id: OPEN_ORDER } },
  })
  expect(stored.body.data.Values.Region).toBe('Coast')
  expect((await submit('Coast')).status).toBe(200)
})

test('a rule in SQL of a detail’s view reads the record that it belongs to', async () => {
  await using app = await startApp()
  const line = { LineNumber: 90, ProductId: 1, Quantity: 1, Price: 1 }
  const add = (Id: number) =>
    app.fetch<Refusal>(SUBMIT, {
      as: 'ana',
      body: { FormName: 'order-lines', Parameters: { ...line, OrderId: Id } },
    })
  const refused = await add(APPROVED_ORDER)
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('The order is not new any more')
  expect((await add(OPEN_ORDER)).status).toBe(200)
  // The line has moved the order's total, and with it the stamp.
  const stored = await app.fetch<{ data: { Values: { RowVersion: string } } }>(FORM, {
    as: 'ana',
    body: { Parameters: { Id: OPEN_ORDER } },
  })
  const { RowVersion } = stored.body.data.Values
  const detail = await app.fetch<Refusal>(SUBMIT, {
    as: 'ana',
    body: {
      FormName: 'orders',
      Parameters: { Id: OPEN_ORDER, RowVersion },
      Details: { Lines: { Upsert: [{ ...line, LineNumber: 91 }] } },
    },
  })
  expect({ status: detail.status, text: detail.text.slice(0, 200) }).toMatchObject({ status: 200 })
})

const SCALES: TestApplication = {
  files: [
    {
      name: 'scales.xml',
      body: `<Model>
        <Entity Name="Scale" Table="scales">
          <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
          <Column Name="Weight" Type="Integer"/>
        </Entity>
        <ObjectView Name="Scales" Entity="Scale">
          <TableQuery>SELECT Id, Weight, Weight * 2 AS Doubled FROM scales</TableQuery>
          <Validate Field="Weight" Message="Too heavy">
            SELECT @doubled &lt;= 10 AND @doubled = 2 * @Weight
          </Validate>
        </ObjectView>
      </Model>`,
    },
  ],
  ...makePeople('C1', { root: 'System' }),
}

test('a rule in SQL of a view reads its output columns too, in any case', async () => {
  await using app = await startApp({ application: SCALES })
  const submit = (Parameters: Record<string, unknown>) =>
    app.fetch<Refusal>(SUBMIT, { as: 'root', body: { FormName: 'Scales', Parameters } })
  expect((await submit({ Weight: 5 })).status).toBe(200)
  expect((await submit({ Weight: 6 })).body.fieldErrors).toEqual({ Weight: 'Too heavy' })
  expect((await submit({ Id: 1, Weight: 4 })).status).toBe(200)
  expect((await submit({ Id: 1, Weight: 7 })).body.fieldErrors).toEqual({ Weight: 'Too heavy' })
})
