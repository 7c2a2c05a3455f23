/** A new key takes every reference along: who pointed at a row points at the same row then. */
import { describe, expect, test } from 'bun:test'
import { formatDiagnostic } from '../../src/model/deploy/report.ts'
import { DeployTarget, NOW } from '../support/deploy.ts'

const NUMBERED = '<Column Name="Id" Type="Integer" Key="true" Identity="true"/>'

const customer = (columns: string): string =>
  `<Entity Name="Customer" Table="customers">${columns}<Column Name="Name"/></Entity>`

const BY_NUMBER = customer('<Column Name="Number" Type="Integer" Key="true"/>')
const BY_CODE = customer('<Column Name="Code" Type="Text" Key="true"/>')
const BY_ID = (of: string): string =>
  customer(`${NUMBERED}<Column Name="${of}" Type="${of === 'Code' ? 'Text' : 'Integer'}"/>`)

const INVOICE = `<Entity Name="Invoice" Table="invoices" Concurrency="Enabled">${NUMBERED}
  <Column Name="CustomerId" References="Customer" Required="true" OnDelete="Cascade"/>
  <Column Name="PayerId" References="Customer"/>
</Entity>`

const OWNERS = `SELECT i.Id, c.Name, p.Name AS Payer FROM invoices i
  JOIN customers c ON c."KEY" = i.CustomerId LEFT JOIN customers p ON p."KEY" = i.PayerId
  ORDER BY i.Id`

const ownersBy = (key: string): string => OWNERS.replaceAll('KEY', key)

describe('a new key', () => {
  test('Integer to Identity: invoices of Anna stay those of Anna, without a flag', async () => {
    await using target = await DeployTarget.open()
    await target.deploy({ 'c.xml': BY_NUMBER, 'i.xml': INVOICE })
    await target.run(
      `INSERT INTO customers (Number, Name) VALUES (2, 'Anna'), (1, 'Bert'), (40, 'Cora')`,
      `DELETE FROM customers WHERE Number = 1`,
      `INSERT INTO invoices (CustomerId, PayerId) VALUES (2, 40), (40, NULL)`,
    )
    const { isDone, plan } = await target.deploy({ 'c.xml': BY_ID('Number') })
    expect({ isDone, faults: plan.faults, losses: plan.losses }).toEqual({
      isDone: true,
      faults: [],
      losses: [],
    })
    expect(await target.rows(ownersBy('Id'))).toEqual([
      { Id: 1, Name: 'Anna', Payer: 'Cora' },
      { Id: 2, Name: 'Cora', Payer: null },
    ])
    // Who has an invoice open sends the old key: its stamp is old, too.
    expect(await target.rows('SELECT CustomerId, RowVersion FROM invoices')).toEqual([
      { CustomerId: 1, RowVersion: 2 },
      { CustomerId: 2, RowVersion: 2 },
    ])
    expect((await target.deploy({ 'c.xml': BY_ID('Number') })).plan.steps).toEqual([])
    const tables = await target.rows(`SELECT name FROM sqlite_schema WHERE name LIKE '%.%'`)
    expect(tables.filter(({ name }) => !/^[iu]x_/.test(String(name)))).toEqual([])
  })

  const GUID = '<Column Name="Id" Type="Guid" Key="true"/><Column Name="Code"/>'
  const CODED = `INSERT INTO customers (Code, Name) VALUES ('b', 'Bert'), ('7', 'Anna')`
  for (const [name, after, key] of [
    ['Text to Identity', BY_ID('Code'), 'Id'],
    ['Text to a Guid that is given', customer(GUID), 'Id'],
    [
      'another column that is filled',
      customer(`<Column Name="Slug" Key="true" Fill="'c-' || Code"/><Column Name="Code"/>`),
      'Slug',
    ],
    ['another name', customer('<Column Name="Short" Was="Code" Key="true"/>'), 'Short'],
  ] as const)
    test(`${name}: references have its type and its rows`, async () => {
      await using target = await DeployTarget.open()
      await target.deploy({ 'c.xml': BY_CODE, 'i.xml': INVOICE })
      await target.run(
        CODED,
        `INSERT INTO invoices (CustomerId, PayerId) VALUES ('b', '7'), ('7', NULL), ('b', 'b')`,
      )
      const { plan, isDone } = await target.deploy({ 'c.xml': after })
      expect({ faults: plan.faults.map(formatDiagnostic), losses: plan.losses, isDone }).toEqual({
        faults: [],
        losses: [],
        isDone: true,
      })
      expect(await target.rows(ownersBy(key))).toEqual([
        { Id: 1, Name: 'Bert', Payer: 'Anna' },
        { Id: 2, Name: 'Anna', Payer: null },
        { Id: 3, Name: 'Bert', Payer: 'Bert' },
      ])
      if (name.includes('Guid')) {
        const [row] = await target.rows('SELECT Id FROM customers')
        expect(String(row?.Id)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      }
    })

  test('a tree, a list through two keys, a key that is a reference, and a new name', async () => {
    await using target = await DeployTarget.open()
    const tree = (name: string, more: string, key: string): string =>
      `<Entity Name="${name}" Table="${name.toLowerCase()}s" Parent="AboveId" ${more}>${key}
        <Column Name="AboveId" References="${name}"/><Column Name="Title"/></Entity>`
    const others = (of: string): Record<string, string> => ({
      'link.xml': `<Entity Name="Link" Table="links">
        <Column Name="OneId" References="${of}" Key="true"/>
        <Column Name="OtherId" References="${of}" Key="true"/></Entity>`,
      'detail.xml': `<Entity Name="Detail" Table="details">
        <Column Name="OfId" References="${of}" Key="true"/><Column Name="Note"/></Entity>`,
      'remark.xml': `<Entity Name="Remark" Table="remarks">${NUMBERED}
        <Column Name="DetailId" References="Detail"/></Entity>`,
    })
    const byCode = '<Column Name="Code" Key="true"/>'
    await target.deploy({ 'node.xml': tree('Node', '', byCode), ...others('Node') })
    await target.run(
      `INSERT INTO nodes (Code, AboveId, Title) VALUES ('r', NULL, 'root'), ('x', 'r', 'leaf')`,
      `INSERT INTO links VALUES ('r', 'x'), ('x', 'x')`,
      `INSERT INTO details VALUES ('x', 'of the leaf')`,
      `INSERT INTO remarks (DetailId) VALUES ('x')`,
    )
    const { plan, isDone } = await target.deploy({
      'node.xml': tree('Knot', 'Was="Node"', `${NUMBERED}<Column Name="Code"/>`),
      ...others('Knot'),
    })
    expect({ faults: plan.faults.map(formatDiagnostic), losses: plan.losses, isDone }).toEqual({
      faults: [],
      losses: [],
      isDone: true,
    })
    expect(
      await target.rows(
        `SELECT a.Title AS Above FROM knots k JOIN knots a ON a.Id = k.AboveId WHERE k.Code = 'x'`,
      ),
    ).toEqual([{ Above: 'root' }])
    expect(
      await target.rows(
        `SELECT o.Code AS One, t.Code AS Other FROM links JOIN knots o ON o.Id = OneId
         JOIN knots t ON t.Id = OtherId ORDER BY 1`,
      ),
    ).toEqual([
      { One: 'r', Other: 'x' },
      { One: 'x', Other: 'x' },
    ])
    expect(
      await target.rows(
        `SELECT d.Note, k.Code FROM remarks r JOIN details d ON d.OfId = r.DetailId
         JOIN knots k ON k.Id = d.OfId`,
      ),
    ).toEqual([{ Note: 'of the leaf', Code: 'x' }])
  })

  test('what the engine keeps by key follows: files, the outbox and the audit log', async () => {
    await using target = await DeployTarget.open()
    const audited = (columns: string): string =>
      customer(`${columns}<Column Name="Scan" Type="File"/>`).replace(
        'Table=',
        'Audit="Enabled" Table=',
      )
    await target.deploy({ 'c.xml': audited('<Column Name="Number" Type="Integer" Key="true"/>') })
    const file = (key: number): string =>
      `INSERT INTO svc_files (Path, Entity, RecordKey, Field, FileName, ContentType, Size, Sha256,
        CreatedAt) VALUES ('p${key}', 'Customer', '[${key}]', 'Scan', 'f', 't', 1, '', '${NOW}')`
    const waiting = (key: number): string =>
      `INSERT INTO svc_outbox (At, Kind, Source, Entity, RecordKey, Payload, State, Attempts)
        VALUES ('${NOW}', 'mail', 's', 'Customer', '[${key}]', '{}', 'pending', 0)`
    await target.run(
      `INSERT INTO customers (Number, Name) VALUES (2, 'Anna'), (1, 'Bert'), (9, 'Cora')`,
      file(1),
      file(2),
      file(7),
      waiting(1),
      waiting(7),
    )
    const change = (key: number, name: string) => ({
      at: NOW,
      userId: null,
      impersonatorId: null,
      companyId: null,
      source: 'test',
      traceId: null,
      entity: 'Customer',
      recordKey: `[${key}]`,
      action: 'insert',
      changes: JSON.stringify({ Name: [null, name] }),
    })
    await target.store.write((tx) => tx.audit(change(2, 'Anna'), change(1, 'Bert')), {
      company: 'all',
      because: 'a test',
    })
    await target.deploy({
      'c.xml': audited(`${NUMBERED}<Column Name="Number" Type="Integer"/>`),
    })
    expect(await target.rows('SELECT Id, Number FROM customers')).toEqual([
      { Id: 1, Number: 1 },
      { Id: 2, Number: 2 },
      { Id: 3, Number: 9 },
    ])
    await target.deploy(
      {
        'c.xml': audited(`<Column Name="Code" Key="true" Fill="'c' || Number"/>
        <Column Name="Number" Type="Integer"/>`),
      },
      { allowDataLoss: true },
    )
    expect(await target.rows('SELECT Path, RecordKey FROM svc_files ORDER BY Path')).toEqual([
      { Path: 'p1', RecordKey: '["c1"]' },
      { Path: 'p2', RecordKey: '["c2"]' },
    ])
    expect(await target.rows('SELECT RecordKey FROM svc_outbox ORDER BY Id')).toEqual([
      { RecordKey: '["c1"]' },
      { RecordKey: null },
    ])
    expect(
      await target.rows(
        `SELECT RecordKey, FormerKey FROM svc_former_keys WHERE FormerKey = '[2]' ORDER BY RecordKey DESC`,
      ),
    ).toEqual([
      { RecordKey: '[2]', FormerKey: '[2]' },
      { RecordKey: '["c2"]', FormerKey: '[2]' },
    ])
  })

  test('files follow a renamed entity, also where its table is the same', async () => {
    await using target = await DeployTarget.open()
    const scanned = (name: string, more = ''): string =>
      `<Entity Name="${name}" Table="customers" ${more}>${NUMBERED}
        <Column Name="Scan" Type="File"/></Entity>`
    await target.deploy({ 'c.xml': scanned('Customer') })
    await target.run(
      `INSERT INTO svc_files (Path, Entity, RecordKey, Field, FileName, ContentType, Size, Sha256,
        CreatedAt) VALUES ('p', 'Customer', '[1]', 'Scan', 'f', 't', 1, '', '${NOW}')`,
    )
    await target.deploy({ 'c.xml': scanned('Client', 'Was="Customer"') })
    expect(await target.rows('SELECT Entity, RecordKey FROM svc_files')).toEqual([
      { Entity: 'Client', RecordKey: '[1]' },
    ])
  })

  test('comments and followers follow keys and names, and go with record and entity', async () => {
    await using target = await DeployTarget.open()
    const FIRST = '<Column Name="Number" Type="Integer" Key="true"/>'
    const NEXT = `${NUMBERED}<Column Name="Number" Type="Integer"/>`
    await target.deploy({ 'c.xml': customer(FIRST) })
    const said = (key: number): string[] => [
      `INSERT INTO svc_comments (CompanyId, Entity, RecordKey, Object, Text, Mentions, RowVersion,
        CreatedAt) VALUES (1, 'Customer', '[${key}]', 'Customers', 'of ${key}', '[]', 1, '${NOW}')`,
      `INSERT INTO svc_followers (Entity, RecordKey, CompanyId, UserId)
        VALUES ('Customer', '[${key}]', 1, 1)`,
    ]
    await target.run(
      `INSERT INTO svc_companies (Id, Code, Name, CreatedAt) VALUES (1, 'ONE', 'One', '${NOW}')`,
      `INSERT INTO svc_users (Id, UserName, UserNameKey, DisplayName, CreatedAt, ChangedAt)
        VALUES (1, 'ana', 'ana', 'Ana', '${NOW}', '${NOW}')`,
      `INSERT INTO customers (Number, Name) VALUES (2, 'Anna'), (9, 'Cora')`,
      ...[2, 9, 7, 8].flatMap(said),
    )
    const stored = async () =>
      Promise.all(
        ['Text, Entity, RecordKey FROM svc_comments', 'Entity, RecordKey FROM svc_followers'].map(
          (of) => target.rows(`SELECT ${of} ORDER BY RecordKey`),
        ),
      )
    await target.deploy({ 'c.xml': customer(NEXT) })
    const placed = (entity: string) => [
      [
        { Text: 'of 2', Entity: entity, RecordKey: '[1]' },
        { Text: 'of 9', Entity: entity, RecordKey: '[2]' },
      ],
      [
        { Entity: entity, RecordKey: '[1]' },
        { Entity: entity, RecordKey: '[2]' },
      ],
    ]
    expect(await stored()).toEqual(placed('Customer'))
    const renamed = customer(NEXT).replace('"Customer"', '"Client" Was="Customer"')
    await target.deploy({ 'c.xml': renamed })
    expect(await stored()).toEqual(placed('Client'))
    const other = INVOICE.replaceAll(/<Column Name="(Customer|Payer)Id"[^>]*>/g, '')
    await target.deploy({ 'c.xml': other }, { allowDataLoss: true, prune: true })
    expect(await stored()).toEqual([[], []])
  })

  test('a column that becomes a reference in the same deploy is refused', async () => {
    await using target = await DeployTarget.open()
    const invoice = (of: string): string =>
      `<Entity Name="Invoice" Table="invoices">${NUMBERED}<Column Name="CustomerId" ${of}/></Entity>`
    await target.deploy({ 'c.xml': BY_NUMBER, 'i.xml': invoice('Type="Integer"') })
    await target.run(
      `INSERT INTO customers (Number, Name) VALUES (2, 'Anna'), (1, 'Bert')`,
      `INSERT INTO invoices (CustomerId) VALUES (2)`,
    )
    const files = { 'c.xml': BY_ID('Number'), 'i.xml': invoice('References="Customer"') }
    const { plan, isDone } = await target.deploy(files)
    expect(isDone).toBe(false)
    expect(plan.faults.map(formatDiagnostic)).toEqual([
      'i.xml:1:102: Column CustomerId of Invoice is to reference Customer, which gets another ' +
        'key by this deploy, and of 1 row it cannot be told whether they hold old keys or new ' +
        'ones: deploy the reference first, then the key',
    ])
  })
})
