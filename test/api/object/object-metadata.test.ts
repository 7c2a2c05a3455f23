/** Metadata: the same for every caller, without SQL, with a tag. */
import { expect, test } from 'bun:test'
import { data, refusal, type Row, startObjectShop } from '../../support/objects.ts'

const CANARIES = ['SELECT', 'FROM', 'UPDATE', '@', 'bills b', 'CreditLimit', "Status = 'new'"]

test('the definition has no SQL and is the same for every caller', async () => {
  await using shop = await startObjectShop()
  const answer = await shop.call<Row>('clerk', '/bills/metadata')
  const metadata = data(answer)
  for (const canary of CANARIES) expect(answer.text).not.toContain(canary)
  expect((await shop.call('nobody', '/BILLS/metadata')).text).toBe(answer.text)
  expect(metadata).toMatchObject({ Name: 'Bills', Slug: 'bills', Label: 'Bills', Keys: ['Id'] })
  expect(metadata.VersionHash).toMatch(/^[0-9a-f]{32}$/)
  const fields = metadata.Fields as Row[]
  expect(fields.find((field) => field.Name === 'Status')).toMatchObject({
    Label: 'Status',
    Type: 'Text',
    Options: [
      { Value: 'new', Label: 'New' },
      { Value: 'approved', Label: 'Approved' },
    ],
    Default: { Value: 'new' },
  })
  expect(fields.find((field) => field.Name === 'Note')).toMatchObject({
    MaxLength: 20,
    RequiredWhen: { Field: 'Status', Operator: 'eq', Value: 'approved' },
  })
  expect(fields.find((field) => field.Name === 'Margin')).toMatchObject({ ReadOnly: true })
  expect((metadata.Validates as Row[]).map((rule) => rule.Field)).toEqual(['DueOn'])
  expect((metadata.RowActions as Row[])[0]).toMatchObject({ Name: 'Approve', For: 'Rows' })
  expect(metadata).toMatchObject({
    Board: { GroupBy: 'Status', Title: 'Number', Order: 'DueOn' },
    Calendar: { From: 'DueOn', To: null, Title: 'ClientName', Tone: null },
    Gallery: null,
    Header: { Fields: ['Status', 'Number'] },
    Tree: null,
  })
  expect(metadata.Details).toEqual([
    {
      Name: 'Lines',
      Label: 'Bill lines',
      View: 'BillLines',
      Parent: [{ Field: 'BillId', ParentField: 'Id' }],
    },
  ])
})

test('If-None-Match is answered with 304', async () => {
  await using shop = await startObjectShop()
  const etag = (await shop.call('clerk', '/bills/metadata')).headers.get('ETag') ?? ''
  const again = await shop.app.fetch('/api/v1/svc/object/bills/metadata', {
    as: 'clerk',
    headers: { 'If-None-Match': `"other", W/${etag}` },
  })
  expect(again.status).toBe(304)
  expect(again.text).toBe('')
})

test('routes of earlier versions do not exist and answer 404', async () => {
  await using shop = await startObjectShop()
  for (const [method, path] of [
    ['GET', '/metadata/Bills'],
    ['POST', '/values'],
    ['GET', '/Bills/table'],
    ['POST', '/Bills/values'],
  ] as const) {
    const answer = await shop.app.fetch(`/api/v1/svc/object${path}`, { as: 'clerk', method })
    expect([path, answer.status]).toEqual([path, path === '/Bills/table' ? 405 : 404])
  }
  refusal(await shop.call('clerk', '/unknown/metadata'), 404)
})
