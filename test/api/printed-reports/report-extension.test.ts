/** Reports of extensions among the code-defined reports: rows and files, bounds and rights. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startExtended, whileHasty } from '../../support/extensions.ts'
import { data, refusal, type Reply } from '../../support/objects.ts'
import { until } from '../../support/until.ts'

const TEXT = `export default (engine) => {
  engine.report({
    Key: 'Dues', Label: 'What is due', Resource: 'Notes', Formats: ['json', 'csv', 'pdf'],
    Parameters: [{ Name: 'Least', Type: 'Decimal', Required: true }],
    run: ({ Parameters: { Least }, query }) =>
      query('SELECT Title, Amount, Amount > 5 AS IsBig FROM notes WHERE Amount >= @Least ORDER BY Title', { Least }),
  })
  engine.report({
    Key: 'Letter', Resource: 'Notes', Formats: ['pdf'],
    run: () => ({ Body: '<b>hello</b>', ContentType: 'text/html' }),
  })
  engine.report({
    Key: 'Ragged', Resource: 'Notes', Formats: ['json'],
    run: () => [{ A: 1 }, { B: true, A: 2 }, { B: null, C: 'x' }],
  })
  engine.report({
    Key: 'Wide', Resource: 'Notes', Parameters: [{ Name: 'Columns', Type: 'Integer' }],
    run: ({ Parameters: { Columns } }) =>
      Array.from({ length: Columns }, (_, at) => ({ ['C' + at]: at })),
  })
  engine.report({ Key: 'Hidden', run: () => [] })
  engine.report({ Key: 'Wrong', Resource: 'Notes', run: () => 'text' })
  engine.report({ Key: 'Throws', Resource: 'Notes', run: () => { throw new Error('not today') } })
  engine.report({ Key: 'Loops', Resource: 'Notes', run: () => { while (true) {} } })
  engine.report({
    Key: 'Writes', Resource: 'Notes',
    run: async (context) => [await context.submit?.({ FormName: 'Notes', Parameters: { Title: 'x' } }) ?? {}],
  })
}
`

let world: Awaited<ReturnType<typeof startExtended>>
beforeAll(async () => {
  const bad = `export default (engine) => { engine.report({ Key: 'list', run: () => [] }) }`
  world = await startExtended({ 'dues.ts': TEXT, 'bad.ts': bad })
  for (const [Title, Amount] of [
    ['one', 1],
    ['ten', 10.5],
  ])
    await world.save('run', 'Notes', { Title, Amount })
})
afterAll(() => world[Symbol.asyncDispose]())

const get = (as: string, path: string): Promise<Reply<unknown>> =>
  world.app.fetch(`/report/${path}`, { as })

test('they stand in the list of those who may List their Resource', async () => {
  const answer: Reply<{ Key: string }[]> = await world.app.fetch('/report', { as: 'run' })
  const keys = data(answer).map(({ Key }) => Key)
  expect(keys).toContain('Dues')
  expect(keys).not.toContain('Hidden')
  refusal(await get('run', 'hidden'), 401)
})

describe('rows', () => {
  test('become a file, of the caller’s company, by their parameters', async () => {
    const { text } = await get('run', 'dues?Least=5')
    expect(JSON.parse(text)).toEqual({
      Title: 'What is due',
      DataSets: {
        Dues: {
          Columns: [
            { Name: 'Title', Label: 'Title', Type: 'Text' },
            { Name: 'Amount', Label: 'Amount', Type: 'Decimal' },
            { Name: 'IsBig', Label: 'IsBig', Type: 'Integer' },
          ],
          Rows: [{ Title: 'ten', Amount: 10.5, IsBig: 1 }],
        },
      },
    })
    const csv = await get('run', 'DUES?least=0&format=csv')
    expect(csv.text).toBe('Title,Amount,IsBig\r\none,1,0\r\nten,10.5,1\r\n')
    expect((await get('far', 'dues?Least=0&format=csv')).text).toBe('No rows\r\n')
  })

  test('have every member that any of them has, typed by its values', async () => {
    const { DataSets } = JSON.parse((await get('run', 'ragged')).text)
    expect(DataSets.Ragged).toEqual({
      Columns: [
        { Name: 'A', Label: 'A', Type: 'Integer' },
        { Name: 'B', Label: 'B', Type: 'Boolean' },
        { Name: 'C', Label: 'C', Type: 'Text' },
      ],
      Rows: [
        { A: 1, B: null, C: null },
        { A: 2, B: true, C: null },
        { A: null, B: null, C: 'x' },
      ],
    })
  })

  test('have columns within a bound, however few members each row has', async () => {
    const { text } = await get('run', 'wide?Columns=1000&format=csv')
    expect(text.split('\r\n')[1000]).toBe(`${','.repeat(999)}999`)
    for (const format of ['pdf', 'xlsx', 'csv', 'json']) {
      const { error } = refusal(await get('run', `wide?Columns=1001&format=${format}`), 400)
      expect(error).toBe("'Wide' returned more than 1000 columns")
    }
  })

  test('parameters are checked', async () => {
    expect(Object.keys(refusal(await get('run', 'dues'), 400).fieldErrors ?? {})).toEqual(['Least'])
    const wrong = refusal(await get('run', 'dues?Least=much'), 400)
    expect(Object.keys(wrong.fieldErrors ?? {})).toEqual(['Least'])
  })
})

test('a file keeps its type, and HTML is never shown in place', async () => {
  const { headers, text } = await get('run', 'letter?inline=true')
  expect(text).toBe('<b>hello</b>')
  expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
  expect(headers.get('Content-Disposition')).toMatch(/^attachment; filename="Letter [\d-]+\.html"$/)
  expect(headers.get('Content-Security-Policy')).toBe('sandbox')
})

test('faults are told as those of scripts', async () => {
  expect(refusal(await get('run', 'wrong'), 400).error).toContain('neither rows nor a file')
  expect(refusal(await get('run', 'throws'), 400).error).toContain('not today')
  const looped = await whileHasty(world, 1000, () => get('run', 'loops'))
  expect(refusal(looped, 400).error).toContain('longer than 1 seconds')
  const { faults } = await world.app.context.extensions.load()
  expect(faults).toEqual([
    { File: 'bad.ts', Line: null, Message: 'There is a report list already' },
  ])
})

test('it has no way to write', async () => {
  const { text } = await get('run', 'writes?format=json')
  expect(JSON.parse(text)).toMatchObject({ DataSets: { Writes: { Rows: [{}] } } })
  const rows = await world.app.store.all(`SELECT Title FROM notes WHERE Title = 'x'`)
  expect(rows).toEqual([])
})

test('in the background a job runs it; the file keeps its own type and name', async () => {
  const { jobs, store } = world.app.context
  const body = { Background: true }
  const asked = await world.app.fetch('/report/letter', { as: 'run', body })
  expect(asked.status).toBe(200)
  refusal(await world.app.fetch('/report/dues', { as: 'run', body }), 400)
  await jobs.start()
  const find = () => store.get('SELECT Url FROM svc_notifications', {})
  await until(find)
  await jobs.stop()
  const { headers, text } = await world.app.fetch(String((await find())?.Url), { as: 'run' })
  expect(text).toBe('<b>hello</b>')
  expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
  expect(headers.get('Content-Disposition')).toMatch(/^attachment; filename="Letter [\d-]+\.html"$/)
})
