/**
 * The code-defined report `list` (src/server/README.md, Code-defined reports): a grid as its caller
 * sees it, in every format, and who may have it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type ExportedTypes, startExportedTypes } from '../../support/exported-types.ts'
import { refusal, type Refusal } from '../../support/objects.ts'

interface Entry {
  Key: string
  Label: string
  Parameters: { Name: string; Type: string; Required: boolean }[]
  Formats: string[]
}

interface Table {
  Columns: { Name: string; Label: string; Type: string }[]
  Rows: Record<string, unknown>[]
}

let yard: ExportedTypes
beforeAll(async () => {
  yard = await startExportedTypes()
  const rows = [
    { Code: 'A', Name: '=1+1', State: 'done', Amount: 10.5, Count: 1, KindId: 1, Region: 'north' },
    { Code: 'B', Name: 'say "x", y', State: 'new', Amount: 2.25, Count: 2, KindId: 2 },
    { Code: 'C', State: 'done', Amount: 1, Count: 3, KindId: 1, Region: 'south', Secret: 'canary' },
  ]
  for (const row of rows) await yard.save('lead', 'things', row)
  await yard.save('other', 'things', { Code: 'FOREIGN', Name: 'canary' })
})
afterAll(() => yard[Symbol.asyncDispose]())

const address = (key: string, query: Record<string, string>): string =>
  `/report/${key}?${new URLSearchParams(query).toString()}`

const ask = (as: string, query: Record<string, string> = {}, language?: string) =>
  yard.app.fetch<Refusal & { data: unknown; DataSets: Record<string, Table> }>(
    address('list', { object: 'things', ...query }),
    { as, ...(language !== undefined && { headers: { 'Accept-Language': language } }) },
  )

/** Rows of the JSON form. */
async function rows(as: string, query: Record<string, string> = {}) {
  const { status, body, text } = await ask(as, { format: 'json', ...query })
  expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' })
  return Object.values(body.DataSets)[0]?.Rows ?? []
}

const codes = async (as: string, query: Record<string, string> = {}) =>
  (await rows(as, query)).map(({ Code }) => Code)

describe('GET /report', () => {
  test('lists what the caller may have made', async () => {
    const { body } = await yard.app.fetch<{ data: Entry[] }>('/report', { as: 'lead' })
    const list = body.data.find(({ Key }) => Key === 'list')
    expect(list).toMatchObject({ Label: 'List', Formats: expect.arrayContaining(['csv', 'json']) })
    expect(list?.Parameters[0]).toMatchObject({ Name: 'object', Type: 'Text', Required: true })
    const { body: none } = await yard.app.fetch<{ data: Entry[] }>('/report', { as: 'reader' })
    expect(none.data.map(({ Key }) => Key)).not.toContain('list')
  })

  test('in the caller’s language', async () => {
    const headers = { 'Accept-Language': 'de' }
    const { body } = await yard.app.fetch<{ data: Entry[] }>('/report', { as: 'lead', headers })
    expect(body.data.find(({ Key }) => Key === 'list')?.Label).toBe('Liste')
  })
})

describe('the gate', () => {
  test('List and Export of the object', async () => {
    for (const as of ['reader', 'taker']) refusal(await ask(as), 401)
    refusal(await yard.app.fetch('/report/list?object=kinds', { as: 'lead' }), 401)
    expect((await yard.app.fetch('/report/list?object=things')).status).toBe(401)
  })

  test('a key or an object that is not there is 404, no object at all 400', async () => {
    refusal(await yard.app.fetch('/report/lists?object=things', { as: 'lead' }), 404)
    refusal(await yard.app.fetch('/report/list?object=nothing', { as: 'lead' }), 404)
    const { fieldErrors } = refusal(await yard.app.fetch('/report/list', { as: 'lead' }), 400)
    expect(fieldErrors).toEqual({ object: 'object is required' })
  })
})

describe('rows', () => {
  test('are those of the grid, in its order, and of the caller’s company alone', async () => {
    expect(await codes('lead')).toEqual(['C', 'B', 'A'])
    expect(await codes('other')).toEqual(['FOREIGN'])
  })

  test('filters, search, order, preset and fields are those of the grid', async () => {
    const filters = JSON.stringify([{ Field: 'Count', Operator: 'gt', Value: 1 }])
    expect(await codes('lead', { filters, sort: 'Count' })).toEqual(['B', 'C'])
    expect(await codes('lead', { search: 'say' })).toEqual(['B'])
    expect(await codes('lead', { preset: 'Done', sort: 'Amount desc, Code' })).toEqual(['A', 'C'])
    expect(await rows('lead', { fields: 'Code, Amount', search: 'say' })).toEqual([
      { Code: 'B', Amount: 2.25 },
    ])
  })

  test('records stand by what they are called', async () => {
    const [row] = await rows('lead', { fields: 'KindId__Label', sort: 'Code' })
    expect(row).toEqual({ KindId__Label: 'Iron' })
    expect(Object.keys((await rows('lead'))[0] ?? {})).toContain('KindId__Label')
    expect(Object.keys((await rows('lead'))[0] ?? {})).not.toContain('KindId')
  })

  test('a group stands together', async () => {
    expect(await codes('lead', { group: 'KindId', sort: 'Code' })).toEqual(['A', 'C', 'B'])
  })

  test('row filters of List and Export hold, hidden fields are not there', async () => {
    expect(await codes('rep')).toEqual(['A'])
    const [row] = await rows('rep')
    expect(Object.keys(row ?? {})).not.toContain('Amount')
    const queries: Record<string, string>[] = [
      { fields: 'Amount' },
      { sort: 'Amount' },
      { group: 'Amount' },
      { totals: 'Amount' },
      { filters: JSON.stringify([{ Field: 'Amount', Operator: 'gt', Value: 1 }]) },
    ]
    for (const query of queries) {
      const hidden = refusal(await ask('rep', query), 400)
      const nowhere = JSON.parse(JSON.stringify(query).replaceAll('Amount', 'Nosuch')) as Record<
        string,
        string
      >
      const missing = refusal(await ask('rep', nowhere), 400)
      expect(hidden.error).toBe(missing.error.replaceAll('Nosuch', 'Amount'))
    }
  })

  test('a field that no export has is refused', async () => {
    refusal(await ask('lead', { fields: 'Secret' }), 400)
    expect((await ask('lead', { format: 'json' })).text).not.toContain('canary')
  })
})

describe('parameters', () => {
  const wrong: Readonly<Record<string, Record<string, string>>> = {
    filters: { filters: '[{' },
    parameters: { parameters: '[1]' },
    sort: { sort: 'Code up' },
    totals: { totals: 'Name' },
    allCompanies: { allCompanies: 'perhaps' },
    format: { format: 'docx' },
    inline: { inline: 'yes please' },
  }
  for (const [name, query] of Object.entries(wrong))
    test(`a wrong ${name} is named`, async () => {
      const { fieldErrors } = refusal(await ask('lead', query), 400)
      expect(Object.keys(fieldErrors ?? {})).toEqual([name])
    })

  test('unknown ones are ignored, names of every object too', async () => {
    expect(await codes('lead', { unknown: '1', constructor: 'x', toString: 'y' })).toEqual([
      'C',
      'B',
      'A',
    ])
  })

  test('the rows of all companies are for System alone', async () => {
    expect(await codes('lead', { allCompanies: 'true' })).toEqual(['C', 'B', 'A'])
    expect(await codes('sys', { allCompanies: 'true' })).toContain('FOREIGN')
  })

  test('faults are told in German', async () => {
    const { body } = await ask('lead', { totals: 'Name' }, 'de')
    expect(JSON.stringify(body)).toContain('ist kein Zahlenfeld der Liste')
  })
})

describe('the file', () => {
  test('is an attachment that no browser runs, or shown in place', async () => {
    const { headers } = await ask('lead', { format: 'csv' })
    expect(headers.get('Content-Disposition')).toMatch(
      /^attachment; filename="Things [\d-]+\.csv"$/,
    )
    expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('Content-Security-Policy')).toBe('sandbox')
    const shown = await ask('lead', { format: 'json', INLINE: 'true' })
    expect(shown.headers.get('Content-Disposition')).toMatch(/^inline;/)
    const book = await ask('lead', { format: 'xlsx', inline: 'true' })
    expect(book.headers.get('Content-Disposition')).toMatch(/^attachment;/)
  })

  test('csv has no formulas', async () => {
    const { text } = await ask('lead', { format: 'csv', fields: 'Code,Name', sort: 'Code' })
    expect(text).toBe(`Code,Title\r\nA,'=1+1\r\nB,"say ""x"", y"\r\nC,\r\n`)
  })

  test('stays nowhere, and counts among the caller’s files while it is made', async () => {
    await ask('lead', { format: 'xlsx' })
    await ask('lead', { format: 'csv', filters: '[{"Field":"Nosuch"}]' })
    expect(readdirSync(join(yard.app.folder, 'exports'))).toEqual([])
    expect(await yard.app.state.all('SELECT * FROM svc_exports')).toEqual([])
  })

  test('is noted in the audit log, with its hash', async () => {
    const { text } = await ask('lead', { format: 'csv' })
    const [entry] = await yard.app.store.all(
      `SELECT Action, Changes FROM svc_audit WHERE Source = 'report' ORDER BY Id DESC LIMIT 1`,
    )
    const hash = new Bun.CryptoHasher('sha256').update(`\uFEFF${text}`).digest('hex')
    expect(String(entry?.Changes)).toContain(hash)
  })

  test('HEAD has its headers', async () => {
    const path = address('list', { object: 'things', format: 'csv' })
    const answer = await yard.app.fetch(path, { as: 'lead', method: 'HEAD' })
    expect([answer.status, answer.text]).toEqual([200, ''])
  })
})
