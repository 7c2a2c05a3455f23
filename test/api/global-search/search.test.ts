/** The global search: what it finds, how it is kept, and what it tells to whom. */
import { describe, expect, test } from 'bun:test'
import { systemScope } from '../../../src/store/store.ts'
import { deployModel } from '../../../src/model/deploy/deploy.ts'
import { startApp } from '../../support/app.ts'
import { type Objects, refusal } from '../../support/objects.ts'
import {
  findTitles,
  search,
  SEARCHED_FILES,
  settleSearch,
  startSearched,
} from '../../support/search.ts'

test('an answer, whole', async () => {
  await using objects = await startSearched()
  const { Keys } = await objects.save('clerk', 'Customers', {
    Name: 'Müller & Söhne',
    Remark: 'The oldest customer, by Café “Zur Straße”',
  })
  expect(await search(objects.app, 'clerk', '  cafe strasse ')).toEqual({
    Provider: 'sql',
    Query: 'cafe strasse',
    Groups: [
      {
        Object: 'Customers',
        Label: 'Our customers',
        Total: 1,
        TotalIsExact: true,
        Hits: [
          {
            Keys: { Id: (Keys as { Id: number }).Id },
            Title: 'Müller & Söhne',
            Snippet: 'The oldest customer, by Café “Zur Straße”',
            Ranges: [
              [24, 4],
              [34, 6],
            ],
            Score: 6,
          },
        ],
      },
    ],
    Ignored: [],
    Corrected: null,
    Rebuilding: false,
  })
})

describe('words', async () => {
  const objects = await startSearched()
  const name = 'Größe Ørsted O’Brien ﬁne ＡＢＣ 東京タワー Ελλάς ÉCOLE naïve SO-2026-00017'
  await objects.save('clerk', 'Customers', { Name: name })
  const find = async (q: string) => Object.keys(await findTitles(objects.app, 'clerk', q)).sort()

  test.each([
    ...['größe', 'GRÖSSE', 'grosse', 'gro', 'orsted', 'øRSTED', 'fine', 'abc', 'ＡＢＣ', 'ecole'],
    ...['naive', 'naïve', 'ελλασ', 'ΕΛΛΆΣ', 'o’brien', 'brien', "o'brien", 'so-2026', '2026-000'],
    ...['東京', '京タ', 'タワー', 'ecole naive', 'naive ecole', '00017 größe', 'so 00017'],
  ])('%s is found', async (q) => expect(await find(q)).toEqual(['Customers']))

  test.each([
    ...['rosse', 'brienna', 'so-00017', '京東', '017', 'ecole groxxe', 'x', '2026-00018'],
    // Nothing to search for.
    ...['', '   ', '-', '*', '"', '()', '…'],
  ])('%s is not', async (q) => expect(await find(q)).toEqual([]))

  test.each([
    ...['ecole OR x', 'NOT ecole', 'ecole NEAR abc', 'c0:ecole x', '{c0}: x', 'ecole" OR "x'],
    ...['x*', '^x', '"x', 'ecole AND', '0002ecole', "x'; DROP TABLE svc_search", '\u0000ecolexy'],
  ])('FTS5 has no word in %s', async (q) => expect(await find(q)).toEqual([]))

  test.each(['"ecole"', 'ecole*', '^größe', '(ecole)', 'ecole +naive', '-ecole', '{ecole}:'])(
    'nothing of %s is an operator',
    async (q) => expect(await find(q)).toEqual(['Customers']),
  )

  test('one end of the server', () => objects[Symbol.asyncDispose]())
})

describe('what changes is found at once', () => {
  const find = async (objects: Objects, q: string) =>
    Object.keys(await findTitles(objects.app, 'clerk', q)).sort()

  test('a record that is made, changed and deleted', async () => {
    await using objects = await startSearched()
    const { Keys } = await objects.save('clerk', 'Customers', { Name: 'Alder' })
    expect(await find(objects, 'alder')).toEqual(['Customers'])
    await objects.save('clerk', 'Customers', { ...(Keys as object), Name: 'Beech' })
    expect(await find(objects, 'alder')).toEqual([])
    expect(await find(objects, 'beech')).toEqual(['Customers'])
    await objects.remove('clerk', 'Customers', Keys as Record<string, unknown>)
    expect(await find(objects, 'beech')).toEqual([])
  })

  test('the orders of a customer who is renamed, and those that go with the customer', async () => {
    await using objects = await startSearched()
    const { Keys } = await objects.save('clerk', 'Customers', { Name: 'Alder' })
    const { Id } = Keys as { Id: number }
    await objects.save('clerk', 'Orders', { Number: 'N-1', CustomerId: Id })
    expect(await find(objects, 'alder')).toEqual(['Customers', 'Labelled', 'Orders'])
    await objects.save('clerk', 'Customers', { Id, Name: 'Beech' })
    expect(await find(objects, 'alder')).toEqual([])
    expect(await find(objects, 'beech')).toEqual(['Customers', 'Labelled', 'Orders'])
    await objects.remove('clerk', 'Customers', { Id })
    expect(await find(objects, 'beech')).toEqual([])
    expect(await find(objects, 'n-1')).toEqual([])
  })

  test('nothing of a transaction that fails', async () => {
    await using objects = await startSearched()
    const { store } = objects.app
    const insert = `INSERT INTO customers (CompanyId, Name) VALUES (1, 'Alder')`
    const failed = store.write(async (tx) => {
      await tx.run(insert)
      await tx.runAfterWrite()
      throw new Error('no')
    }, systemScope('a test fails'))
    expect(await failed.catch(String)).toBe('Error: no')
    expect(await find(objects, 'alder')).toEqual([])
    await store.write((tx) => tx.run(insert), systemScope('a test writes'))
    expect(await find(objects, 'alder')).toEqual(['Customers'])
  })

  test('more orders of one customer than follow at once, by and by', async () => {
    await using objects = await startSearched()
    const { Keys } = await objects.save('clerk', 'Customers', { Name: 'Alder' })
    const { Id } = Keys as { Id: number }
    await objects.app.store.write(
      (tx) =>
        tx.run(
          `INSERT INTO orders (CompanyId, Number, CustomerId)
            SELECT 1, 'M-' || value, @Id FROM generate_series(1, 600)`,
          { Id },
        ),
      systemScope('a test writes'),
    )
    await settleSearch(objects.app)
    await objects.save('clerk', 'Customers', { Id, Name: 'Beech' })
    expect((await search(objects.app, 'clerk', 'beech')).Rebuilding).toBe(true)
    await settleSearch(objects.app)
    const { Groups, Rebuilding } = await search(objects.app, 'clerk', 'beech')
    expect(Rebuilding).toBe(false)
    expect(Groups.find(({ Object }) => Object === 'Orders')?.Total).toBe(600)
    expect(await find(objects, 'alder')).toEqual([])
  })

  test('what a query takes from records that belong to the found one', async () => {
    await using objects = await startSearched()
    const made = async (number: string) => {
      const { Keys } = await objects.save('clerk', 'Orders', { Number: number })
      return (Keys as { Id: number }).Id
    }
    const [first, second] = [await made('N-1'), await made('N-2')]
    const { Keys } = await objects.save('clerk', 'OrderLines', {
      OrderId: first,
      Article: 'Hammer',
    })
    const titles = async (q: string) => (await findTitles(objects.app, 'clerk', q)).Orders
    expect(await titles('hammer')).toEqual(['N-1'])
    await objects.save('clerk', 'OrderLines', { ...(Keys as object), OrderId: second })
    expect(await titles('hammer')).toEqual(['N-2'])
    await objects.remove('clerk', 'OrderLines', Keys as Record<string, unknown>)
    expect(await titles('hammer')).toBeUndefined()
  })

  test('a mutation that is refused leaves nothing', async () => {
    await using objects = await startSearched()
    refusal(
      await objects.submit('clerk', 'Customers', { Name: 'Alder', Region: 'x'.repeat(70_000) }),
      400,
    )
    expect(await find(objects, 'alder')).toEqual([])
  })

  test('keys of two columns, records of all companies, a query that asks who it is', async () => {
    await using objects = await startSearched()
    const { store } = objects.app
    await store.write(async (tx) => {
      await tx.run("INSERT INTO rooms VALUES (3, 'b', 1, 'Library')")
      await tx.run("INSERT INTO articles (Code, Name) VALUES ('LIB', 'Shelf')")
    }, systemScope('a test'))
    await objects.save('clerk', 'Orders', { Number: 'N-1', Note: 'library' })
    const { Groups } = await search(objects.app, 'clerk', 'lib')
    expect(Groups.map(({ Object, Hits }) => [Object, Hits[0]?.Keys])).toEqual([
      ['Rooms', { Floor: 3, Door: 'b' }],
      ['Articles', { Code: 'LIB' }],
      ['Orders', { Id: 1 }],
      ['Mine', { Id: 1 }],
    ])
    expect(await findTitles(objects.app, 'other', 'lib')).toEqual({ Articles: ['Shelf'] })
  })
})

test('an import is found, and not any more once it is taken back', async () => {
  await using objects = await startSearched()
  const find = async () => (await findTitles(objects.app, 'clerk', 'quince')).Customers?.sort()
  const file = 'Name,Region\nAnn Quince,north\nBo Quince,\n'
  const done = await objects.take('clerk', { objectName: 'Customers', file })
  expect(await find()).toEqual(['Ann Quince', 'Bo Quince'])
  await objects.call('clerk', `/import-data/${done.ImportId}/undo`, {})
  expect(await find()).toBeUndefined()
})

test('the background reads the words of many imported rows, and the answer says so', async () => {
  await using objects = await startSearched()
  await objects.save('clerk', 'Customers', { Name: 'Ann Quince' })
  const names = Array.from({ length: 2100 }, (_, at) => `Many Quince ${at}`)
  await objects.take('clerk', { objectName: 'Customers', file: ['Name', ...names, ''].join('\n') })
  const before = await search(objects.app, 'clerk', 'quince', { objects: 'Customers' })
  expect([before.Groups[0]?.Total, before.Rebuilding]).toEqual([1, true])
  await settleSearch(objects.app)
  const { Groups, Rebuilding } = await search(objects.app, 'clerk', 'quince', {
    objects: 'Customers',
  })
  expect([Groups[0]?.Total, Groups[0]?.TotalIsExact, Rebuilding]).toEqual([1000, false, false])
  expect((await findTitles(objects.app, 'clerk', 'quince 2099')).Customers).toEqual([
    'Many Quince 2099',
  ])
})

describe('Directus CVE-2025-30352: what is hidden is not found', async () => {
  const objects = await startSearched()
  await objects.save('clerk', 'Customers', {
    Name: 'alpha',
    Region: 'north',
    Secret: 'secretone',
    Remark: 'formone',
  })
  await objects.save('clerk', 'Customers', {
    Name: 'beta',
    Region: 'south',
    Secret: 'secrettwo',
    Remark: 'formtwo',
  })
  const words = ['alpha', 'beta', 'secretone', 'secrettwo', 'formone', 'formtwo']
  const mixed = ['secret', 'form', 'alpha secretone', 'beta formtwo', 'beta secrettwo']

  test.each([
    ['who sees all', 'clerk', [1, 1, 1, 1, 1, 1, 2, 2, 1, 1, 1]],
    ['who may view, but not list', 'reader', [1, 1, 1, 1, 1, 1, 2, 2, 1, 1, 1]],
    ['of another company', 'other', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['without a right', 'nobody', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['with a row filter, who may list alone', 'local', [1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0]],
    ['who may list, which shows no form', 'lister', [1, 1, 1, 1, 0, 0, 2, 0, 1, 0, 1]],
    ['with a hidden field', 'narrow', [1, 1, 0, 0, 1, 1, 0, 2, 0, 1, 0]],
    ['with a field that some rows hide', 'partly', [1, 1, 0, 0, 1, 1, 0, 2, 0, 1, 0]],
  ])('somebody %s', async (_, as, totals) => {
    const found: number[] = []
    for (const q of [...words, ...mixed]) {
      const { Groups } = await search(objects.app, as, q)
      found.push(Groups[0]?.Total ?? 0)
      expect(Groups[0]?.Hits.length ?? 0).toBe(Groups[0]?.Total ?? 0)
    }
    expect(found).toEqual(totals)
  })

  test('a title that is shown has no text beside it that is not', async () => {
    const { text } = await objects.app.fetch('/api/v1/svc/search?q=beta', { as: 'narrow' })
    expect(text).not.toContain('secret')
  })

  test('one end of the server', () => objects[Symbol.asyncDispose]())
})

test('a search is bounded, and says so', async () => {
  await using objects = await startSearched()
  const { app } = objects
  const ask = (query: string) => app.fetch(`/api/v1/svc/search?${query}`, { as: 'clerk' })
  expect((await ask(`q=${'x'.repeat(201)}`)).status).toBe(400)
  for (const limit of ['0', '51', '-1', 'x', '1e1'])
    expect((await ask(`q=a&limit=${limit}`)).status).toBe(400)
  const words = Array.from({ length: 20 }, (_, at) => `w${at}`).join(' ')
  expect((await search(app, 'clerk', words)).Ignored).toEqual(words.split(' ').slice(12))
  await app.store.write(async (tx) => {
    for (let at = 0; at < 8; at++)
      await tx.run("INSERT INTO articles (Code, Name) VALUES (@code, 'Shelf ' || @code)", {
        code: `c${at}`,
      })
  }, systemScope('a test'))
  const [group] = (await search(app, 'clerk', 'shelf')).Groups
  expect([group?.Total, group?.Hits.length]).toEqual([8, 5])
  expect((await search(app, 'clerk', 'shelf', { limit: '7' })).Groups[0]?.Hits).toHaveLength(7)
  expect(await findTitles(app, 'clerk', 'shelf', { objects: 'rooms, Orders,none' })).toEqual({})
  expect(Object.keys(await findTitles(app, 'clerk', 'shelf', { objects: 'articles' }))).toEqual([
    'Articles',
  ])
})

test('the best hit comes first: a title, a whole word, a beginning', async () => {
  await using objects = await startSearched()
  for (const [Name, Remark] of [
    ['Birch', 'oak'],
    ['Oakham', ''],
    ['The Oak', ''],
    ['Oak', 'oak'],
  ])
    await objects.save('clerk', 'Customers', { Name, Remark })
  expect((await findTitles(objects.app, 'clerk', 'oak')).Customers).toEqual([
    'Oak',
    'The Oak',
    'Oakham',
    'Birch',
  ])
})

describe('a deploy', () => {
  const deploy = async ({ app }: Objects, change: (body: string) => string) => {
    const files = SEARCHED_FILES.map(({ name, body }) => ({ name, body: change(body) }))
    const { store, models, clock } = app.context
    const { plan } = await deployModel(store, models, files, {}, clock)
    expect(plan.faults).toEqual([])
  }

  test('of a query that fails on some records leaves those out, and no others', async () => {
    await using objects = await startSearched()
    const labelled = '<ObjectView Name="Labelled" Entity="Order">'
    const cells = "o.*, json_extract(o.Note, '$.Of') AS Of"
    const query = `<TableQuery>SELECT ${cells} FROM orders o</TableQuery>`
    await deploy(objects, (body) =>
      body.replace(labelled, labelled + query).replace('Text="CustomerId"', 'Text="Of"'),
    )
    await settleSearch(objects.app)
    const notes = ['{"Of": "alder"}', 'no JSON', '{"Of": "alder"}']
    const { store } = objects.app
    await Promise.all(
      notes.map((note, at) =>
        store.write(
          (tx) =>
            tx.run('INSERT INTO orders (CompanyId, Number, Note) VALUES (1, @at, @note)', {
              at: `N-${at}`,
              note,
            }),
          systemScope('a test writes'),
        ),
      ),
    )
    const { Labelled } = await findTitles(objects.app, 'clerk', 'alder')
    expect(Labelled?.toSorted()).toEqual(['N-0', 'N-2'])
    const stored = await objects.stored('SELECT count(*) AS n FROM orders')
    expect(stored).toEqual([{ n: 3 }])
  })

  test('of another Search has the records read again; what was searched is gone', async () => {
    await using objects = await startSearched()
    const { app } = objects
    await objects.save('clerk', 'Customers', {
      Name: 'Alder',
      Region: 'westerly',
      Secret: 'canary',
    })
    await deploy(objects, (body) => body.replace('Text="Secret Remark"', 'Text="Region"'))
    expect(await search(app, 'clerk', 'alder')).toMatchObject({ Groups: [], Rebuilding: true })
    await settleSearch(app)
    expect(await search(app, 'clerk', 'westerly')).toMatchObject({ Rebuilding: false })
    expect(await findTitles(app, 'clerk', 'westerly')).toEqual({ Customers: ['Alder'] })
    expect(await findTitles(app, 'clerk', 'canary')).toEqual({})
    const left = await objects.stored(
      "SELECT count(*) AS n FROM svc_search_words WHERE term LIKE '%canary'",
    )
    expect(left).toEqual([{ n: 0 }])
  })

  test('that brings records or takes their words has them read', async () => {
    await using objects = await startSearched()
    const rows = '<Rows Entity="Article" Key="Code"><Row Code="R1" Name="Ratchet"/></Rows></Model>'
    await deploy(objects, (body) => body.replace('</Model>', rows))
    await settleSearch(objects.app)
    expect(await findTitles(objects.app, 'clerk', 'ratchet')).toEqual({ Articles: ['Ratchet'] })
    await deploy(objects, (body) => body.replace('</Model>', rows.replace('Ratchet', 'Wrench')))
    await settleSearch(objects.app)
    expect(await findTitles(objects.app, 'clerk', 'ratchet')).toEqual({})
    expect(await findTitles(objects.app, 'clerk', 'wrench')).toEqual({ Articles: ['Wrench'] })
  })
})

test('the demo is searched', async () => {
  await using app = await startApp()
  await settleSearch(app)
  const { Groups } = await search(app, 'ana', 'SO-2026', { limit: '1' })
  expect(Groups.map(({ Object, Total }) => [Object, Total])).toEqual([['Orders', 71]])
  const near = await search(app, 'ana', 'hamer', { limit: '1' })
  expect([near.Corrected, near.Groups.map(({ Object }) => Object)]).toEqual([
    'hammer',
    ['Products'],
  ])
})
