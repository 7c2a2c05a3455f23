/** A warehouse of two houses: goods arrive, are put elsewhere, counted and ordered, over HTTP. */
import { describe, expect, test } from 'bun:test'
import { WAREHOUSE } from './warehouse/warehouse.ts'
import { startApp } from '../support/app.ts'
import { data, Objects, refusal, type Row } from '../support/objects.ts'

/**
 * Three items; in EAST zones C (1) and D (2) with bins C-IN (1), C-1 (2), D-IN (3) and D-1 (4); in
 * WEST zone C (3) with bin C-IN (5).
 */
async function openHouse(): Promise<Objects> {
  const house = new Objects(await startApp({ application: WAREHOUSE }))
  for (const item of [
    { Sku: 'BX-001', Name: 'Box', Barcode: '4000000000017', Least: 5 },
    { Sku: 'FL-001', Name: 'Flour', UnitCode: 'kg', Least: 0.5 },
    { Sku: 'TP-001', Name: 'Tape' },
  ]) {
    await house.save('east', 'Items', item, { IsNew: true })
  }
  const zone = (as: string, Code: string, codes: string[]) => {
    const bins = codes.map((code, at) => ({ Code: code, Receiving: at === 0 }))
    return house.save(as, 'Zones', { Code }, { Details: { Bins: { Upsert: bins } } })
  }
  await zone('east', 'C', ['C-IN', 'C-1'])
  await zone('east', 'D', ['D-IN', 'D-1'])
  await zone('west', 'C', ['C-IN'])
  return house
}

const receive = (house: Objects, as: string, lines: Row[]) =>
  house.submit(
    as,
    'Receipts',
    { Sender: 'Mill' },
    { Details: { Lines: { Upsert: lines.map((line, at) => ({ Line: at + 1, ...line })) } } },
  )

/** EAST with ten boxes and two and a half kilograms of flour in C-IN, and tape in D-IN. */
async function openFilled(): Promise<Objects> {
  const house = await openHouse()
  data(
    await receive(house, 'east', [
      { Sku: 'BX-001', ZoneId: 1, BinId: 1, Quantity: 10 },
      { Sku: 'FL-001', ZoneId: 1, BinId: 1, Quantity: 2.5 },
      { Sku: 'TP-001', ZoneId: 2, BinId: 3, Quantity: 4 },
    ]),
  )
  return house
}

const stockOf = async (house: Objects) =>
  (await house.stored('SELECT BinId, Sku, Quantity FROM stock ORDER BY Sku, BinId')).map((row) => [
    row.Sku,
    row.BinId,
    row.Quantity,
  ])

const column = (rows: readonly Row[], name: string) => rows.map((row) => row[name])

const move = (house: Objects, as: string, from: Row, more: Row) =>
  house.act(as, 'stock', 'Move', { ...from, ...more })

const FLOUR = { BinId: 1, Sku: 'FL-001' }
const BOXES = { BinId: 1, Sku: 'BX-001' }

describe('places and items', () => {
  test('natural keys: taken, malformed, never changed', async () => {
    await using house = await openHouse()
    const item = { Sku: 'BX-001', Name: 'Another box' }
    const taken = refusal(await house.submit('east', 'Items', item, { IsNew: true }), 400)
    expect(Object.keys(taken.fieldErrors ?? {})).toEqual(['Sku'])
    const bad = { Sku: 'box', Name: 'Box' }
    const malformed = refusal(await house.submit('east', 'Items', bad, { IsNew: true }), 400)
    expect(malformed.fieldErrors).toEqual({ Sku: 'Two capitals, a hyphen, three digits' })
    refusal(await house.submit('east', 'Items', { Sku: 'ZZ-999', Name: 'Nothing' }), 404)
    const scan = { Sku: 'ZZ-100', Name: 'Copy', Barcode: '4000000000017' }
    const twice = refusal(await house.submit('east', 'Items', scan, { IsNew: true }), 400)
    expect(Object.keys(twice.fieldErrors ?? {})).toEqual(['Barcode'])
    const empty = { Sku: 'ZZ-101', Name: 'No code' }
    await house.save('east', 'Items', empty, { IsNew: true })
  })

  test('unique in a house, in a zone, and where a condition holds', async () => {
    await using house = await openHouse()
    const zone = refusal(await house.submit('east', 'Zones', { Code: 'D' }), 400)
    expect(Object.keys(zone.fieldErrors ?? {})).toEqual(['Code'])
    await house.save('west', 'Zones', { Code: 'D' })
    const bin = refusal(await house.submit('east', 'Bins', { ZoneId: 1, Code: 'C-1' }), 400)
    expect(Object.keys(bin.fieldErrors ?? {})).toEqual(['ZoneId', 'Code'])
    await house.save('east', 'Bins', { ZoneId: 2, Code: 'C-1' })
    const second = { ZoneId: 1, Code: 'C-9', Receiving: true }
    const receiving = refusal(await house.submit('east', 'Bins', second), 400)
    expect(Object.keys(receiving.fieldErrors ?? {})).toEqual(['ZoneId'])
    const closed = refusal(await house.submit('east', 'Bins', { Id: 1, Blocked: true }), 400)
    expect(closed.fieldErrors).toEqual({ Blocked: 'A receiving bin stays open' })
    refusal(await house.submit('west', 'Bins', { ZoneId: 1, Code: 'W' }), 400)
    refusal(await house.remove('east', 'Zones', { Id: 1 }), 400)
  })
})

describe('goods arrive', () => {
  test('lines fill the bins, a line taken back empties them; houses number apart', async () => {
    await using house = await openFilled()
    expect(await stockOf(house)).toEqual([
      ['BX-001', 1, 10],
      ['FL-001', 1, 2.5],
      ['TP-001', 3, 4],
    ])
    const more = data(
      await receive(house, 'east', [{ Sku: 'BX-001', ZoneId: 1, BinId: 1, Quantity: 5 }]),
    )
    expect(more.Values).toMatchObject({ Number: 'EAST-R-0002', Lines: 1 })
    const west = data(
      await receive(house, 'west', [{ Sku: 'BX-001', ZoneId: 3, BinId: 5, Quantity: 1 }]),
    )
    expect(west.Values).toMatchObject({ Number: 'WEST-R-0001' })
    data(await house.remove('east', 'ReceiptLines', { ReceiptId: 1, Line: 2 }))
    data(await house.remove('east', 'Receipts', { Id: more.Values.Id }))
    expect(await stockOf(house)).toEqual([
      ['BX-001', 1, 10],
      ['BX-001', 5, 1],
      ['FL-001', 1, 0],
      ['TP-001', 3, 4],
    ])
    const items = (await house.table('east', 'items')).Rows
    expect(column(items, 'Here')).toEqual([10, 0, 4])
    const bins = (await house.table('east', 'bins')).Rows
    expect(column(bins, 'Kinds')).toEqual([0, 1, 0, 1])
    expect(column((await house.table('west', 'stock')).Rows, 'BinId__Label')).toEqual(['C-IN'])
  })

  test('nothing of a receipt stays when one line is wrong', async () => {
    await using house = await openHouse()
    const lines = [
      { Sku: 'BX-001', ZoneId: 1, BinId: 1, Quantity: 1 },
      { Sku: 'BX-001', ZoneId: 1, BinId: 2, Quantity: 1.5 },
    ]
    const half = refusal(await receive(house, 'east', lines), 400)
    expect(half.error).toContain('Not to be divided')
    refusal(
      await receive(house, 'east', [{ Sku: 'XX-000', ZoneId: 1, BinId: 1, Quantity: 1 }]),
      400,
    )
    refusal(
      await receive(house, 'east', [{ Sku: 'BX-001', ZoneId: 3, BinId: 5, Quantity: 1 }]),
      400,
    )
    expect(await stockOf(house)).toEqual([])
    const next = data(await receive(house, 'east', []))
    expect(next.Values).toMatchObject({ Number: 'EAST-R-0001', Lines: 0 })
  })

  test('a bin is offered by its zone, and proposed by where the item is already', async () => {
    await using house = await openFilled()
    const ask = async (FieldName: string, Parameters: Row, as = 'east') =>
      data(
        await house.call<Row[]>(as, '/field-dataset', {
          FormName: 'ReceiptLines',
          FieldName,
          Parameters,
        }),
      )
    expect(await ask('BinId', { ZoneId: 1 })).toEqual([
      { Value: '2', Label: 'C-1', Kind: 'shelf' },
      { Value: '1', Label: 'C-IN', Kind: 'receiving' },
    ])
    expect(await ask('BinId', { ZoneId: 1 }, 'west')).toEqual([])
    const form = await house.form('east', 'ReceiptLines', { ReceiptId: 1, Line: 1 })
    expect(form.Values).toMatchObject({ BinId: 1, BinId__Label: 'C-IN', Sku__Label: 'BX-001 Box' })
    data(await move(house, 'east', FLOUR, { ToBinId: 2, Amount: 2 }))
    const line = { ReceiptId: 1, Line: 9, Sku: 'FL-001', ZoneId: 1, Quantity: 1 }
    const added = await house.save('east', 'ReceiptLines', line, { IsNew: true })
    expect(added.Values).toMatchObject({ BinId: 2 })
  })
})

describe('goods are moved and counted', () => {
  test('a transfer takes here, puts there, and is written down', async () => {
    await using house = await openFilled()
    const done = data(
      await move(house, 'cold', FLOUR, { ToBinId: 2, Amount: 1.25, Reason: 'full' }),
    )
    const [transfer] = (await house.table('east', 'transfers')).Rows
    expect(transfer).toMatchObject({ Reason: 'full' })
    expect(transfer?.Number).toMatch(/^EAST-T-\d{4}-001$/)
    expect(done.Dispatch.at(-1)).toMatchObject({
      Message: `${String(transfer?.Number)}: 1.25 Kilograms left`,
    })
    const lines = (await house.table('east', 'transfer-lines')).Rows
    expect(lines.map((row) => [row.BinId__Label, row.Quantity])).toEqual([
      ['C-IN', -1.25],
      ['C-1', 1.25],
    ])
    expect((await house.table('east', 'items')).Rows[1]).toMatchObject({ Here: 2.5 })
  })

  test('not more than is there, not into what is blocked, not from another zone', async () => {
    await using house = await openFilled()
    await house.save('east', 'Bins', { Id: 4, Blocked: true })
    const before = await stockOf(house)
    const over = refusal(await move(house, 'east', BOXES, { ToBinId: 2, Amount: 11 }), 400)
    expect(over.error).toBe('Not that many are there')
    const half = refusal(await move(house, 'east', BOXES, { ToBinId: 2, Amount: 0.5 }), 400)
    expect(half.error).toContain('Not to be divided')
    const shut = refusal(await move(house, 'east', BOXES, { ToBinId: 4, Amount: 1 }), 400)
    expect(Object.keys(shut.fieldErrors ?? {})).toEqual(['ToBinId'])
    const far = refusal(await move(house, 'east', BOXES, { ToBinId: 5, Amount: 1 }), 400)
    expect(Object.keys(far.fieldErrors ?? {})).toEqual(['ToBinId'])
    refusal(await move(house, 'dry', BOXES, { ToBinId: 2, Amount: 1 }), 404)
    refusal(await move(house, 'west', BOXES, { ToBinId: 5, Amount: 1 }), 404)
    refusal(await move(house, 'buyer', BOXES, { ToBinId: 2, Amount: 1 }), 401)
    expect(await stockOf(house)).toEqual(before)
    expect((await house.table('east', 'transfers')).Rows).toEqual([])
  })

  test('what is counted is stamped, one by one or together', async () => {
    await using house = await openFilled()
    const counted = await house.save('cold', 'stock', { ...BOXES, Quantity: 9 })
    expect(counted.Values).toMatchObject({ Quantity: 9, Unit: 'Pieces' })
    expect(counted.Values.CountedAt).toBeTruthy()
    refusal(await house.submit('cold', 'stock', { ...BOXES, Quantity: -1 }), 400)
    const again = { BinId: 1, Sku: 'BX-001', Quantity: 3 }
    const keys = [BOXES, FLOUR]
    data(await house.act('cold', 'stock', 'Found', {}, { Keys: keys }))
    refusal(
      await house.act(
        'cold',
        'stock',
        'Found',
        {},
        { Keys: [...keys, { BinId: 3, Sku: 'TP-001' }] },
      ),
      404,
    )
    const rows = (await house.table('cold', 'stock')).Rows
    expect(rows.map((row) => [row.Sku, row.CountedAt !== null])).toEqual([
      ['BX-001', true],
      ['FL-001', true],
    ])
    refusal(await house.submit('cold', 'stock', again, { IsNew: true }), 401)
  })

  test('an empty place is reported, and taken off the list', async () => {
    await using house = await openFilled()
    const early = refusal(await house.remove('east', 'stock', BOXES), 400)
    expect(early.code).toBe('NOT_PERMITTED_NOW')
    data(await move(house, 'east', BOXES, { ToBinId: 2, Amount: 10 }))
    const [told] = await house.stored('SELECT * FROM svc_notifications')
    expect(told).toMatchObject({
      Title: 'BX-001 has left bin 1',
      Level: 'warning',
    })
    const { Rows } = await house.table('east', 'stock', { Preset: 'Empty' })
    expect(Rows[0]).toMatchObject({ ...BOXES, Permit__Move: false, Permit__Delete: true })
    data(await house.remove('east', 'stock', BOXES))
    expect((await stockOf(house)).map(([, bin]) => bin)).toEqual([2, 1, 3])
  })
})

test('what is short is ordered, once and numbered without a gap', async () => {
  await using house = await openFilled()
  const order = (as: string) => house.act(as, 'Items', 'Order', { Until: '2031-01-31' })
  refusal(await order('east'), 401)
  const enough = refusal(await order('buyer'), 400)
  expect(enough.error).toBe('Nothing is short')
  await house.save('east', 'stock', { ...BOXES, Quantity: 2 })
  await house.save('east', 'stock', { ...FLOUR, Quantity: 0.125 })
  data(await order('buyer'))
  const orders = (await house.table('buyer', 'purchase-orders')).Rows
  expect(orders).toMatchObject([{ Number: 'P000001', Lines: 2, NeededOn: '2031-01-31' }])
  const lines = (await house.table('buyer', 'purchase-lines')).Rows
  expect(lines.map((row) => [row.Sku, row.Quantity])).toEqual([
    ['BX-001', 3],
    ['FL-001', 0.375],
  ])
})
