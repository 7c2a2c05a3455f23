/** The code-defined report `record`: a record with its details, as its caller sees them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { refusal } from '../../support/objects.ts'
import { type PrintedRecords, startPrintedRecords } from '../../support/printed-records.ts'

interface Tables {
  DataSets: Record<string, { Rows: Record<string, unknown>[] }>
}

let gallery: PrintedRecords
beforeAll(async () => {
  gallery = await startPrintedRecords()
})
afterAll(() => gallery[Symbol.asyncDispose]())

const ask = (as: string, query: Record<string, string>) =>
  gallery.get<Tables>(as, 'record', { object: 'bills', format: 'json', ...query })

describe('the gate', () => {
  test('View of the object', async () => {
    refusal(await ask('nobody', { Id: '1' }), 401)
    expect((await ask('viewer', { Id: '1' })).status).toBe(200)
  })

  test('a record that the caller does not see reads as one that is not there', async () => {
    const missing = refusal(await ask('clerk', { Id: '77' }), 404)
    const hidden: [string, string][] = [
      ['clerk', '9'],
      ['north', '2'],
    ]
    for (const [as, Id] of hidden) {
      const { traceId, ...rest } = refusal(await ask(as, { Id }), 404)
      expect(traceId).toBeString()
      expect({ ...rest, traceId: '' }).toEqual({ ...missing, traceId: '' })
    }
  })

  test('allCompanies is true or false, as in a list', async () => {
    const odd = refusal(await ask('clerk', { Id: '1', allCompanies: 'foo' }), 400)
    expect(Object.keys(odd.fieldErrors ?? {})).toEqual(['allCompanies'])
  })

  test('without a key it is told which is missing', async () => {
    expect(refusal(await ask('clerk', {}), 400).fieldErrors).toEqual({ Id: 'Id is required' })
  })
})

describe('what it holds', () => {
  test('the fields that the caller sees, and details', async () => {
    const { DataSets } = (await ask('clerk', { Id: '1' })).body
    expect(DataSets.Bills?.Rows).toEqual([
      {
        Number: 'B1',
        ClientId: 1,
        ClientId__Label: 'Ærø',
        Status: 'paid',
        Total: 1234.5,
        Margin: 77777,
        Day: '2026-03-01',
      },
    ])
    expect(DataSets.Lines?.Rows).toEqual([
      { LineNo: 1, Text: 'first', Amount: 1200 },
      { LineNo: 2, Text: 'second', Amount: 34.5 },
    ])
  })

  test('no hidden field, and no detail without List on its view', async () => {
    const { body, text } = await ask('north', { Id: '1' })
    expect(Object.keys(body.DataSets)).toEqual(['Bills'])
    expect(Object.keys(body.DataSets.Bills?.Rows[0] ?? {})).not.toContain('Total')
    expect(text).not.toContain('1234.5')
  })

  test('csv is the record, or a detail', async () => {
    const own = await ask('clerk', { Id: '3', format: 'csv' })
    expect(own.text.split('\r\n')).toHaveLength(3)
    const lines = await ask('clerk', { Id: '1', format: 'csv', detail: 'lines' })
    expect(lines.text).toContain('second')
    const wrong = refusal(await ask('clerk', { Id: '1', format: 'csv', detail: 'Rows' }), 400)
    expect(wrong.fieldErrors).toEqual({ detail: 'must be one of: Lines' })
  })

  test('xlsx has a sheet for each', async () => {
    const book = await ask('clerk', { Id: '1', format: 'xlsx' })
    expect(book.status).toBe(200)
    expect(book.text.slice(0, 2)).toBe('PK')
  })
})
