/** Imports by those who mean harm: rows of the attack tables that only an import can open. */
import { expect, test } from 'bun:test'
import { startHardImports } from '../../support/hard-imports.ts'
import { startImports } from '../../support/imports.ts'
import { refusal } from '../../support/objects.ts'
import { textRow, workbook } from '../../support/workbook.ts'

const PEOPLE = 'Name,Email\nA,a@x\n'

test('a document nested deeper than it could be written is refused by its line', async () => {
  await using app = await startImports()
  const deep = `{"Name":${'['.repeat(50_000)}${']'.repeat(50_000)}}\n`
  const file = `{"Name":"A","Email":"a@x","Extra":null}\n{"Extra":${'['.repeat(9e4)}${']'.repeat(9e4)}}\n`
  for (const each of [deep, file]) {
    const sent = { objectName: 'People', file: each, fileName: 'p.jsonl' }
    const line = each === deep ? 1 : 2
    const told = refusal(await app.send('clerk', sent), 400)
    expect(told.error).toBe(`Line ${line} is not a JSON object`)
  }
})

test('keyFields tell nothing of hidden fields: they read like one that is not there', async () => {
  await using app = await startImports()
  const told = async (keyFields: string) => {
    const fields = { mode: 'update', keyFields }
    const answer = await app.send('narrow', { objectName: 'People', file: PEOPLE, fields })
    return refusal(answer, 400).error.replace(keyFields, '…')
  }
  expect(await told('Secret')).toBe(await told('Missing'))
})

test('API3 mass assignment: what is the server’s stays the server’s', async () => {
  await using app = await startImports()
  const file = 'Name,Email,CompanyId,CreatedBy,CreatedAt,RowVersion\nA,a@x,2,99,2001-01-01,55\n'
  const { body } = await app.send('clerk', { objectName: 'People', file })
  expect(body.data).toMatchObject({
    Ignored: ['CompanyId', 'CreatedBy', 'CreatedAt', 'RowVersion'],
  })
  const mapping = JSON.stringify({ X: 'CompanyId', Y: 'CreatedBy' })
  const mapped = 'Name,Email,X,Y\nB,b@x,2,88\n'
  await app.take('clerk', { objectName: 'People', file: mapped, fields: { mapping } })
  const rows = await app.stored(
    "SELECT Id, CompanyId, CreatedBy > 80 AS isTheirs, CreatedAt < '2002' AS isOld FROM people",
  )
  expect(rows).toEqual([1, 2].map((Id) => ({ Id, CompanyId: 1, isTheirs: 0, isOld: 0 })))
  const update = { mode: 'update', keyFields: 'Email' }
  const changed = 'Name,Email,Id,CompanyId\nC,a@x,78,2\n'
  await app.take('clerk', { objectName: 'People', file: changed, fields: update })
  const [first] = await app.stored("SELECT Id, CompanyId, Name FROM people WHERE Email = 'a@x'")
  expect(first).toEqual({ Id: 1, CompanyId: 1, Name: 'C' })
})

test('a unique value of a hidden row is refused like one of a shown row, unnamed', async () => {
  await using app = await startImports()
  await app.save('clerk', 'People', { Name: 'H', Email: 'hidden@x', Status: 'old', Note: 'n' })
  await app.save('clerk', 'People', { Name: 'S', Email: 'shown@x', Status: 'new' })
  const told = async (email: string, mode: string) => {
    const fields = { mode, keyFields: 'Name' }
    const file = `Name,Email\nNew,${email}\n`
    return refusal(await app.send('narrow', { objectName: 'People', file, fields }), 400)
  }
  for (const mode of ['insert', 'upsert']) {
    const { traceId: _a, ...hidden } = await told('hidden@x', mode)
    const { traceId: _b, ...shown } = await told('shown@x', mode)
    expect(hidden).toEqual(shown)
    expect(JSON.stringify(hidden)).not.toContain('hidden@x')
  }
})

test('a hidden row cannot be found, changed or told from none by its keys', async () => {
  await using app = await startImports()
  await app.save('clerk', 'People', { Name: 'H', Email: 'hidden@x', Status: 'old', Note: 'n' })
  const told = async (file: string, keyFields: string) => {
    const fields = { mode: 'update', keyFields }
    const sent = { objectName: 'People', file, fields }
    const { traceId: _, ...rest } = refusal(await app.send('narrow', sent), 400)
    return rest
  }
  expect(await told('Name,Email\nX,hidden@x\n', 'Email')).toEqual(
    await told('Name,Email\nX,nobody@x\n', 'Email'),
  )
  expect(await told('Id,Name\n1,X\n', 'Id')).toEqual(await told('Id,Name\n9,X\n', 'Id'))
  expect(await app.stored('SELECT Name FROM people')).toEqual([{ Name: 'H' }])
})

test('a field that is served nowhere finds no records and reads like a missing one', async () => {
  await using app = await startHardImports()
  await app.save('clerk', 'Docs', { Title: 'safe' })
  await app.app.store.write((tx) => tx.run(`UPDATE docs SET Pin = '4711'`), {
    company: 'all',
    because: 'a test',
  })
  const told = async (field: string, file: string) => {
    const fields = { mode: 'update', keyFields: field }
    const answer = await app.send('clerk', { objectName: 'Docs', file, fields })
    const { traceId: _, ...rest } = refusal(answer, 400)
    return JSON.stringify(rest).replaceAll(field, '…')
  }
  for (const head of ['Title', 'Title,…']) {
    const ask = (field: string) => {
      const row = head === 'Title' ? 'safe' : 'safe,4711'
      return told(field, `${head.replace('…', field)}\n${row}\n`)
    }
    expect(await ask('Pin')).toBe(await ask('Pen'))
  }
  const mapping = JSON.stringify({ X: 'Pin' })
  const sent = { objectName: 'Docs', file: 'Title,X\na,1\n', fields: { mapping } }
  expect(refusal(await app.send('clerk', sent), 400).code).toBe('UNKNOWN_HEAD')
})

test('who sees no rows finds none: update and upsert are denied before the file', async () => {
  await using app = await startHardImports()
  const send = (mode: string) => {
    const fields = { mode, keyFields: 'Title' }
    return app.send('blind', { objectName: 'Docs', file: 'this is no file of docs', fields })
  }
  for (const mode of ['update', 'upsert']) {
    const told = await send(mode)
    expect([told.status, told.body.code]).toEqual([401, 'PERMISSION_DENIED'])
  }
  expect(refusal(await send('insert'), 400).code).toBe('UNKNOWN_HEAD')
  expect(await app.take('blind', { objectName: 'Docs', file: 'Title\nnew\n' })).toMatchObject({
    Inserted: 1,
  })
})

test('undo after the right was removed is denied, and remembers nothing for them', async () => {
  await using app = await startImports()
  const { ImportId } = await app.take('clerk', { objectName: 'People', file: PEOPLE })
  const path = `/api/v1/svc/object/import-data/${ImportId}/undo`
  const headers = { 'Idempotency-Key': 'undo' }
  const undo = (as: string) => app.app.fetch(path, { as, method: 'POST', headers })
  expect((await undo('clerk')).status).toBe(200)
  expect((await undo('clerk')).headers.get('Idempotency-Replayed')).toBe('true')
  await app.app.store.write((tx) => tx.run('DELETE FROM svc_user_roles'), {
    company: 'all',
    because: 'a test',
  })
  app.app.context.callers.forgetAll()
  expect((await undo('clerk')).status).toBe(401)
})

test('forms of one user that come in together are bounded, and so are their imports', async () => {
  await using app = await startImports({ settings: { 'Svc:Imports:Concurrency': '1' } })
  const rows = Array.from({ length: 400 }, (_, at) => at)
  const send = (nth: number) =>
    app.send('clerk', {
      objectName: 'Readings',
      file: `Code,Value\n${rows.map((at) => `c${nth}-${at},1\n`).join('')}`,
    })
  const answers = await Promise.all(Array.from({ length: 12 }, (_, nth) => send(nth)))
  const statuses = answers.map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  const done = statuses.filter((status) => status === 200).length
  const [stored] = await app.stored('SELECT count(*) AS Rows FROM readings')
  expect(stored?.Rows).toBe(done * rows.length)
  expect((await send(99)).status).toBe(200)
})

test('a file with errors holds no formula, and nothing but what was sent', async () => {
  await using app = await startImports()
  await app.save('clerk', 'People', { Name: 'Other', Email: 'theirs@x' })
  const file = `Name,Email,"=HYPERLINK(""http://e"")"\n=1+1,theirs@x,\n@SUM(1),bad,\n`
  const mapping = JSON.stringify({ '=HYPERLINK("http://e")': null })
  const fields = { onError: 'skip', mapping }
  const { ErrorFile } = await app.take('clerk', { objectName: 'People', file, fields })
  const { text } = await app.app.fetch(ErrorFile?.Url ?? '', { as: 'clerk' })
  const [head, ...lines] = text.replace('\uFEFF', '').trimEnd().split('\r\n')
  expect(head).toBe(`Name,Email,"'=HYPERLINK(""http://e"")",Error`)
  expect(lines).toHaveLength(2)
  for (const line of lines) expect(line).toMatch(/^'[=@]/)
  expect(text).not.toContain('Other')
})

test('CVE-2024-22363: rows as wide as a sheet are not unfolded, and no cell is lost', async () => {
  await using app = await startImports()
  const cell = (at: string, text: string) =>
    `<c r="${at}" t="inlineStr"><is><t>${text}</t></is></c>`
  const row = (more: string) => `<row>${cell('A', 'A')}${cell('B', 'a@x')}${more}</row>`
  const rows = [
    cell('XFD', ''),
    cell('C', '') + cell('D', '') + cell('XFD', 'lost'),
    cell('D', 'x'),
  ]
  const head = `<row>${cell('A', 'Name')}${cell('B', 'Email')}${cell('XFD', ' ')}</row>`
  const wide = `<row>${cell('XFD', '1')}</row>`.repeat(20_000)
  const file = workbook({ rows: head + rows.map(row).join('') + wide })
  const told = refusal(
    await app.send('clerk', { objectName: 'People', file, fileName: 'p.xlsx' }),
    400,
  )
  expect(told.error).toBe('20002 rows have errors. Nothing was imported.')
  expect(Object.keys(told.fieldErrors ?? {}).slice(0, 2)).toEqual(['Rows[3]', 'Rows[4]'])
})

test('CVE-2023-30533: names in the parts of a workbook are names and nothing more', async () => {
  await using app = await startImports()
  const evil = '__proto__'
  const shared = `<sst><si><t>${evil}</t></si><si><t>constructor</t></si></sst>`
  const comments = `<comments><commentList><comment ref="${evil}"><text><t>x</t></text></comment></commentList></comments>`
  const row = `<row ${evil}="1"><c ${evil}="x" t="s"><v>0</v></c><c t="s" r="B"><v>${evil}</v></c></row>`
  const more = [
    { name: 'xl/comments1.xml', content: comments },
    { name: evil, content: 'polluted' },
    { name: `xl/${evil}/../${evil}`, content: 'polluted' },
  ]
  const file = workbook({ rows: textRow('Name', 'Email') + row, shared, more })
  refusal(await app.send('clerk', { objectName: 'People', file, fileName: 'p.xlsx' }), 400)
  const good = workbook({
    rows: textRow('Name', 'Email') + row.replace(`<v>${evil}</v>`, '<v>1</v>'),
    shared,
    more,
  })
  const told = await app.send('clerk', { objectName: 'People', file: good, fileName: 'p.xlsx' })
  expect(refusal(told, 400).fieldErrors).toEqual({ 'Rows[2].Email': expect.any(String) })
  expect(Reflect.get({}, 'x')).toBeUndefined()
})
