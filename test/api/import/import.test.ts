/** Imports: what rows of a file become, and what becomes of the file when one of them is bad. */
import { expect, test } from 'bun:test'
import { startImports } from '../../support/imports.ts'

test('rows of a CSV become records, with defaults, labels and the caller’s zone', async () => {
  await using app = await startImports()
  const file =
    'Name;E-mail;Land;Status;Born;Seen;Limit;Vip\r\n' +
    'Ann;ann@x.org;Germany;Just come;1990-02-28;2026-07-01 12:30;10.5;true\r\n' +
    '"Bo ""B"" Li";bo@x.org;FR;;;;;\r\n'
  const headers = { 'X-TimeZone': 'Europe/Berlin' }
  const done = await app.take('clerk', { objectName: 'People', file, headers })
  expect(done).toEqual({
    ImportId: expect.any(String),
    Inserted: 2,
    Updated: 0,
    Skipped: 0,
    Failed: 0,
    Rows: 2,
    ErrorFile: null,
  })
  const { Rows } = await app.table('clerk', 'People', { Sort: [{ Field: 'Name' }] })
  expect(Rows).toMatchObject([
    {
      Name: 'Ann',
      LandId__Label: 'Germany',
      Status: 'new',
      Born: '1990-02-28',
      Seen: '2026-07-01T10:30:00.000Z',
      Limit: 10.5,
      Vip: true,
    },
    { Name: 'Bo "B" Li', LandId__Label: 'France', Status: null, Vip: null },
  ])
})

test('one bad row refuses all, told by its line and field', async () => {
  await using app = await startImports()
  const file =
    'Name,Email,LandId,Spent,Limit,Visits,Note,Status\n' +
    'Ann,ann@x.org,,,,,,\n' +
    ',no,Nowhere,5,1,x,,old\n' +
    '"two\nlines",two@x.org,,,,13,,\n' +
    'Cy,ann@x.org,Italy,,,,,\n' +
    ',dee@x.org\n'
  const { status, body } = await app.send('clerk', { objectName: 'People', file })
  expect(status).toBe(400)
  expect(body.error).toBe('3 rows have errors. Nothing was imported.')
  expect(body.fieldErrors).toEqual({
    'Rows[3].LandId': 'Land: there is no such land',
    'Rows[3].Visits': 'Must be a whole number',
    'Rows[6].LandId': 'Land: there is no such land',
    'Rows[7].Name': 'Name is required',
  })
  expect((await app.table('clerk', 'People')).Rows).toEqual([])
})

test('skip writes the good rows; the file with the others can be mended and sent', async () => {
  await using app = await startImports()
  const file = 'Name,Email,Visits\nAnn,ann@x.org,1\n,=1+1,2\nCy,cy@x.org,13\nDee,dee@x.org,4\n'
  const first = await app.take('clerk', { objectName: 'People', file, fields: { onError: 'skip' } })
  expect(first).toMatchObject({ Inserted: 2, Failed: 2, Rows: 4 })
  const errors = await app.app.fetch(first.ErrorFile?.Url ?? '', { as: 'clerk' })
  expect(errors.text.replace('\uFEFF', '')).toBe(
    'Name,Email,Visits,Error\r\n' +
      `,'=1+1,2,"Name: Name is required; Email: E-mail is not in the expected ` +
      'format"\r\n' +
      'Cy,cy@x.org,13,Visits: Thirteen is not allowed\r\n',
  )
  const mended = errors.text
    .replace(',13,', ',12,')
    .replace(",'=1+1", 'Bo,bo@x.org')
    .replaceAll(/".*"/g, '')
  const next = await app.take('clerk', { objectName: 'People', file: mended })
  expect(next).toMatchObject({ Inserted: 2, Failed: 0, ErrorFile: null })
})

test('update and upsert find records by key fields; what the file leaves out stays', async () => {
  await using app = await startImports()
  const people = 'Name,Email,Note,Visits\nAnn,ann@x.org,first,1\nBo,bo@x.org,second,2\n'
  await app.take('clerk', { objectName: 'People', file: people })
  const by = { mode: 'update', keyFields: 'Email' }
  const changed = await app.take('clerk', {
    objectName: 'People',
    file: 'Email,Visits,Note\nann@x.org,7,\nbo@x.org,2,second\n',
    fields: by,
  })
  expect(changed).toMatchObject({ Inserted: 0, Updated: 1, Skipped: 1, Rows: 2 })
  const refused = await app.send('clerk', {
    objectName: 'People',
    file: 'Email,Visits\nnobody@x.org,7\nann@x.org,1\nann@x.org,2\n',
    fields: by,
  })
  expect(refused.body.fieldErrors).toEqual({
    'Rows[2].Email': 'There is no such person',
    'Rows[4]': 'An earlier row of the file has the same record',
  })
  const both = await app.take('clerk', {
    objectName: 'People',
    file: 'Email,Name,Visits\nann@x.org,Anna,8\ncy@x.org,Cy,9\n',
    fields: { mode: 'upsert', keyFields: 'Email' },
  })
  expect(both).toMatchObject({ Inserted: 1, Updated: 1 })
  const { Rows } = await app.table('clerk', 'People', { Sort: [{ Field: 'Email' }] })
  expect(Rows).toMatchObject([
    { Name: 'Anna', Visits: 8, Note: null, Status: 'new' },
    { Name: 'Bo', Visits: 2, Note: 'second' },
    { Name: 'Cy', Visits: 9, Status: 'new' },
  ])
})

test('a stamp in the file must be the record’s; a Permit holds', async () => {
  await using app = await startImports()
  const file = 'Name,Email\nAnn,ann@x.org\nFixed,fix@x.org\n'
  await app.take('clerk', { objectName: 'People', file })
  const { Rows } = await app.table('clerk', 'People', { Sort: [{ Field: 'Email' }] })
  const stamp = String(Rows[0]?.RowVersion)
  const rows = `Id,RowVersion,Visits\n${Rows[0]?.Id},${stamp},1\n${Rows[1]?.Id},,1\n`
  const fields = { mode: 'update' }
  const { body } = await app.send('clerk', { objectName: 'People', file: rows, fields })
  expect(body.fieldErrors).toEqual({
    'Rows[3]': 'This is not possible in the current state of the record',
  })
  const own = `Id,RowVersion,Visits\n${Rows[0]?.Id},${stamp},1\n`
  await app.take('clerk', { objectName: 'People', file: own, fields })
  const again = `Id,RowVersion,Visits\n${Rows[0]?.Id},${stamp},2\n`
  const stale = await app.send('clerk', { objectName: 'People', file: again, fields })
  expect(stale.body.fieldErrors).toEqual({
    'Rows[2].RowVersion': 'The record has changed since the file was made',
  })
})

test('a caller imports among their own rows and fields only', async () => {
  await using app = await startImports()
  const hidden = 'Name,Email,Status,Note,Limit\nAnn,ann@x.org,old,n,5\nBo,bo@x.org,new,,5\n'
  await app.take('clerk', { objectName: 'People', file: hidden })
  const refused = await app.send('narrow', {
    objectName: 'People',
    file: 'Name,Email,Status,Note\nCy,cy@x.org,old,n\nDee,dee@x.org,new,\n',
  })
  expect(refused.body.fieldErrors).toEqual({
    'Rows[2]': 'Not saved: you would lose access to this record',
  })
  const fields = { mode: 'update', keyFields: 'Email' }
  const unseen = await app.send('narrow', {
    objectName: 'People',
    file: 'Email,Name\nann@x.org,Hacked\n',
    fields,
  })
  expect(unseen.body.fieldErrors).toEqual({ 'Rows[2].Email': 'There is no such person' })
  await app.take('narrow', {
    objectName: 'People',
    file: 'Email,Name,Limit,CompanyId\nbo@x.org,Bob,999,2\n',
    fields,
  })
  const { Rows } = await app.table('clerk', 'People', { Sort: [{ Field: 'Email' }] })
  expect(Rows).toMatchObject([{ Name: 'Ann' }, { Name: 'Bob', Limit: 5 }])
  expect((await app.send('looker', { objectName: 'People', file: 'Name\nX\n' })).status).toBe(401)
})

test('numbers of sequences are drawn, stamps and audit are those of a submit', async () => {
  await using app = await startImports()
  const bills = await app.take('clerk', { objectName: 'Bills', file: 'Sum,Number\n1,\n2,\n' })
  expect(bills.Inserted).toBe(2)
  const { Rows } = await app.table('clerk', 'Bills', { Sort: [{ Field: 'Id' }] })
  expect(Rows.map(({ Number }) => Number)).toEqual(['B-0001', 'B-0002'])
  await app.take('clerk', { objectName: 'People', file: 'Name,Email\nAnn,ann@x.org\n' })
  await app.save('clerk', 'People', { Name: 'Bo', Email: 'bo@x.org' })
  const audit = await app.app.store.all({
    sql: `SELECT Source, Action, Changes FROM svc_audit WHERE Entity = 'Person' ORDER BY Id`,
    args: {},
    runs: 'lane',
  })
  const [imported, submitted] = audit.map(({ Changes, ...row }) => ({
    ...row,
    columns: Object.keys(JSON.parse(String(Changes)) as object),
  }))
  expect(imported).toEqual(submitted)
})

test('a dry run checks everything and writes nothing', async () => {
  await using app = await startImports()
  const fields = { dryRun: 'true' }
  const file = 'Name,Email\nAnn,ann@x.org\n'
  expect(await app.take('clerk', { objectName: 'People', file, fields })).toMatchObject({
    ImportId: null,
    Inserted: 1,
  })
  const bad = await app.send('clerk', {
    objectName: 'People',
    file: 'Name,Email,Visits\nAnn,ann@x.org,13\n',
    fields,
  })
  expect(bad.body.fieldErrors).toEqual({ 'Rows[2].Visits': 'Thirteen is not allowed' })
  expect((await app.table('clerk', 'People')).Rows).toEqual([])
})

test('heads are mapped, unknown and doubled ones refused', async () => {
  await using app = await startImports()
  const mapping = JSON.stringify({ Who: 'Name', Mail: 'E-mail', Junk: null })
  const file = 'Who,Mail,Junk\nAnn,ann@x.org,zzz\n'
  await app.take('clerk', { objectName: 'People', file, fields: { mapping } })
  const german = 'Name der Person,E-mail,Status\nBo,bo@x.org,Gerade da\n'
  await app.take('clerk', { objectName: 'People', file: german })
  for (const [head, error] of [
    ['Name,Email,What', "'People' has no field 'What'"],
    ['Name,Email,name', "The column 'name' is there twice"],
    ['__proto__,Name', "'People' has no field '__proto__'"],
  ] as const) {
    const { status, body } = await app.send('clerk', { objectName: 'People', file: `${head}\n` })
    expect([status, body.error]).toEqual([400, error])
  }
})

test('the label of a key beside it is no value of a field that is named so', async () => {
  await using app = await startImports()
  const file = 'Name,Land,Land (MadeIn)\nbolt,Germany,1\n'
  await app.take('clerk', { objectName: 'Parts', file })
  const both = 'Name,Origin,Land (MadeIn__Label)\nnut,here,France\n'
  await app.take('clerk', { objectName: 'Parts', file: both })
  const { Rows } = await app.table('clerk', 'Parts', { Sort: [{ Field: 'Name' }] })
  expect(Rows).toMatchObject([
    { Land: null, MadeIn: 1 },
    { Land: 'here', MadeIn: 2 },
  ])
})

test('a repeat under the same key gets the same answer and imports nothing', async () => {
  await using app = await startImports()
  const headers = { 'Idempotency-Key': 'import-1' }
  const sending = { objectName: 'Readings', file: 'Code,Value\nA,1\n', headers }
  const first = await app.send('clerk', sending)
  const again = await app.send('clerk', sending)
  expect(again.text).toBe(first.text)
  expect(again.headers.get('Idempotency-Replayed')).toBe('true')
  expect((await app.table('clerk', 'Readings')).Rows).toHaveLength(1)
})

test('rows that are written one by one have the columns of their own file', async () => {
  await using app = await startImports()
  for (const file of ['Sum\n1\n', 'Sum,Note\n2,two\n', 'Note,Sum\nthree,3\n', 'Note\nfour\n'])
    await app.take('clerk', { objectName: 'Bills', file })
  expect(await app.stored('SELECT Number, Sum, Note FROM bills ORDER BY Id')).toEqual([
    { Number: 'B-0001', Sum: 1, Note: null },
    { Number: 'B-0002', Sum: 2, Note: 'two' },
    { Number: 'B-0003', Sum: 3, Note: 'three' },
    { Number: 'B-0004', Sum: null, Note: 'four' },
  ])
})
