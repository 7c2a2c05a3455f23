/** The beginning of a file, its sheets, its mended cells, and the job of its import. */
import { expect, test } from 'bun:test'
import * as XLSX from 'xlsx'
import { type Imports, type Sending, startImports } from '../../support/imports.ts'
import { until } from '../../support/until.ts'

interface Preview {
  Sheets: string[]
  Sheet: string | null
  Columns: { Head: string; Name: string | null }[]
  Rows: { Line: number; Cells: (string | null)[] }[]
  Fields: { Name: string; Field: string; Label: string; Required: boolean; Key: boolean }[]
}

const preview = (app: Imports, as: string, sending: Sending) =>
  app.send<Preview>(as, sending, 'import-preview')

/** A workbook with these sheets. */
function book(sheets: Readonly<Record<string, unknown[][]>>): Uint8Array<ArrayBuffer> {
  const made = XLSX.utils.book_new()
  for (const [name, rows] of Object.entries(sheets))
    XLSX.utils.book_append_sheet(made, XLSX.utils.aoa_to_sheet(rows), name)
  return new Uint8Array(XLSX.write(made, { type: 'array', bookType: 'xlsx' }) as ArrayBuffer)
}

const TWO = book({
  Cover: [['Made by', 'Ann']],
  'New people': [
    ['Name', 'Email', 'Visits'],
    ['Ann', 'ann@x.org', 3],
    ['Bo', 'bo@x.org', 'many'],
  ],
})

test('heads say fields by name and label; a caller is offered those they may write', async () => {
  await using app = await startImports()
  const file = 'Name der Person;E-mail;Land;Rating;What\nAnn;ann@x.org;Germany;A;1\n\nBo;b;;;\n'
  const { status, body } = await preview(app, 'clerk', { objectName: 'People', file })
  expect([status, body.data.Sheets, body.data.Sheet]).toEqual([200, [], null])
  expect(body.data.Columns).toEqual([
    { Head: 'Name der Person', Name: 'Name' },
    { Head: 'E-mail', Name: 'Email' },
    { Head: 'Land', Name: 'LandId__Label' },
    { Head: 'Rating', Name: 'Secret' },
    { Head: 'What', Name: null },
  ])
  expect(body.data.Rows).toEqual([
    { Line: 2, Cells: ['Ann', 'ann@x.org', 'Germany', 'A', '1'] },
    { Line: 4, Cells: ['Bo', 'b', null, null, null] },
  ])
  const fields = new Map(body.data.Fields.map((each) => [each.Name, each]))
  expect(fields.get('Id')).toMatchObject({ Key: true, Required: false })
  expect(fields.get('Name')).toMatchObject({ Key: false, Required: true, Label: 'Name' })
  expect(fields.get('LandId__Label')).toMatchObject({ Field: 'LandId', Label: 'Land' })
  expect(fields.has('LandId')).toBe(false)
  const narrow = await preview(app, 'narrow', { objectName: 'People', file })
  expect(narrow.body.data.Columns[3]).toEqual({ Head: 'Rating', Name: null })
  expect(narrow.body.data.Fields.some(({ Name }) => Name === 'Limit' || Name === 'Secret')).toBe(
    false,
  )
})

test('a column that names a field by name and label at once is offered it once', async () => {
  await using app = await startImports()
  const offered = async (head: string) => {
    const sent = { objectName: 'People', file: `Name,${head}\nAnn,new\n` }
    const { body } = await preview(app, 'clerk', sent)
    expect(body.data.Columns[1]?.Name).not.toBeNull()
    return body.data.Fields.filter(({ Field }) => Field === 'Status').map(({ Label }) => Label)
  }
  expect(await offered('Status')).toEqual(['Status'])
  expect(await offered('Email')).toEqual(['Status'])
})

test('a file without rows, or of an object that is not theirs to import, is refused', async () => {
  await using app = await startImports()
  const sent = { objectName: 'People', file: '%PDF-1.7\n' }
  expect((await preview(app, 'looker', sent)).status).toBe(401)
  expect(await preview(app, 'clerk', sent)).toMatchObject({
    status: 400,
    body: { code: 'UNREADABLE_FILE' },
  })
  expect((await preview(app, 'clerk', { ...sent, file: '' })).body).toMatchObject({
    error: 'The file is empty',
  })
})

test('a sheet of a workbook is chosen by its name, and cells come mended', async () => {
  await using app = await startImports()
  const sent = { objectName: 'People', file: TWO, fileName: 'two.xlsx' }
  const first = await preview(app, 'clerk', sent)
  expect(first.body.data).toMatchObject({ Sheets: ['Cover', 'New people'], Sheet: 'Cover' })
  const fields = { sheet: 'New people' }
  const second = await preview(app, 'clerk', { ...sent, fields })
  expect(second.body.data.Columns.map(({ Name }) => Name)).toEqual(['Name', 'Email', 'Visits'])
  const unknown = await preview(app, 'clerk', { ...sent, fields: { sheet: 'Third' } })
  expect(unknown).toMatchObject({ status: 400, body: { code: 'UNKNOWN_SHEET' } })
  const check = { ...fields, dryRun: 'true', onError: 'skip' }
  const checked = await app.take('clerk', { ...sent, fields: check })
  expect(checked).toMatchObject({ Inserted: 1, Failed: 1, ImportId: null, ErrorFile: { Rows: 1 } })
  expect(checked.Faults).toEqual([
    {
      Line: 3,
      Cells: ['Bo', 'bo@x.org', 'many'],
      FieldErrors: { Visits: 'Must be a whole number' },
    },
  ])
  const cells = JSON.stringify({ 3: { visits: '7' } })
  expect(await app.take('clerk', { ...sent, fields: { ...fields, cells } })).toMatchObject({
    Inserted: 2,
    Failed: 0,
  })
  const { Rows } = await app.table('clerk', 'People', { Sort: [{ Field: 'Name' }] })
  expect(Rows.map(({ Visits }) => Visits)).toEqual([3, 7])
  for (const wrong of ['[]', '{"a":{}}', '{"3":[]}', '{"3":{"Visits":7}}', 'cells']) {
    const refused = await app.send('clerk', { ...sent, fields: { ...fields, cells: wrong } })
    expect([wrong, refused.status]).toEqual([wrong, 400])
  }
})

test('an import in the background is followed, and cancelled, by who asked for it', async () => {
  await using app = await startImports()
  await app.app.context.jobs.stop()
  const file = 'Name,Email\nAnn,ann@x.org\n'
  const fields = { background: 'true' }
  const enqueue = async (): Promise<string> => {
    const { body } = await app.send('clerk', { objectName: 'People', file, fields })
    const { JobId } = body.data as unknown as { JobId: number }
    return `/api/v1/svc/object/import-data/${JobId}`
  }
  const ask = (path: string, as: string, method = 'GET') => app.app.fetch(path, { as, method })
  const cancelled = await enqueue()
  for (const as of ['looker', 'narrow', 'other', 'sys'])
    expect((await ask(cancelled, as)).status).toBe(404)
  expect((await ask(cancelled, 'clerk', 'DELETE')).body).toMatchObject({
    data: { State: 'Deleted', Import: null },
  })
  const path = await enqueue()
  await app.app.context.jobs.start()
  const isDone = async () =>
    ((await ask(path, 'clerk')).body as { data: { State: string } }).data.State === 'Succeeded'
  await until(isDone)
  expect((await ask(path, 'clerk')).body).toMatchObject({
    data: { Done: 1, Total: 1, Error: null, Import: { Inserted: 1, Failed: 0 } },
  })
  expect((await app.table('clerk', 'People', {})).Rows).toHaveLength(1)
})
