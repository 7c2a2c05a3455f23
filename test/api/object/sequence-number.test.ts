/** POST /sequence-number: previews, and numbers that are reserved. */
import { expect, test } from 'bun:test'
import { RESERVATIONS_MAX } from '../../../src/engine/object/write/reservation.ts'
import { DAY_MS, startBills } from '../../support/numbered-bills.ts'
import { data, type Row } from '../../support/objects.ts'

test('a preview uses nothing up, and is what the next record draws', async () => {
  await using bills = await startBills()
  const first = `B${bills.year}-1`
  expect(await bills.next('ana')).toBe(first)
  expect(await bills.next('ana', { SequenceName: 'billnumber', Reserve: false })).toBe(first)
  expect(
    await bills.next('bo', { SequenceName: null, FormName: 'bills', FieldName: 'number' }),
  ).toBe(first)
  expect(await bills.create('ana')).toBe(first)
  expect(await bills.next('ana')).toBe(`B${bills.year}-2`)
  expect(await bills.next('cy')).toBe(first)
})

test('a number that was reserved is its caller’s alone', async () => {
  await using bills = await startBills()
  const [one, two] = [await bills.reserve('ana'), await bills.reserve('ana')]
  expect([one, two]).toEqual([`B${bills.year}-1`, `B${bills.year}-2`])
  expect(await bills.next('bo')).toBe(`B${bills.year}-3`)
  expect(await bills.create('bo', { Number: one })).toBe(`B${bills.year}-3`)
  expect(await bills.create('cy', { Number: two })).toBe(`B${bills.year}-1`)
  expect(await bills.create('ana', { Number: two })).toBe(two)
  expect(await bills.create('ana', { Number: two })).toBe(`B${bills.year}-4`)
  expect(await bills.create('ana', { Number: one })).toBe(one)
})

test('what the caller did not reserve is dropped, and a stored number stays', async () => {
  await using bills = await startBills()
  expect(await bills.create('ana', { Number: 'B2030-77' })).toBe(`B${bills.year}-1`)
  expect(await bills.create('ana', { Number: { a: 1 } })).toBe(`B${bills.year}-2`)
  const reserved = await bills.reserve('ana')
  const changed = await bills.objects.submit('ana', 'Bills', { Id: 1, Number: reserved, Total: 1 })
  expect(data(changed).Values).toMatchObject({ Number: `B${bills.year}-1`, Total: 1 })
})

test('a number that is not used in time goes out again, the lowest first', async () => {
  await using bills = await startBills()
  await bills.reserve('ana')
  await bills.reserve('ana')
  expect(await bills.create('bo')).toBe(`B${bills.year}-3`)
  await bills.pass(DAY_MS, 'bo')
  const free = await bills.ask('bo', { SequenceName: 'BillNumber' })
  expect(free.body.data).toBe(`B${bills.year}-1`)
  const again = await bills.ask('bo', { SequenceName: 'BillNumber', Reserve: true })
  expect(again.body.data).toBe(`B${bills.year}-1`)
  expect(await bills.objects.stored('SELECT Number, UserId FROM svc_reservations')).toHaveLength(2)
})

test('numbers begin again with each year, in each company', async () => {
  await using bills = await startBills()
  expect(await bills.create('ana')).toBe(`B${bills.year}-1`)
  expect(await bills.create('ana')).toBe(`B${bills.year}-2`)
  expect(await bills.reserve('cy')).toBe(`B${bills.year}-1`)
  await bills.pass(366 * DAY_MS, 'ana', 'cy')
  const year = bills.app.context.clock.now().getUTCFullYear()
  expect(year).toBeGreaterThan(bills.year)
  expect(await bills.reserve('ana')).toBe(`B${year}-1`)
  expect(await bills.reserve('ana')).toBe(`B${year}-2`)
  expect(await bills.next('cy')).toBe(`B${year}-1`)
})

test('a submit that fails leaves the number where it was', async () => {
  await using bills = await startBills()
  const number = await bills.reserve('ana')
  const refused = await bills.objects.submit('ana', 'Bills', { Number: number, Total: -1 })
  expect(refused.status).toBe(400)
  const outside = await bills.objects.submit('ana', 'Bills', { Number: number, Kind: 'oth' })
  expect(outside.body.code).toBe('OUTSIDE_OWN_ROWS')
  expect(await bills.create('bo')).toBe(`B${bills.year}-2`)
  expect(await bills.create('ana', { Number: number })).toBe(number)
})

test('the format takes fields from Parameters, and from the record when it is stored', async () => {
  await using bills = await startBills()
  const memo = (Parameters: Row, Reserve = false) =>
    bills.ask('ana', { SequenceName: 'MemoNumber', Parameters, Reserve })
  expect((await memo({ kind: 'web' })).body.data).toBe('ONE/web/01')
  expect((await memo({})).body.data).toBe('ONE//01')
  const long = await memo({ Kind: 'much too long' })
  expect(long.body).toMatchObject({ code: 'VALIDATION_FAILED', fieldErrors: {} })
  const { data: number } = (await memo({ Kind: 'web' }, true)).body
  const saved = data(await bills.objects.submit('ana', 'Memos', { Number: number, Kind: 'fax' }))
  expect(saved.Values.Number).toBe('ONE/fax/01')
  expect(data(await bills.objects.submit('ana', 'Memos', { Kind: 'web' })).Values.Number).toBe(
    'ONE/web/02',
  )
})

test('to those who may not create what draws from it, a sequence is not there', async () => {
  await using bills = await startBills()
  const missing = await bills.ask('ana', { SequenceName: 'NoSuch' })
  const facts = ({ status, body }: Awaited<ReturnType<typeof bills.ask>>) => ({
    status,
    code: body.code,
    error: body.error,
  })
  expect(facts(missing)).toMatchObject({ status: 404, code: 'SEQUENCE_NOT_FOUND' })
  for (const as of ['rea', 'dee', 'blind']) {
    for (const request of [
      { SequenceName: 'BillNumber' },
      { SequenceName: 'BillNumber', Reserve: true },
      { FormName: 'Bills', FieldName: 'Number' },
    ])
      expect({ as, ...facts(await bills.ask(as, request)) }).toEqual({ as, ...facts(missing) })
  }
  expect(await bills.ask('ana', { FormName: 'Bills', FieldName: 'Total' })).toMatchObject({
    status: 404,
  })
  expect(await bills.ask('ana', { FormName: 'Nothing', FieldName: 'Number' })).toMatchObject({
    status: 404,
  })
  expect(await bills.ask('ana', {})).toMatchObject({ status: 400 })
  expect(await bills.objects.stored('SELECT * FROM svc_reservations')).toEqual([])
})

test('rows that the caller does not see change nothing of what they are told', async () => {
  await using bills = await startBills()
  const before = await bills.next('ana')
  await bills.app.store.write(
    (tx) =>
      tx.run(`INSERT INTO bills (CompanyId, Number, Kind) VALUES (1, '${before}x', 'hid'),
        (1, 'B9999-9', 'hid'), (2, '${before}', 'hid')`),
    { company: 'all', because: 'a test' },
  )
  expect(await bills.next('ana')).toBe(before)
})

test('nobody puts by more than a hundred numbers of a sequence', async () => {
  await using bills = await startBills()
  for (let at = 0; at < RESERVATIONS_MAX; at++) await bills.reserve('ana')
  const refused = await bills.ask('ana', { SequenceName: 'BillNumber', Reserve: true })
  expect(refused).toMatchObject({ status: 400, body: { code: 'TOO_MANY_RESERVATIONS' } })
  expect(await bills.reserve('bo')).toBe(`B${bills.year}-${RESERVATIONS_MAX + 1}`)
})
