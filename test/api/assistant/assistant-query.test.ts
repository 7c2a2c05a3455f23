/** Questions in words (src/server/README.md, Assistant): answers, refusals, rights, the audit. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { startSales } from '../../support/explored-sales.ts'
import { refusal, type Refusal, type Row } from '../../support/objects.ts'

interface Answer {
  Object: string | null
  Request: Row | null
  About: string | null
  Provider: string
  Explanation: string
  Alternative: { Request: Row; Explanation: string } | null
  Comparison?: { Before: string; After: string; Figures: Row[] }
  Result: { Columns: { Name: string; Label: string }[]; Rows: Row[]; HasMore: boolean }
}

const ask = (app: TestApp, body: Row, as = 'ana', language = 'en') =>
  app.fetch<Refusal & { data: Answer; suggestions?: string[] }>('/api/v1/svc/assistant/query', {
    as,
    headers: { 'Accept-Language': language },
    body,
  })

async function answer(app: TestApp, body: Row, as?: string, language?: string): Promise<Answer> {
  const { status, text, body: told } = await ask(app, body, as, language)
  expect({ status, text }).toMatchObject({ status: 200 })
  return told.data
}

let shared: TestApp
beforeAll(async () => {
  shared = await startApp()
})
afterAll(async () => shared[Symbol.asyncDispose]())

describe('an answer', () => {
  test('that needs no name of the data reads no rows but its own', async () => {
    const { queryCache } = shared.context
    const before = queryCache.misses
    const told = await answer(shared, { Question: 'average order total by region' })
    expect(told.Request).toMatchObject({ ObjectName: 'Orders', GroupBy: ['Region'] })
    expect(queryCache.misses - before).toBe(1)
  })

  test('is that of its request, and says what was understood', async () => {
    await using app = await startApp()
    const Question = 'How many orders are shipped, by region?'
    const told = await answer(app, { Question })
    expect(told).toMatchObject({
      Object: 'Orders',
      Request: {
        ObjectName: 'Orders',
        Filters: [{ Field: 'Status', Operator: 'eq', Value: 'shipped' }],
        GroupBy: ['Region'],
        Aggregates: [{ Function: 'count' }],
      },
      About: null,
      Explanation: 'Orders: count, by Region, Status is Shipped',
      Provider: 'builtin',
    })
    const { body } = await app.fetch<{ data: Answer['Result'] }>(
      '/api/v1/svc/object-explorer/query',
      { as: 'ana', body: told.Request },
    )
    expect(told.Result).toEqual(body.data)
    expect(told.Result.Rows.length).toBeGreaterThan(1)
  })

  test.each<[string, string, string]>([
    ['compare revenue of 2025 with 2024', '2024', '2025'],
    ['revenue growth 2025', '2024', '2025'],
    ['Wachstum des Umsatzes 2025', '2024', '2025'],
    ['number of orders in March 2025 compared to February 2025', '2025-02', '2025-03'],
  ])('to %s tells what changed', async (Question, Before, After) => {
    const { Comparison, Result } = await answer(shared, { Question })
    const figureOf = (period: string): number => {
      const row = Result.Rows.find((each) => Object.values(each).includes(period)) ?? {}
      return Number(Object.values(row).at(-1))
    }
    const [before, after] = [figureOf(Before), figureOf(After)]
    const cents = Math.round(after * 100) - Math.round(before * 100)
    expect(before).toBeGreaterThan(0)
    expect(Comparison).toEqual({
      Before,
      After,
      Figures: [
        {
          Column: Result.Columns.at(-1)?.Name,
          Group: {},
          Before: before,
          After: after,
          Difference: cents / 100,
          Percent: expect.closeTo((after / before - 1) * 100, 2),
        },
      ],
    })
  })

  test('tells what changed in each group, also from nothing', async () => {
    const Question = 'revenue growth by region 2023'
    const { Comparison, Result } = await answer(shared, { Question })
    expect(Comparison).toMatchObject({ Before: '2022', After: '2023' })
    expect(Comparison?.Figures.map(({ Group }) => Group)).toEqual(
      Result.Rows.map(({ Region, Region__Label }) => ({ Region, Region__Label })),
    )
    for (const figure of Comparison?.Figures ?? [])
      expect(figure).toMatchObject({ Before: 0, Difference: figure.After, Percent: null })
    expect((await answer(shared, { Question: 'revenue by year' })).Comparison).toBeUndefined()
  })

  test('speaks the language of the question', async () => {
    await using app = await startApp()
    const told = await answer(app, { Question: 'Stornierte Aufträge letzten Monat je Gebiet' })
    expect(told.Explanation).toBe(
      'Aufträge: Anzahl, je Gebiet, Status ist Storniert, Bestellt am ist letzter Monat',
    )
  })

  test('goes on from the questions before it', async () => {
    await using app = await startApp()
    const Before = ['how many orders in 2025?', 'by region']
    const told = await answer(app, { Question: 'only the cancelled ones', Before })
    expect(told.Request).toMatchObject({
      GroupBy: ['Region'],
      Filters: [
        { Field: 'Status', Value: 'cancelled' },
        { Field: 'OrderedAt', Value: ['2025-01-01', '2025-12-31'] },
      ],
    })
    expect(told.Explanation).toBe(
      'Orders: count, by Region, Status is Cancelled, Ordered at between 2025-01-01, 2025-12-31; ' +
        'from your question before: count, by Region, Ordered at between 2025-01-01, 2025-12-31',
    )
  })

  test.each([
    ['revenue this year', 'and in Coast?', 'en', 'sum of Total, Ordered at is this year'],
    ['orders by region', 'the same for 2024', 'en', 'count, by Region'],
    ['orders by region', 'what about 2024?', 'en', 'count, by Region'],
    ['open orders in Lakes', 'of those over 500', 'en', 'Region is Lakes, in “Open orders”'],
    ['offene Aufträge', 'und davon in Küste', 'de', 'aus „Offene Aufträge“'],
    ['Aufträge in Seen', 'nur die offenen', 'de', 'Gebiet ist Seen'],
    ['Umsatz 2025', 'dasselbe für 2024', 'de', 'Summe von Summe'],
  ])('says what it took over: %s, %s', async (before, Question, language, taken) => {
    const { Explanation } = await answer(shared, { Question, Before: [before] }, 'ana', language)
    const [, told] = Explanation.split(/; (?:from your question before|aus Ihrer Frage davor): /)
    expect(told).toBe(taken)
    const whole = await answer(shared, { Question: before, Before: [Question] }, 'ana', language)
    expect(whole.Explanation).not.toMatch(/before|davor/)
  })

  test('is of the object that the caller looks at, if the question names none', async () => {
    for (const [Question, object, explanation] of [
      ['how many are there?', 'Customers', 'Customers: count'],
      ['Wie viele gibt es?', 'products', 'Artikel: Anzahl'],
      ['how many this year?', 'Orders', 'Orders: count, Ordered at is this year'],
      ['how many customers are there?', 'Orders', 'Customers: count'],
    ] as const)
      expect((await answer(shared, { Question, Object: object })).Explanation).toBe(explanation)
    const none = await ask(shared, { Question: 'how many are there?' })
    expect(refusal(none, 400).code).toBe('NOT_UNDERSTOOD')
  })

  test('offers the second date where the question names none', async () => {
    const told = await answer(shared, { Question: 'revenue in 2025' })
    expect(told.Explanation).toContain('sum of Total, Ordered at between')
    expect(told.Alternative?.Explanation).toContain('sum of Total, Due on between')
    const named = await answer(shared, { Question: 'orders due in 2025' })
    expect(JSON.stringify(named.Alternative ?? '')).not.toContain('OrderedAt')
  })

  test('is about what the caller looks at, where the question does not say', async () => {
    await using app = await startApp()
    for (const [slug, name] of [
      ['cities', 'Cities'],
      ['countries', 'Countries'],
    ])
      expect((await answer(app, { Question: 'sorted by name', Object: slug })).Object).toBe(
        name ?? '',
      )
  })

  test('finds mistyped words', async () => {
    await using app = await startApp()
    const told = await answer(app, { Question: 'shiped ordres by reigon' })
    expect(told.Request).toMatchObject({
      ObjectName: 'Orders',
      GroupBy: ['Region'],
      Filters: [{ Field: 'Status', Value: 'shipped' }],
    })
  })

  test('of the application itself has no request', async () => {
    await using app = await startApp()
    const told = await answer(app, { Question: 'what may I do here?', Object: 'orders' })
    expect(told).toMatchObject({ Object: 'Orders', Request: null, About: 'permissions' })
    const [row] = told.Result.Rows
    expect(row).toMatchObject({ Object: 'Orders', Create: '✓' })
    expect(String(row?.Capabilities)).toContain('Approve orders')
    const all = await answer(app, { Question: 'what can I ask?' })
    expect(all).toMatchObject({ Object: null, About: 'objects' })
    for (const { Question } of all.Result.Rows)
      expect((await ask(app, { Question })).status).toBe(200)
  })
})

describe('a question that is not understood', () => {
  test('is a 400 with questions that can be answered', async () => {
    await using app = await startApp()
    for (const [Question, language] of [
      ['what is the profit of the moon', 'en'],
      ['wie wird das Wetter', 'de'],
      ['orders zxcvb', 'en'],
    ] as const) {
      const told = await ask(app, { Question }, 'ana', language)
      expect(refusal(told, 400).code).toBe('NOT_UNDERSTOOD')
      expect(told.body.suggestions).toHaveLength(3)
      for (const suggestion of told.body.suggestions ?? [])
        await answer(app, { Question: suggestion }, 'ana', language)
    }
  })

  test('with more than 100 words says so, and is not read', async () => {
    const asked = async (words: number, language: string) =>
      ask(shared, { Question: Array(words).fill('Coast').join(' ') }, 'ana', language)
    const told = await asked(101, 'en')
    expect(refusal(told, 400).error).toBe('A question has at most 100 words; this one has 101.')
    expect(refusal(await asked(101, 'de'), 400).error).toBe(
      'Eine Frage hat höchstens 100 Wörter; diese hat 101.',
    )
    expect((await asked(100, 'en')).text).not.toContain('at most')
  })

  test.each([
    ['orders zxcvb', 'en', 'I do not know “zxcvb” here.', 'How many Orders are there?'],
    ['order 10300', 'en', 'There is no order 10300.', 'How many Orders are there?'],
    ['order SO-2099-00001', 'en', 'There is no order SO-2099-00001.', 'Orders by Customer'],
    ['Auftrag 10300', 'de', 'Auftrag 10300 gibt es nicht.', 'Wie viele Aufträge gibt es?'],
    ['revenue of moon in Coast', 'en', 'I do not know “moon” here.', 'revenue in Coast'],
    ['Umsatz von Mond je Gebiet', 'de', 'Ich kenne „Mond“ hier nicht.', 'Umsatz je Gebiet'],
    [
      'stock levels by color',
      'en',
      'I do not know “color” here.',
      'How many Stock levels are there?',
    ],
    [
      'orders in Lakse',
      'en',
      'I do not know “Lakse” here. Spelled alike: “Lakes”, “Lapsed”.',
      'orders in Lakes',
    ],
    [
      'orders of Larkspurr Kitchen',
      'en',
      'I do not know “Larkspurr Kitchen” here. Spelled alike: “Larkspur Joinery & Co”, ' +
        '“Larkspur Kitchens Group”, “Larkspur Kitchens Trading”.',
      'orders of Larkspur Kitchens Trading',
    ],
    [
      'stock movements in Vienna',
      'en',
      'I do not know “Vienna” here. “Wien” is a city of customers (5).',
      'Customers with City Wien',
    ],
    [
      'Lagerbewegungen in Wien',
      'de',
      'Ich kenne „Wien“ hier nicht. „Wien“ gibt es als Ort von Kunden (5).',
      'Kunden mit Ort Wien',
    ],
    [
      'customers without any orders by region',
      'en',
      'I do not understand “without any” here.',
      'How many Orders are there?',
    ],
  ])('names its words, and what comes near: %s', async (Question, language, error, near) => {
    const told = await ask(shared, { Question }, 'ana', language)
    expect(refusal(told, 400)).toMatchObject({ code: 'NOT_UNDERSTOOD', error })
    expect(told.body.suggestions).toContain(near)
    for (const suggestion of told.body.suggestions ?? [])
      await answer(shared, { Question: suggestion }, 'ana', language)
  })

  test.each(['delete all orders', 'approve order SO-2023-00003', 'lösche alle Kunden'])(
    'as one that wants something done: %s',
    async (Question) => {
      await using app = await startApp()
      expect(refusal(await ask(app, { Question }), 400).code).toBe('NOT_UNDERSTOOD')
    },
  )

  test.each([
    ['', 400],
    ['?!', 400],
    ['x'.repeat(2000), 400],
    ['x '.repeat(1000), 400],
    ['orders '.repeat(100), 200],
    ['orders '.repeat(285), 400],
    ['\u0000orders', 200],
    ['orders \ud800', 200],
    ["orders'; DROP TABLE orders; --", 400],
    ['customers called %_*[a-z]"', 400],
    [`${'('.repeat(900)}orders`, 200],
  ])('is refused or read, whatever it is: %j', async (Question, status) => {
    await using app = await startApp()
    expect((await ask(app, { Question })).status).toBe(status)
  })
})

test('words without end are given up, not looked up one by one', async () => {
  await using app = await startApp()
  const words = Array.from({ length: 49 }, (_, at) => `zq${'abcdefghij'[at % 10]}x${at} and`)
  let reads = 0
  const { get } = app.store
  app.store.get = ((...args: Parameters<typeof get>) => {
    reads++
    return get.apply(app.store, args)
  }) as typeof get
  const told = await ask(app, { Question: `orders of ${words.join(' ')}` })
  expect(refusal(told, 400).code).toBe('NOT_UNDERSTOOD')
  // Three words in six places, and the one name of a suggestion in as many.
  expect(reads).toBeLessThanOrEqual(24)
})

describe('rights', () => {
  test('hold: other rows, hidden fields and objects are not there', async () => {
    await using sales = await startSales()
    const { app } = sales
    const count = async (as: string): Promise<unknown> =>
      (await answer(app, { Question: 'how many sales?' }, as)).Result.Rows[0]?.count
    expect([await count('ana'), await count('rep')]).toEqual([5, 2])
    for (const Question of ['sales by client', 'sum of cost of sales', 'clients', 'sales of Zed']) {
      await answer(app, { Question })
      const told = await ask(app, { Question }, 'rep')
      expect(refusal(told, 400).code).toBe('NOT_UNDERSTOOD')
      expect((told.body.suggestions ?? []).join()).not.toMatch(/client|cost/i)
    }
    // What the caller's roles hide reads like what is not there.
    const [hidden, nothing] = [
      await ask(app, { Question: 'sum of cost of sales' }, 'rep'),
      await ask(app, { Question: 'sum of glorp of sales' }, 'rep'),
    ]
    expect(refusal(hidden, 400).error).toBe('I do not know “cost” here.')
    expect(hidden.text.replaceAll('cost', 'glorp').replace(/"traceId":"[^"]*"/, '')).toBe(
      nothing.text.replace(/"traceId":"[^"]*"/, ''),
    )
    const none = await ask(app, { Question: 'how many sales?' }, 'dee')
    expect([none.status, none.body.suggestions]).toEqual([400, []])
  })

  test('each read is audited before it is made', async () => {
    await using app = await startApp()
    await answer(app, { Question: 'orders over 20000' })
    const [entry] = await app.store.all(
      "SELECT Source, UserId, Action, Changes FROM svc_audit WHERE Entity = 'svc_assistant'",
    )
    expect(entry).toMatchObject({ Source: 'assistant/builtin', UserId: 2, Action: 'call' })
    expect(String(entry?.Changes)).toContain('20000')
  })
})

test('earlier questions have 4 KB in all', async () => {
  await using app = await startApp()
  const ask = (Before: string[]) =>
    app.fetch('/api/v1/svc/assistant/query', {
      as: 'ana',
      body: { Question: 'how many orders?', Before },
    })
  const [umlauts, text] = ['ä'.repeat(1000), 'x'.repeat(1900)]
  expect(await ask([umlauts, text, 'y'.repeat(197)])).toMatchObject({
    status: 400,
    body: { fieldErrors: { Before: 'Earlier questions can have at most 4096 bytes in total' } },
  })
  expect((await ask(['by region'])).status).toBe(200)
})
