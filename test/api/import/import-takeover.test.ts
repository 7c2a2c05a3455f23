/** History comes in as history: `import-data` with `takeover=true`. */
import { expect, test } from 'bun:test'
import { BOSS, FAR, HISTORY, startContracts } from '../../support/contract-takeover.ts'
import type { Imports, Sending } from '../../support/imports.ts'
import { refusal, type Row } from '../../support/objects.ts'
import { until } from '../../support/until.ts'

const TAKEOVER = { takeover: 'true' }

const LOOPBACK = {
  'Svc:Outbound:AllowHttp': 'true',
  'Svc:Outbound:Allow': '127.0.0.1',
  'Svc:Outbound:Ports': '9',
}

const takeOver = (app: Imports, objectName: string, file: string, fields: Row = {}) =>
  app.take('sys', sendingOf(objectName, file, fields))

const sendingOf = (objectName: string, file: string, fields: Row = {}): Sending => ({
  objectName,
  file,
  fields: { ...TAKEOVER, ...(fields as Record<string, string>) },
})

const count = async (app: Imports, table: string): Promise<number> =>
  Number((await app.stored(`SELECT count(*) AS N FROM ${table}`))[0]?.N)

/** Where everything waits that somebody would be sent or asked. */
const OUTLETS = [
  'svc_notifications',
  'svc_outbox',
  'svc_webhook_deliveries',
  'svc_jobs',
  'svc_workflow_instances',
  'svc_workflow_tasks',
]
const countOutlets = async (app: Imports): Promise<Row> =>
  Object.fromEntries(
    await Promise.all(OUTLETS.map(async (table) => [table, await count(app, table)] as const)),
  )

const CONTRACTS = `SELECT Id, Number, Title, State, Amount, ClientId, SignedOn, Reason, Channel,
  Copies, "Double", CreatedAt, CreatedBy, ChangedAt, ChangedBy FROM contracts ORDER BY Id`

test('a takeover keeps keys, states, numbers, read-only, barred and tracking columns', async () => {
  await using app = await startContracts()
  const before = await app.stored('SELECT ChangedAt, ChangedBy FROM clients ORDER BY Id')
  const done = await takeOver(app, 'Contracts', HISTORY)
  expect(done).toMatchObject({ Inserted: 3, Failed: 0 })
  expect(await app.stored(CONTRACTS)).toEqual([
    {
      Id: 7,
      Number: 'V-0017',
      Title: 'Bad idea',
      State: 'refused',
      Amount: 5,
      ClientId: 2,
      SignedOn: null,
      Reason: 'Too dear',
      Channel: 'paper',
      Copies: null,
      Double: 10,
      CreatedAt: '2009-01-02T03:04:05.678Z',
      CreatedBy: BOSS,
      ChangedAt: '2009-02-02T03:04:05.000Z',
      ChangedBy: null,
    },
    {
      Id: 70,
      Number: 'V-0901',
      Title: 'Old lease',
      State: 'signed',
      Amount: 1200.5,
      ClientId: 1,
      SignedOn: '2011-03-04',
      Reason: null,
      Channel: 'paper',
      Copies: 3,
      Double: 2401,
      CreatedAt: '2011-03-01T08:00:00.000Z',
      CreatedBy: BOSS,
      ChangedAt: '2011-03-04T09:30:00.000Z',
      ChangedBy: BOSS,
    },
    {
      Id: 71,
      Number: 'V-0902',
      Title: 'Long read',
      State: 'review',
      Amount: null,
      ClientId: null,
      SignedOn: null,
      Reason: null,
      Channel: 'paper',
      Copies: 1,
      Double: null,
      CreatedAt: '2024-05-06T07:08:09.000Z',
      CreatedBy: null,
      ChangedAt: '2024-05-06T07:08:09.000Z',
      ChangedBy: null,
    },
  ])
  // What is computed follows, and says of nobody that they have changed a client.
  expect(await app.stored('SELECT Worth FROM clients ORDER BY Id')).toEqual([
    { Worth: 1200.5 },
    { Worth: 5 },
  ])
  expect(await app.stored('SELECT ChangedAt, ChangedBy FROM clients ORDER BY Id')).toEqual(before)
  // An update keeps what it says, too; what the file does not have is stamped as it is elsewhere.
  const later = 'Id,State,ChangedAt\n71,signed,2024-06-01T00:00:00.000Z\n'
  const { ImportId } = await takeOver(app, 'Contracts', later, { mode: 'update' })
  const [moved] = await app.stored(
    'SELECT State, ChangedAt, ChangedBy FROM contracts WHERE Id = 71',
  )
  expect(moved).toEqual({ State: 'signed', ChangedAt: '2024-06-01T00:00:00.000Z', ChangedBy: 1 })
  await app.call('sys', `/import-data/${ImportId}/undo`, {})
  const [back] = await app.stored('SELECT State, ChangedAt, ChangedBy FROM contracts WHERE Id = 71')
  expect(back).toEqual({ State: 'review', ChangedAt: '2024-05-06T07:08:09.000Z', ChangedBy: null })
})

test('a takeover notifies, mails, tells and begins nothing; an import does', async () => {
  await using app = await startContracts({ settings: LOOPBACK })
  const hook = { Url: 'http://127.0.0.1:9/hooks', Events: ['ContractMoved', 'Contracts.created'] }
  const made = await app.app.fetch('/api/v1/svc/webhooks', { as: 'boss', body: hook })
  expect({ status: made.status, text: made.text }).toMatchObject({ status: 200 })
  const none = Object.fromEntries(OUTLETS.map((table) => [table, 0]))
  for (const fields of [{}, { mode: 'upsert', keyFields: 'Number' }]) {
    const sent = await app.send('sys', sendingOf('Contracts', HISTORY, fields))
    expect(sent.body.data).toMatchObject({ Dispatch: [{ Type: 'refreshTable' }] })
    expect(await countOutlets(app)).toEqual(none)
  }
  const changed = HISTORY.replaceAll('read', 'road')
  await takeOver(app, 'Contracts', changed, { mode: 'upsert', keyFields: 'Number' })
  expect(await countOutlets(app)).toEqual(none)
  const { ImportId } = await takeOver(app, 'Letters', 'Id,Text\n4,Dear Sir\n')
  await app.call('sys', `/import-data/${ImportId}/undo`, {})
  expect(await countOutlets(app)).toEqual(none)
  await app.take('boss', { objectName: 'Contracts', file: 'Title\nnew\n' })
  const all = await countOutlets(app)
  for (const table of OUTLETS.slice(0, 5))
    expect({ table, n: all[table] }).not.toMatchObject({ n: 0 })
})

test('a takeover by an Admin is refused before anything is read or written', async () => {
  await using app = await startContracts()
  for (const fields of [{}, { dryRun: 'true' }, { background: 'true' }, { mode: 'update' }]) {
    const told = refusal(await app.send('boss', sendingOf('Contracts', 'no,head\n', fields)), 401)
    expect(told.error).toBe(
      'Only System can import history. Leave out takeover, or ask a System user.',
    )
  }
  const german = { ...sendingOf('Contracts', HISTORY), headers: { 'Accept-Language': 'de' } }
  expect(refusal(await app.send('boss', german), 401).error).toBe(
    'Nur System kann Altbestand übernehmen. Lassen Sie takeover weg oder fragen Sie einen System-Benutzer.',
  )
  const odd = refusal(
    await app.send('sys', sendingOf('Contracts', HISTORY, { takeover: 'yes' })),
    400,
  )
  expect(odd.error).toBe('takeover must be one of: false, true')
  expect(await count(app, 'contracts')).toBe(0)
  // Taken back by its maker only while they are System, too.
  const { ImportId } = await takeOver(app, 'Letters', 'Text\nDear Sir\n')
  refusal(await app.call('boss', `/import-data/${ImportId}/undo`, {}), 401)
})

test('the audit log says of a takeover what it was, and by whom', async () => {
  await using app = await startContracts()
  await takeOver(app, 'Contracts', HISTORY)
  await takeOver(app, 'Letters', 'Text\nDear Sir\n')
  await takeOver(app, 'Clients', 'Name\nThird\n')
  await takeOver(app, 'Clients', 'Name\nFourth\n', { dryRun: 'true' })
  const audit = await app.stored(
    `SELECT Source, Entity, Action, UserId, count(*) AS N FROM svc_audit
     WHERE Source LIKE 'takeover/%' GROUP BY 1, 2, 3, 4 ORDER BY 1, 3`,
  )
  const by = { UserId: 1 }
  expect(audit).toEqual([
    { ...by, Source: 'takeover/Clients', Entity: 'Client', Action: 'takeover', N: 1 },
    { ...by, Source: 'takeover/Contracts', Entity: 'Contract', Action: 'insert', N: 3 },
    { ...by, Source: 'takeover/Contracts', Entity: 'Contract', Action: 'takeover', N: 1 },
    { ...by, Source: 'takeover/Letters', Entity: 'Letter', Action: 'insert', N: 1 },
    { ...by, Source: 'takeover/Letters', Entity: 'Letter', Action: 'takeover', N: 1 },
  ])
  const [whole] = await app.stored(
    `SELECT Changes FROM svc_audit WHERE Entity = 'Contract' AND Action = 'takeover'`,
  )
  expect(JSON.parse(String(whole?.Changes))).toEqual({
    Mode: [null, 'insert'],
    FileName: [null, 'rows.csv'],
    Inserted: [null, 3],
    Updated: [null, 0],
  })
})

const LETTERS = `Id,Text,Sent,Kind,CreatedAt,CreatedBy,ChangedAt
3,Dear Sir,1,formal,2001-01-01T00:00:00.000Z,${BOSS},2002-01-01T00:00:00.000Z
9,Hello,0,,2003-01-01T00:00:00.000Z,,2003-01-01T00:00:00.000Z
`

test('a takeover in bulk stores what one row by row does', async () => {
  const rows = `SELECT Id, CompanyId, Text, Sent, Kind, CreatedAt, CreatedBy, ChangedAt, ChangedBy
    FROM letters ORDER BY Id`
  const audit = `SELECT Entity, RecordKey, Action, Changes, Source FROM svc_audit
    WHERE Source = 'takeover/Letters' ORDER BY Action, RecordKey`
  const withTags = LETTERS.split('\n').map((line, at) =>
    line === '' ? '' : `${line},${at === 0 ? 'Tags' : '[]'}`,
  )
  const results: unknown[] = []
  for (const file of [LETTERS, withTags.join('\n')]) {
    await using app = await startContracts()
    await takeOver(app, 'Letters', file)
    results.push([await app.stored(rows), await app.stored(audit)])
    const found = await app.table('boss', 'Letters', { Sort: [{ Field: 'Id' }] })
    expect(found.Rows.map(({ Text }) => Text)).toEqual(['Dear Sir', 'Hello'])
  }
  expect(results[0]).toEqual(results[1])
  expect((results[0] as Row[][])[0]).toMatchObject([
    { Id: 3, Sent: 1, Kind: 'formal', CreatedBy: BOSS, ChangedBy: 1 },
    { Id: 9, Sent: 0, Kind: null, CreatedBy: null, ChangedAt: '2003-01-01T00:00:00.000Z' },
  ])
})

test('what is wrong in history is refused with its row and column', async () => {
  await using app = await startContracts()
  const wrong: [head: string, cells: string, field: string, message: string][] = [
    ['CreatedBy', '99', 'CreatedBy', 'Created by: there is no such user'],
    ['CreatedBy', String(FAR), 'CreatedBy', 'Created by: there is no such user'],
    ['ChangedBy', 'nobody', 'ChangedBy', 'Changed by: there is no such user'],
    ['CreatedAt', 'long ago', 'CreatedAt', 'Must be a date and time with Z or an offset'],
    ['State', 'gone', 'State', 'State'],
    ['Amount', '-1', 'Amount', 'Amount'],
    ['ClientId', '99', 'ClientId', 'Client: there is no such client'],
    ['CompanyId', '2', 'CompanyId', 'Company must be the company you are signed in to'],
  ]
  for (const [head, cell, field, message] of wrong) {
    const file = `Title,${head}\nsound,\nwrong,${cell}\n`
    const told = refusal(await app.send('sys', sendingOf('Contracts', file)), 400)
    expect({ head, ...told.fieldErrors }).toEqual({
      head,
      [`Rows[3].${field}`]: expect.stringContaining(message),
    })
  }
  const named = refusal(await app.send('sys', sendingOf('Contracts', 'Title\nnothing\n')), 400)
  expect(named.fieldErrors).toEqual({ 'Rows[2].Title': 'No contract is called nothing' })
  const twice = 'Title,Number\na,V-1\nb,V-1\n'
  refusal(await app.send('sys', sendingOf('Contracts', twice)), 400)
  expect(await count(app, 'contracts')).toBe(0)
})

test('numbers go on behind those of a takeover; a row without one stays without', async () => {
  await using app = await startContracts()
  await takeOver(app, 'Contracts', `${HISTORY}72,,No number,draft,,,,,,,,,\n`)
  const next = async (Title: string) =>
    (await app.save('boss', 'Contracts', { Title })).Values.Number
  expect(await next('first')).toBe('V-0903')
  await takeOver(app, 'Contracts', 'Id,Number\n72,V-0950\n', { mode: 'update' })
  expect(await next('second')).toBe('V-0951')
  const blank = 'Id,Number,Title\n173,,one\n'
  await takeOver(app, 'Contracts', blank)
  expect(await next('third')).toBe('V-0952')
  expect(
    await app.stored('SELECT Number FROM contracts WHERE Id IN (72, 173) ORDER BY Id'),
  ).toEqual([{ Number: 'V-0950' }, { Number: null }])
})

test('a takeover moves no state under a workflow that is running', async () => {
  await using app = await startContracts()
  await app.take('boss', { objectName: 'Contracts', file: 'Title\nnew\n' })
  await takeOver(app, 'Contracts', HISTORY)
  const file = 'Id,State,Reason\n1,refused,Late\n70,review,\n'
  const fields = { mode: 'update' }
  const told = refusal(await app.send('sys', sendingOf('Contracts', file, fields)), 400)
  expect(told.fieldErrors).toEqual({
    'Rows[2].State': 'Approval is still running for this record. End it there first.',
  })
  const same = 'Id,State,Reason\n1,draft,Late\n70,review,\n'
  expect(await takeOver(app, 'Contracts', same, fields)).toMatchObject({ Updated: 2 })
})

test('numbers go on behind those that a takeover brings to new and to stored records', async () => {
  await using app = await startContracts()
  await takeOver(app, 'Contracts', HISTORY)
  const one = { objectName: 'Contracts', file: 'Title\nnew\n' }
  await app.take('boss', one)
  await takeOver(app, 'Contracts', 'Id,Number\n70,V-0950\n', { mode: 'update' })
  await app.take('boss', one)
  const rows = await app.stored(`SELECT Number FROM contracts WHERE Title = 'new' ORDER BY Id`)
  expect(rows.map(({ Number: number }) => number)).toEqual(['V-0903', 'V-0951'])
})

test('a takeover by a job, or of what a grid shows, is one like any other', async () => {
  await using app = await startContracts()
  await takeOver(app, 'Contracts', HISTORY)
  const shown = await exportFile(app, { ObjectName: 'Contracts', Format: 'csv' })
  await using to = await startContracts()
  const fields = { ...TAKEOVER, background: 'true' }
  const sent = await to.send('sys', { objectName: 'Contracts', file: shown, fields })
  expect({ status: sent.status, text: sent.text }).toMatchObject({ status: 200 })
  await to.app.context.jobs.start()
  await until(async () => (await count(to, 'contracts')) === 3)
  await to.app.context.jobs.stop()
  const without = CONTRACTS.replace('Id, ', '').replace('BY Id', 'BY Number')
  expect(await to.stored(without)).toEqual(await app.stored(without))
})

const FIELDS = `Id Number Title State Amount ClientId SignedOn Reason Channel Copies CreatedAt
  CreatedBy ChangedAt ChangedBy`.split(/\s+/)

test('what was exported whole and is taken over elsewhere is the same to the letter', async () => {
  await using from = await startContracts()
  await takeOver(from, 'Contracts', HISTORY)
  for (const Format of ['csv', 'jsonl', 'xlsx']) {
    const asked = { ObjectName: 'Contracts', Format, Fields: FIELDS }
    const file = await exportFile(from, asked)
    await using to = await startContracts()
    const sent = { objectName: 'Contracts', file, fileName: `old.${Format}`, fields: TAKEOVER }
    await to.take('sys', sent)
    expect(await to.stored(CONTRACTS)).toEqual(await from.stored(CONTRACTS))
  }
})

async function exportFile(app: Imports, asked: Row): Promise<Uint8Array<ArrayBuffer>> {
  type Made = { File: { Url: string } }
  const made = await app.call<Made>('sys', '/export-data', asked)
  if (made.status !== 200) throw new Error(made.text)
  const token = app.app.tokens.sys ?? ''
  const url = `http://localhost${made.body.data.File.Url}`
  const headers = { Authorization: `Bearer ${token}` }
  const answer = await app.app.handle(new Request(url, { headers }))
  return new Uint8Array(await answer.arrayBuffer())
}
