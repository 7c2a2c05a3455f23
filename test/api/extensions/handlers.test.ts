/** File formats of extensions beside those of the engine: lists, gates, exports and imports. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Extended, startExtended, whileHasty } from '../../support/extensions.ts'
import { data, refusal, type Reply } from '../../support/objects.ts'
import { until } from '../../support/until.ts'

const HANDLERS = `import type { Engine } from './appengine.d.ts'
export default (engine: Engine) => {
  engine.handler({
    Name: 'Lines',
    Label: 'Marked lines',
    Formats: ['marked', 'upper'],
    Extension: '.lines',
    ContentType: 'text/plain; charset=utf-8',
    Parameters: [{ Name: 'Mark', Default: '|' }, { Name: 'Times', Type: 'Integer' }],
    async *export({ Columns, rows, Parameters, Format, Title }) {
      const toLine = (cells: readonly unknown[]): string => {
        const text = cells.map((cell) => cell ?? '').join(Parameters.Mark) + '\\n'
        return Format === 'upper' ? text.toUpperCase() : text
      }
      yield toLine(Columns.map(({ Name }) => Name))
      for await (const row of rows) yield new TextEncoder().encode(toLine(row))
    },
    async *import({ lines, Parameters }) {
      for await (const line of lines) yield line.split(Parameters.Mark).map((cell) => cell === '' ? null : cell)
    },
  })
  engine.handler({ Name: 'OnlyOut', Resource: 'Lines', async *export({ rows }) { for await (const row of rows) yield '.' } })
  engine.handler({ Name: 'Hasty', Resource: 'Lines', async *export() { yield 'nothing' } })
  engine.handler({ Name: 'Torn', Resource: 'Lines', async *export({ rows }) { for await (const row of rows) throw new Error('The printer is out') }, async *import() { yield ['Title']; throw new Error('Line 2 is torn') } })
  engine.handler({ Name: 'Stuck', Resource: 'Lines', async *export() { while (true) {} }, async *import() { while (true) {} } })
  engine.handler({ Name: 'Other', async *export({ rows }) { for await (const row of rows) yield '.' } })
}
`

interface Done {
  File?: {
    FileName: string
    Url: string
    ContentType: string
    Size: number
    Rows: number
    Sha256: string
  }
  Import?: { Inserted: number; Failed: number; Rows: number; ErrorFile: { Url: string } | null }
}

let world: Extended
beforeAll(async () => {
  world = await startExtended({ 'handlers.ts': HANDLERS })
  for (const [title, amount] of [
    ['Ape', 1.5],
    ['Bee', null],
    ['Cat', 30],
  ] as const)
    await world.save('run', 'Notes', { Title: title, Amount: amount })
})
afterAll(() => world[Symbol.asyncDispose]())

const exportBy = (as: string, name: string, more: object = {}): Promise<Reply<Done>> =>
  world.app.fetch(`/api/v1/svc/handlers/${name}/export`, {
    as,
    body: { ObjectName: 'notes', Fields: ['Title', 'Amount'], Sort: [{ Field: 'Title' }], ...more },
  })

async function importBy(
  as: string,
  name: string,
  text: string,
  more: Record<string, string> = {},
): Promise<Reply<Done>> {
  const form = new FormData()
  form.set('objectName', 'Notes')
  for (const [field, value] of Object.entries(more)) form.set(field, value)
  form.set('file', new File([text], 'notes.any'))
  const response = await world.app.handle(
    new Request(`http://localhost/api/v1/svc/handlers/${name}/import`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${world.app.tokens[as]}` },
      body: form,
    }),
  )
  const body = await response.json()
  return { status: response.status, headers: response.headers, text: '', body } as Reply<Done>
}

const fetchText = async (as: string, url: string): Promise<string> =>
  (await world.app.fetch(url, { as })).text

test('the list has the engine’s own and those that the caller may use', async () => {
  const list = async (as: string): Promise<string[]> => {
    const answer: Reply<{ Name: string; Kind: string }[]> = await world.app.fetch(
      '/api/v1/svc/handlers',
      { as },
    )
    return data(answer).map(({ Name, Kind }) => `${Kind} ${Name}`)
  }
  const own = (await list('none')).sort()
  expect(own).toContain('Export csv')
  expect(own).toContain('Import jsonl')
  const run = await list('run')
  expect(run.filter((entry) => !own.includes(entry)).sort()).toEqual([
    'Export Hasty',
    'Export Lines',
    'Export OnlyOut',
    'Export Stuck',
    'Export Torn',
    'Import Lines',
    'Import Stuck',
    'Import Torn',
  ])
  expect(await list('root')).toContain('Export Other')
})

test('an export goes through the handler, typed and whole', async () => {
  const { File: file } = data(await exportBy('run', 'lines', { Parameters: { Mark: ';' } }))
  expect(file).toMatchObject({ Rows: 3, ContentType: 'text/plain; charset=utf-8' })
  expect(file?.FileName).toEndWith('.lines')
  const text = await fetchText('run', file?.Url ?? '')
  expect(text).toBe('Title;Amount\nApe;1.5\nBee;\nCat;30\n')
  expect(new Bun.CryptoHasher('sha256').update(text).digest('hex')).toBe(file?.Sha256 ?? '')
  expect(file?.Size).toBe(text.length)
  const upper = data(await exportBy('run', 'Lines', { Format: 'UPPER' }))
  expect(await fetchText('run', upper.File?.Url ?? '')).toStartWith('TITLE|AMOUNT\nAPE|1.5')
})

test('export-data knows the formats of handlers, for those who may use them', async () => {
  const exportAs = (as: string, format: string): Promise<Reply<Done>> =>
    world.call(as, '/export-data', { ObjectName: 'notes', Format: format, Fields: ['Title'] })
  expect(data(await exportAs('run', 'Marked')).File?.FileName).toEndWith('.lines')
  const unknown = refusal(await exportAs('read', 'marked'), 400)
  expect(unknown).toMatchObject({ code: 'UNKNOWN_FORMAT' })
  expect(unknown.error).not.toContain('marked')
})

test('the engine’s own formats are handlers too', async () => {
  const { File: file } = data(await exportBy('run', 'csv'))
  expect(await fetchText('run', file?.Url ?? '')).toContain('Ape')
  const done = data(await importBy('run', 'csv', 'Title,Amount\nDog,4\n'))
  expect(done.Import).toMatchObject({ Inserted: 1, Failed: 0 })
})

test('in the background, too: the path names the format', async () => {
  const asked = data(await importBy('run', 'csv', 'Title,Amount\nGnu,7\n', { background: 'true' }))
  const { JobId } = asked as unknown as { JobId: number }
  await world.app.context.jobs.start()
  const stateOf = async () =>
    (await world.app.store.get(`SELECT State FROM svc_jobs WHERE Id = ${JobId}`))?.State
  await until(async () => !['Enqueued', 'Processing'].includes(String(await stateOf())))
  await world.app.context.jobs.stop()
  expect(await stateOf()).toBe('Succeeded')
})

test('an import goes through the handler', async () => {
  const parameters = JSON.stringify({ mark: ';' })
  const done = data(await importBy('run', 'Lines', 'Title;Amount\nElk;5.5\nFox;\n', { parameters }))
  expect(done.Import).toMatchObject({ Inserted: 2, Failed: 0, Rows: 2 })
  const { Rows: rows } = await world.table('run', 'Notes', {
    SearchText: '',
    Sort: [{ Field: 'Title' }],
  })
  expect(rows.map(({ Title, Amount }) => [Title, Amount])).toContainEqual(['Elk', 5.5])
})

test('rows with faults are told by their line, or given back in the format that came', async () => {
  const text = 'Title|Amount\nGnu|many\nHen|7\n'
  const refused = refusal(await importBy('run', 'Lines', text), 400)
  expect(Object.keys(refused.fieldErrors ?? {})).toEqual(['Rows[2].Amount'])
  const done = data(await importBy('run', 'Lines', text, { onError: 'skip' }))
  expect(done.Import).toMatchObject({ Inserted: 1, Failed: 1 })
  const errors = await fetchText('run', done.Import?.ErrorFile?.Url ?? '')
  expect(errors).toContain('Gnu|many|')
})

test('gates: of the handler and of the object; unknown names and parameters', async () => {
  refusal(await exportBy('read', 'Lines'), 401)
  refusal(await exportBy('none', 'csv'), 401)
  refusal(await exportBy('run', 'Other'), 401)
  refusal(await exportBy('run', 'Nothing'), 401)
  refusal(await exportBy('run', '..%2Fx'), 401)
  refusal(await exportBy('root', 'Nothing'), 404)
  refusal(await exportBy('root', '..%2Fx'), 400)
  refusal(await exportBy('run', 'Lines', { ObjectName: 'Nothing' }), 404)
  expect(refusal(await exportBy('run', 'Lines', { Format: 'pdf' }), 400).code).toBe(
    'UNKNOWN_FORMAT',
  )
  const wrong = refusal(await exportBy('run', 'Lines', { Parameters: { Times: 'x' } }), 400)
  expect(Object.keys(wrong.fieldErrors ?? {})).toEqual(['Times'])
  refusal(await importBy('read', 'Lines', 'Title\nx\n'), 401)
  refusal(await importBy('read', 'csv', 'Title\nx\n'), 401)
  refusal(await importBy('run', 'OnlyOut', 'Title\nx\n'), 404)
  refusal(await importBy('run', 'Lines', 'Title\nx\n', { parameters: '[1]' }), 400)
  const later = await importBy('run', 'Lines', 'Title\nx\n', { background: 'true' })
  expect(refusal(later, 400).error).toBe(
    'The format of an extension cannot be imported in the background',
  )
})

test('a handler that fails, ends early or never ends leaves no file and no row', async () => {
  const names = (folder: string) => readdirSync(join(world.app.folder, folder)).sort()
  const files = names('exports')
  expect(refusal(await exportBy('run', 'Hasty'), 400).error).toContain('every row')
  expect(refusal(await exportBy('run', 'Torn'), 400).error).toBe(
    "'Torn' failed: The printer is out",
  )
  const stuck = [() => exportBy('run', 'Stuck'), () => importBy('run', 'Stuck', 'x')]
  const before = (await world.table('run', 'Notes')).Pagination.TotalRows
  expect(refusal(await importBy('run', 'Torn', 'x'), 400).error).toBe(
    "'Torn' failed: Line 2 is torn",
  )
  for (const ask of stuck)
    expect(refusal(await whileHasty(world, 1500, ask), 400).error).toContain('than 1.5 seconds')
  expect((await world.table('run', 'Notes')).Pagination.TotalRows).toBe(before)
  expect([names('exports'), names('uploads')]).toEqual([files, []])
})
