/** Prints of the model by `GET /report/{key}`: gates, arguments, and the data of a document. */
import { expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { INVOICE_ROWS, INVOICES } from '../../support/invoices.ts'

const ALL = { company: 'all', because: 'a test' } as const

async function startBilling(): Promise<TestApp> {
  const app = await startApp({ application: INVOICES })
  for (const sql of INVOICE_ROWS) await app.store.write((tx) => tx.run(sql, {}), ALL)
  return app
}

interface Entry {
  Key: string
  Name: string
  Label: string
  Parameters: { Name: string; Required: boolean }[]
  Formats: string[]
}

const get = (app: TestApp, as: string, path: string, language?: string) =>
  app.fetch<{ data: Entry[]; code: string }>(path, {
    as,
    ...(language !== undefined && { headers: { 'Accept-Language': language } }),
  })

test('the list has the prints of views that the caller may View, in their words', async () => {
  await using app = await startBilling()
  const keysOf = async (as: string): Promise<string[]> =>
    (await get(app, as, '/report')).body.data.map(({ Key }) => Key)
  expect(await keysOf('clerk')).toEqual(
    expect.arrayContaining(['invoice', 'groups', 'tag', 'letter']),
  )
  for (const as of ['none', 'lister']) expect(await keysOf(as)).not.toContain('invoice')
  const listed = (await get(app, 'clerk', '/report', 'de')).body.data
  expect(listed.find(({ Key }) => Key === 'invoice')).toMatchObject({
    Name: 'Invoice',
    Label: 'Rechnung',
    Parameters: [{ Name: 'Id', Required: true }],
    Formats: ['pdf', 'xlsx', 'json'],
  })
})

test('a document as data has what its caller sees, by name and by slug', async () => {
  await using app = await startBilling()
  const clerk = await get(app, 'clerk', '/report/Invoice?BillId=1&format=json')
  expect(clerk.status).toBe(200)
  for (const seen of ['B-1', 'Little Works', 'Hammer', '999.25', '5.5'])
    expect(clerk.text).toContain(seen)
  expect(clerk.text).not.toContain('canary')
  expect((await get(app, 'clerk', '/report/invoice?id=1&format=json')).text).toBe(clerk.text)
  const seller = await get(app, 'seller', '/report/invoice?Id=1&format=json')
  expect(seller.text).toContain('Hammer')
  for (const hidden of ['Hours', '999.25', 'Cost', 'Margin', 'Mill Lane'])
    expect(seller.text).not.toContain(hidden)
})

test('gates and missing records read the same by every way', async () => {
  await using app = await startBilling()
  const read = async (as: string, path: string) => {
    const { status, body } = await get(app, as, path)
    return [status, body.code]
  }
  for (const format of ['pdf', 'xlsx', 'json']) {
    const print = (as: string, id: unknown) =>
      read(as, `/report/invoice?Id=${String(id)}&format=${format}`)
    const denied = await print('none', 1)
    expect(denied[0]).toBe(401)
    expect(await print('none', 99)).toEqual(denied)
    expect(await print('lister', 1)).toEqual(denied)
    const missing = [404, 'RECORD_NOT_FOUND']
    expect(await print('clerk', 99)).toEqual(missing)
    expect(await print('clerk', 3)).toEqual(missing)
    expect(await print('seller', 2)).toEqual(missing)
    expect(await print('other', 1)).toEqual(missing)
  }
  expect((await read('clerk', '/report/invoice'))[0]).toBe(400)
  expect((await read('clerk', '/report/invoice?Id=x&format=json'))[0]).toBe(400)
  expect((await read('clerk', '/report/invoices?Id=1'))[0]).toBe(404)
  expect((await app.fetch('/report/invoice?Id=1')).status).toBe(401)
})

test('what was taken is in the audit log, by whom and of which record', async () => {
  await using app = await startBilling()
  for (const path of ['invoice?Id=1', 'invoice?Id=%20001', 'record?object=Bills&Id=%2B1']) {
    const { headers } = await get(app, 'clerk', `/report/${path}&format=json`)
    expect(headers.get('Content-Disposition')).toMatch(/"(?:Invoice|Bills) B-1\.json"/)
    const [entry] = await app.store.all(
      "SELECT Entity, RecordKey FROM svc_audit WHERE Action = 'report' ORDER BY Id DESC LIMIT 1",
    )
    expect(entry).toEqual({ Entity: 'Bill', RecordKey: '[1]' })
  }
})

test('a bar code that holds not its text is told, in the document and in the log', async () => {
  await using app = await startBilling()
  const told = 'no bar code of these kinds holds its text'
  expect((await get(app, 'clerk', '/report/invoice?Id=1')).text.slice(0, 5)).toBe('%PDF-')
  expect(app.log.join()).not.toContain(told)
  expect((await get(app, 'clerk', '/report/invoice?Id=2')).text.slice(0, 5)).toBe('%PDF-')
  const [entry, ...others] = app.log.filter((line) => line.includes(told))
  expect(entry).toContain('"kinds":"ean13"')
  expect(others).toEqual([])
})
