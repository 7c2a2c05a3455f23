/** How a file writes numbers, days, and yes or no. */
import { expect, test } from 'bun:test'
import { findCulture } from '../../../src/engine/object/import/import-culture.ts'
import { type Imports, type Sending, startImports } from '../../support/imports.ts'
import { refusal } from '../../support/objects.ts'
import { textRow, workbook } from '../../support/workbook.ts'

type Given = Omit<Sending, 'objectName' | 'headers'> & { language?: string }

const send = (app: Imports, { language, ...given }: Given) =>
  app.send('clerk', {
    objectName: 'People',
    ...given,
    ...(language !== undefined && { headers: { 'Accept-Language': language } }),
  })

const COLUMNS = 'Name, Born, Seen, "Limit", Visits, Vip'

/** The row that the one row of a file becomes. */
async function take(app: Imports, given: Given) {
  const { status, body } = await send(app, given)
  if (status !== 200) return { [status]: body.fieldErrors ?? body.code }
  const [row] = await app.stored(`SELECT ${COLUMNS} FROM people ORDER BY Id DESC LIMIT 1`)
  await app.app.store.write((tx) => tx.run('DELETE FROM people'), {
    company: 'all',
    because: 'a test',
  })
  return row
}

const ROW = {
  Name: 'A',
  Born: '2026-02-01',
  Seen: '2026-02-01T13:30:00.000Z',
  Limit: 1234.5,
  Visits: 1000,
  Vip: 1,
}
const HEAD = 'Name;Email;Born;Seen;Limit;Visits;Vip'

test('a culture that is named tells the decimal mark, the order of days, yes and no', async () => {
  await using app = await startImports()
  const rows: [string, string][] = [
    ['de-DE', 'A;a@x;01.02.2026;1.2.2026 13:30;1.234,50;1.000;ja'],
    ['en-US', 'A;a@x;02/01/2026;2/1/2026 1:30 PM;1,234.5;1,000;Yes'],
    ['en-GB', 'A;a@x;01/02/2026;01/02/2026, 13:30;1,234.5;"1,000";TRUE'],
    ['fr-FR', 'A;a@x;01/02/2026;01/02/2026 13:30:00;1\u202F234,5;1 000;oui'],
    ['de-CH', "A;a@x;1.2.2026;2026-02-01 13:30;1’234.5;1'000;wahr"],
    ['sv_SE', 'A;a@x;2026-02-01;2026-02-01T13:30:00Z;+1\u00A0234,5;1000;1'],
  ]
  for (const [culture, row] of rows) {
    const file = `${HEAD}\n${row}\n`
    expect([culture, await take(app, { file, fields: { culture } })]).toEqual([culture, ROW])
  }
})

test('what is none of the culture is a fault, and never read by another one', async () => {
  await using app = await startImports()
  const file = 'Name;Email;Born;Limit;Visits;Vip\nA;a@x;13/14/2026;10.5;1,5;oui\n'
  const told = await send(app, { file, fields: { culture: 'de-DE' } })
  expect(refusal(told, 400).fieldErrors).toEqual({
    'Rows[2].Born': 'Must be a date (YYYY-MM-DD)',
    'Rows[2].Limit': 'Must be a number',
    'Rows[2].Visits': 'Must be a whole number',
    'Rows[2].Vip': 'Must be true or false',
  })
  const american = 'Name;Email;Born\nA;a@x;31/12/2026\n'
  const fields = { culture: 'en-US' }
  expect(refusal(await send(app, { file: american, fields }), 400).fieldErrors).toEqual({
    'Rows[2].Born': 'Must be a date (YYYY-MM-DD)',
  })
})

test('else it is the language of the request, where the file alone does not tell', async () => {
  await using app = await startImports()
  const limit = async (given: Given) => (await take(app, given))?.Limit
  const semicolons = 'Name;Email;Limit\nA;a@x;1.234\n'
  expect(await limit({ file: semicolons, language: 'de' })).toBe(1234)
  expect(await limit({ file: semicolons, language: 'en' })).toBe(1.23)
  // A comma between cells, numbers of a workbook or of JSON: a dot is a dot.
  expect(await limit({ file: 'Name,Email,Limit\nA,a@x,1.234\n', language: 'de' })).toBe(1.23)
  const json = '{"Name":"A","Email":"a@x","Limit":1.234}\n'
  const fields = { culture: 'de-DE' }
  expect(await limit({ file: json, fileName: 'a.jsonl', fields })).toBe(1.23)
  const text = json.replace('1.234', '"1.234"')
  expect(await limit({ file: text, fileName: 'a.jsonl', fields })).toBe(1234)
  expect(await limit({ file: text, fileName: 'a.jsonl', language: 'de' })).toBe(1.23)
  const begin = textRow('Name', 'Email', 'Limit') + textRow('A', 'a@x').replace('</row>', '')
  const names = (cell: string) => workbook({ rows: `${begin}${cell}</row>` })
  const typed = { file: names('<c><v>1.234</v></c>'), fileName: 'a.xlsx', language: 'de' }
  expect(await limit(typed)).toBe(1.23)
  const written = names('<c t="inlineStr"><is><t>1.234</t></is></c>')
  expect(await limit({ ...typed, file: written })).toBe(1234)
  expect(await limit({ ...typed, file: written, fields: { culture: 'en' } })).toBe(1.23)
  const day = 'Name,Email,Born\nA,a@x,01/02/2026\n'
  expect((await take(app, { file: day, language: 'en-GB,en;q=0.8' }))?.Born).toBe('2026-02-01')
  expect((await take(app, { file: day, language: 'en-US' }))?.Born).toBe('2026-01-02')
})

test('one order of day and month holds for a column: it tells, or the language does', async () => {
  await using app = await startImports()
  const born = async (days: string[], given: Omit<Given, 'file'>) => {
    const file = `Name,Email,Born\n${days.map((day, at) => `A${at},a${at}@x,${day}\n`).join('')}`
    const { status, body } = await send(app, { file, ...given })
    if (status !== 200) return [body.code, Object.keys(body.fieldErrors ?? {})]
    const rows = await app.stored('SELECT Born FROM people ORDER BY Id')
    await app.app.store.write((tx) => tx.run('DELETE FROM people'), {
      company: 'all',
      because: 'a test',
    })
    return rows.map((row) => row.Born)
  }
  const open = ['03/04/2026']
  for (const language of ['fr-FR,fr;q=0.9', 'es', 'nl', 'pt-BR', 'it', 'pl', 'sv', 'en-GB', 'de'])
    expect([language, await born(open, { language })]).toEqual([language, ['2026-04-03']])
  expect(await born(open, { language: 'en;q=0.9,xx;q=0.1,en-US;q=0.8' })).toEqual(['2026-03-04'])
  // Plain English is written in both, and Japanese begins with the year.
  for (const language of ['en', 'ja', 'fr;q=0,en'])
    expect(await born(open, { language })).toEqual(['DAY_ORDER_UNKNOWN', ['Rows[2].Born']])
  expect(await born(open, { language: 'en', fields: { culture: 'en' } })).toEqual([
    ...['DAY_ORDER_UNKNOWN', ['Rows[2].Born']],
  ])
  expect(await born(open, { language: 'en', fields: { culture: 'sv' } })).toEqual(['2026-04-03'])
  // Some rows tell it for all, also when they stand far below and the language says otherwise.
  const many = [...Array<string>(1500).fill('03/04/2026'), '2026-01-01', '13/01/2026']
  const [first, , last] = [...new Set(await born(many, { language: 'en-US' }))]
  expect([first, last]).toEqual(['2026-04-03', '2026-01-13'])
  expect(await born(['3/4/2026', '3/14/2026'], { language: 'de' })).toEqual([
    ...['2026-03-04', '2026-03-14'],
  ])
  expect(await born(['05/05/2026', '04.03.2026'], { language: 'en' })).toEqual([
    ...['2026-05-05', '2026-03-04'],
  ])
  const ways: Record<string, string>[] = [{}, { dryRun: 'true' }, { onError: 'skip' }]
  for (const fields of ways)
    expect(await born(['13/01/2026', '01/13/2026'], { language: 'de', fields })).toEqual([
      ...['VALIDATION_FAILED', ['Rows[2].Born', 'Rows[3].Born']],
    ])
  const json = { file: '{"Name":"A","Email":"a@x","Born":"03/04/2026"}\n', fileName: 'a.jsonl' }
  const sheet = textRow('Name', 'Email', 'Born') + textRow('A', 'a@x', '03/04/2026')
  for (const given of [json, { file: workbook({ rows: sheet }), fileName: 'a.xlsx' }]) {
    expect(refusal(await send(app, { ...given, language: 'en' }), 400).error).toContain('culture')
    expect((await take(app, { ...given, language: 'pl' }))?.Born).toBe('2026-04-03')
  }
})

test('rows that are given back keep the order that the other rows of their file told', async () => {
  await using app = await startImports()
  const file = 'Name,Email,Born\nA,a@x,13/01/2026\n,b@x,03/04/2026\n'
  const told = await send(app, { file, language: 'en-US', fields: { onError: 'skip' } })
  const url = told.body.data?.Import?.ErrorFile?.Url ?? ''
  const given = (await app.app.fetch(url, { as: 'clerk' })).text
  expect(given).toContain('2026-04-03')
  expect(given).not.toContain('03/04/2026')
})

test('an unknown culture is a 400, before the file is read', async () => {
  await using app = await startImports()
  for (const culture of ['xx-YY', 'de-QX', 'klingon', 'de-DE-x', '../de', '__proto__']) {
    const told = await send(app, { file: 'no file at all', fields: { culture } })
    expect([culture, refusal(told, 400).code]).toEqual([culture, 'UNKNOWN_CULTURE'])
  }
})

test('cultures with other digits, groups and calendars', () => {
  const read = (tag: string, text: string) => findCulture(tag).readNumber(text)
  expect(read('hi-IN', '12,34,567.5')).toBe('1234567.5')
  expect(read('hi-IN', '1,234,567.5')).toBeUndefined()
  expect(read('ar-EG', '١٬٢٣٤٫٥')).toBe('1234.5')
  expect(read('pl-PL', '−1 234,5e3')).toBe('-1234.5e3')
  expect(read('de-DE', '1.23')).toBeUndefined()
  expect(read('en-US', ',')).toBeUndefined()
  expect(findCulture('hu-HU').readDay('2026. 07. 01.')).toBe('2026-07-01')
  expect(findCulture('th-TH').readDay('1/7/2569')).toBeUndefined()
  expect(findCulture('en-US').readDay('7/1/26')).toBe('2026-07-01')
})

test('days with a time behind them, and times as people and programs write them', async () => {
  await using app = await startImports()
  const born = async (day: string, seen: string, wakes: string) => {
    const file = `Name,Email,Born,Seen,Wakes\nA,a@x,${day},${seen},${wakes}\n`
    const { status, body } = await send(app, { file, fields: { culture: 'en-US' } })
    if (status !== 200) return body.fieldErrors
    const [row] = await app.stored('SELECT Born, Seen, Wakes FROM people ORDER BY Id DESC LIMIT 1')
    await app.app.store.write((tx) => tx.run('DELETE FROM people'), {
      company: 'all',
      because: 'a test',
    })
    return Object.values(row ?? {})
  }
  const seen = '2009-02-01T08:05:00.000Z'
  const rows = [
    ['2009-02-01 00:00:00', '2009-02-01 08:05:00', '08:05:00 AM'],
    ['2009-02-01T08:05:00Z', '2009-02-01 08:05:00 AM', '8:05 a.m.'],
    ['2009-02-01 23:59:59.123', '2/1/2009 8:05:00 AM', '08:05'],
    ['2/1/2009 11:30 PM', '2009-02-01T08:05', '8.05'],
    ['2009-01-31T23:30:00-01:00', '2009-02-01T08:05:00Z', '08:05:00'],
  ] as const
  for (const [day, instant, time] of rows)
    expect([day, await born(day, instant, time)]).toEqual([day, ['2009-02-01', seen, '08:05:00']])
  for (const day of ['2/1/2009 25:00', '2009-02-01 12:61', '2009-02-01T23:59:60', '2/1/2009 24:00'])
    expect([day, await born(day, '', '')]).toEqual([
      day,
      { 'Rows[2].Born': 'Must be a date (YYYY-MM-DD)' },
    ])
  expect(await born('2009-02-01 late', '2009-02-01 13:05:00 PM', '13:05 PM')).toEqual({
    'Rows[2].Born': 'Must be a date (YYYY-MM-DD)',
    'Rows[2].Seen': expect.stringContaining('Must be a date and time'),
    'Rows[2].Wakes': expect.stringContaining('Must be a time'),
  })
  expect(findCulture('en-US').readTime('12:00:30 PM')).toBe('12:00:30')
  expect(findCulture('en-US').readTime('12:00 am')).toBe('00:00:00')
  expect(findCulture('de-DE').readTime('25 Uhr')).toBeUndefined()
})

test('years of two digits are 1950 to 2049, behind a dot or a slash', async () => {
  await using app = await startImports()
  const born = async (day: string, culture: string) => {
    const told = await take(app, { file: `Name;Email;Born\nA;a@x;${day}\n`, fields: { culture } })
    return told?.Born ?? told?.['400']
  }
  const refused = { 'Rows[2].Born': 'Must be a date (YYYY-MM-DD)' }
  const rows: [day: string, culture: string, stored: unknown][] = [
    ['1.5.26', 'de-DE', '2026-05-01'],
    ['01.05.49', 'de', '2049-05-01'],
    ['01.05.50', 'de', '1950-05-01'],
    ['31.12.99 23:59', 'de-AT', '1999-12-31'],
    ['5/1/26', 'en-US', '2026-05-01'],
    ['1/5/26', 'en-GB', '2026-05-01'],
    ['30.2.26', 'de', refused],
    ['1.5.6', 'de', refused],
    // Years come first where the culture has them there, and in `26-05-01` everywhere.
    ['26.05.01', 'hu-HU', refused],
    ['26-05-01', 'de', refused],
  ]
  for (const [day, culture, stored] of rows)
    expect([day, culture, await born(day, culture)]).toEqual([day, culture, stored])
  const file = 'Name,Email,Born\nA,a@x,3/4/26\nB,b@x,13/4/26\n'
  expect((await send(app, { file })).status).toBe(200)
  const all = await app.stored('SELECT Born FROM people ORDER BY Name')
  expect(all).toEqual([{ Born: '2026-04-03' }, { Born: '2026-04-13' }])
})

test('whole numbers, instants and flags come as databases and programs write them', async () => {
  await using app = await startImports()
  const head = 'Name;Email;Visits;Seen;Born;Vip'
  const rows: [culture: string, cells: string][] = [
    ['en', '1000.0;2026-02-01 14:30:00 +0100;2026-02-01 10:00:00.0000000 +00:00;t'],
    ['en', '1E3;Sun, 01 Feb 2026 13:30:00 GMT;Sun, 01 Feb 2026 13:30:00 GMT;1.0'],
    ['de', '1000,0;2026-02-01 13:30:00 UTC;2026-02-01T00:00:00.000000000001;Y'],
    ['de', '1.000,00;2026-02-01 13:30:00.000000000001;2026-02-01 09:00:00 UTC;-1'],
    ['en', '"1,000.0";2026-02-01T13:30:00Z;2026-02-01;on'],
  ]
  for (const [culture, cells] of rows) {
    const told = await take(app, { file: `${head}\nA;a@x;${cells}\n`, fields: { culture } })
    const { Visits, Seen, Born, Vip } = ROW
    expect([cells, told]).toEqual([cells, { Name: 'A', Visits, Seen, Born, Vip, Limit: null }])
  }
  const told = await take(app, { file: `${head}\nA;a@x;1.5;Mon, 01 Feb 2026 13:30 GMT;;2\n` })
  expect(told?.['400']).toEqual({
    'Rows[2].Visits': 'Must be a whole number',
    'Rows[2].Seen': expect.stringContaining('Must be a date and time'),
    'Rows[2].Vip': 'Must be true or false',
  })
})

test('labels match that are stored with blanks at their ends', async () => {
  await using app = await startImports()
  for (const [code, name] of ['Norway  ', ' Peru', 'Chile', 'Chile '].entries())
    await app.app.store.write(
      (tx) =>
        tx.silently(() =>
          tx.run('INSERT INTO lands (CompanyId, Code, Name) VALUES (1, @code, @name)', {
            code: String(code),
            name,
          }),
        ),
      { company: 'all', because: 'a test' },
    )
  const file = 'Name,Email,Land\nA,a@x,Norway\nB,b@x,Peru \nC,c@x,Chile\n'
  expect((await send(app, { file })).status).toBe(200)
  const stored = await app.stored(
    'SELECT l.Name FROM people p JOIN lands l ON l.Id = p.LandId ORDER BY p.Id',
  )
  // What is stored as it is written goes before what has blanks.
  expect(stored.map(({ Name }) => Name)).toEqual(['Norway  ', ' Peru', 'Chile'])
})
