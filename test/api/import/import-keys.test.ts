/** Keys that a file has for records whose keys the server gives, and what a file may not write. */
import { expect, test } from 'bun:test'
import { startHardImports } from '../../support/hard-imports.ts'
import { type Imports, startImports } from '../../support/imports.ts'
import { refusal } from '../../support/objects.ts'

const listNodes = (app: Imports) =>
  app.stored('SELECT Id, CompanyId, Name, ParentId FROM nodes ORDER BY Id')

test('values for an Identity key are refused, dry or not, unless they are kept', async () => {
  await using app = await startHardImports()
  const file = 'Id,Code,Name\n70,l,seventy\n'
  const ways: Record<string, string>[] = [{}, { dryRun: 'true' }, { onError: 'skip' }]
  for (const fields of ways) {
    const told = refusal(await app.send('clerk', { objectName: 'Nodes', file, fields }), 400)
    expect(told.code).toBe('KEYS_NOT_KEPT')
    expect(told.error).toBe("The server assigns the key 'Id'. Send keepKeys=true or no values.")
  }
  const blank = { objectName: 'Nodes', file: 'Id,Code,Name\n,a,one\n' }
  await app.take('clerk', blank)
  const mapping = JSON.stringify({ Id: null })
  await app.take('clerk', { objectName: 'Nodes', file, fields: { mapping } })
  expect((await listNodes(app)).map(({ Id }) => Id)).toEqual([1, 2])
  const upsert = { mode: 'upsert', keyFields: 'Code' }
  const told = await app.send('clerk', {
    objectName: 'Nodes',
    file: 'Id,Code,Name\n9,x,X\n',
    fields: upsert,
  })
  expect(refusal(told, 400).code).toBe('KEYS_NOT_KEPT')
})

test('kept keys are kept, gaps included, and numbers go on behind the greatest', async () => {
  await using app = await startHardImports()
  const fields = { keepKeys: 'true' }
  const file = 'Id,Code,Name,ParentId\n70,l,seventy,\n,n,numbered,\n7,g,seven,\n'
  const done = await app.take('clerk', { objectName: 'Nodes', file, fields })
  expect(done).toMatchObject({ Inserted: 3 })
  expect(await listNodes(app)).toEqual([
    { Id: 7, CompanyId: 1, Name: 'seven', ParentId: null },
    { Id: 70, CompanyId: 1, Name: 'seventy', ParentId: null },
    { Id: 72, CompanyId: 1, Name: 'numbered', ParentId: null },
  ])
  const { Keys } = (await app.submit('clerk', 'Nodes', { Code: 'x', Name: 'next' })).body.data
  expect(Keys).toEqual({ Id: 73 })
  expect((await app.call('clerk', `/import-data/${done.ImportId}/undo`, {})).status).toBe(200)
  expect((await listNodes(app)).map(({ Id }) => Id)).toEqual([73])
})

test('kept keys go with rows that are written one by one', async () => {
  await using app = await startHardImports()
  const file = 'Id,Title\n,first\n5,fifth\n'
  await app.take('clerk', { objectName: 'Tickets', file, fields: { keepKeys: 'true' } })
  expect(await app.stored('SELECT Id, Number, Title FROM tickets ORDER BY Id')).toEqual([
    { Id: 5, Number: 'T-0002', Title: 'fifth' },
    { Id: 6, Number: 'T-0001', Title: 'first' },
  ])
})

test('an upsert keeps the keys of records that are new', async () => {
  await using app = await startHardImports()
  const fields = { mode: 'upsert', keepKeys: 'true' }
  await app.take('clerk', { objectName: 'Nodes', file: 'Id,Code,Name\n4,d,four\n', fields })
  const both = await app.take('clerk', {
    objectName: 'Nodes',
    file: 'Id,Code,Name\n4,d,Four\n9,i,nine\n',
    fields,
  })
  expect(both).toMatchObject({ Inserted: 1, Updated: 1 })
  expect((await listNodes(app)).map(({ Id, Name }) => [Id, Name])).toEqual([
    [4, 'Four'],
    [9, 'nine'],
  ])
  const update = { mode: 'update', keepKeys: 'true' }
  const told = await app.send('clerk', {
    objectName: 'Nodes',
    file: 'Id,Name\n4,x\n',
    fields: update,
  })
  expect(refusal(told, 400).error).toBe('keepKeys can only be used for new records')
})

test('a taken key is its row’s fault, the same for hidden, shown and foreign records', async () => {
  await using app = await startHardImports()
  const keep = (as: string, Id: number, Title: string) => ({
    as,
    objectName: 'Docs',
    fields: { keepKeys: 'true' },
    file: `Id,Title,Region\n${Id},${Title},north\n`,
  })
  await app.save('clerk', 'Regions', { Code: 'north', IsOpen: true }, { IsNew: true })
  await app.take('clerk', keep('clerk', 1, 'hidden'))
  await app.take('other', keep('other', 2, 'foreign'))
  await app.take('clerk', keep('clerk', 3, 'shown'))
  await app.app.store.write((tx) => tx.run(`UPDATE docs SET Region = 'south' WHERE Id = 1`), {
    company: 'all',
    because: 'a test',
  })
  const told = await Promise.all(
    [1, 2, 3].map(async (Id) => {
      const answer = await app.send('regional', keep('regional', Id, `new${Id}`))
      const { traceId: _, ...rest } = refusal(answer, 400)
      return rest
    }),
  )
  expect(told[0]?.fieldErrors).toEqual({ 'Rows[2].Id': 'Id is already in use' })
  expect(told[1]).toEqual(told[0])
  expect(told[2]).toEqual(told[0])
  const twice = 'Id,Title\n8,a\n8,b\n'
  const sent = { objectName: 'Docs', file: twice, fields: { keepKeys: 'true' } }
  expect(refusal(await app.send('clerk', sent), 400).fieldErrors).toEqual({
    'Rows[3].Id': 'Id is already in use',
  })
})

test('a kept key leaves numbers for those that come after it', async () => {
  await using app = await startHardImports()
  const file = `Id,Code,Name\n${Number.MAX_SAFE_INTEGER},z,last\n`
  const sent = { objectName: 'Nodes', file, fields: { keepKeys: 'true' } }
  expect(refusal(await app.send('clerk', sent), 400).fieldErrors).toEqual({
    'Rows[2].Id': 'The number is too large',
  })
})

test('values for columns that are not the caller’s to write are named in Ignored', async () => {
  await using app = await startHardImports()
  const send = async (as: string, file: string, fields: Record<string, string> = {}) => {
    const { body } = await app.send(as, { objectName: 'Docs', file, fields })
    return (body.data as unknown as { Ignored: string[] }).Ignored
  }
  await app.save('clerk', 'Regions', { Code: 'north', IsOpen: true }, { IsNew: true })
  expect(await send('clerk', 'Title,Twice,CompanyId\na,9,\nb,,2\n')).toEqual(['Twice', 'CompanyId'])
  expect(await send('clerk', 'Title,Twice\nc,\n')).toEqual([])
  expect(await send('regional', 'Title,Region,Amount\nd,north,5\n')).toEqual(['Amount'])
  expect(await send('clerk', 'Title,Status,Amount\ne,closed,7\n')).toEqual(['Amount'])
  expect(await app.stored(`SELECT Amount, Twice FROM docs WHERE Amount IS NOT NULL`)).toEqual([])
})

test('an upsert of an entity that is nothing but its key adds what is not there', async () => {
  await using app = await startHardImports()
  const fields = { mode: 'upsert' }
  const send = (file: string) => app.take('clerk', { objectName: 'Pairs', file, fields })
  expect(await send('A,B\na,1\nb,2\n')).toMatchObject({ Inserted: 2, Skipped: 0 })
  expect(await send('A,B\nb,2\nc,3\n')).toMatchObject({ Inserted: 1, Updated: 0, Skipped: 1 })
  expect(await app.stored('SELECT A FROM pairs ORDER BY A')).toHaveLength(3)
})

test('a field that stands behind the file is refused: it would say nothing', async () => {
  await using app = await startHardImports()
  const form = new FormData()
  form.set('objectName', 'Nodes')
  form.set('file', new File(['Code,Name\nc,n\n'], 'rows.csv'))
  form.set('dryRun', 'true')
  const headers = { Authorization: `Bearer ${app.app.tokens.clerk}` }
  const url = 'http://localhost/api/v1/svc/object/import-data'
  const answer = await app.app.handle(new Request(url, { method: 'POST', headers, body: form }))
  expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([
    400,
    "The form must send the field 'dryrun' before the file",
  ])
  expect(await listNodes(app)).toEqual([])
})

test('key fields go by Name or by Label, in any language of the model', async () => {
  await using app = await startImports()
  await app.take('clerk', { objectName: 'People', file: 'Name,Email,Land\nAnn,a@x,Germany\n' })
  const file = 'Name der Person,E-mail,Land,Note\nAnn,a@x,Germany,seen\n'
  for (const keyFields of [
    'e-mail',
    '["E-mail"]',
    'Name der Person',
    'Land, Name',
    'Email,E-mail',
  ]) {
    const sent = { objectName: 'People', file, fields: { mode: 'update', keyFields } }
    expect([keyFields, await app.take('clerk', sent)]).toMatchObject([keyFields, { Rows: 1 }])
  }
  const unknown = { mode: 'update', keyFields: 'Mail' }
  const told = await app.send('clerk', { objectName: 'People', file, fields: unknown })
  expect(refusal(told, 400).error).toBe("keyFields: 'Mail' is not a stored field")
})
