/** Scripts of extensions: who runs them, what they are given, what they may do and give back. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Extended, startExtended } from '../../support/extensions.ts'
import { data, refusal } from '../../support/objects.ts'

const SCRIPTS = `
import { greet } from './shared/greeting.ts'

export default (engine: Engine) => {
  engine.script({
    Name: 'Echo',
    Label: 'Says what it was given',
    Resource: 'Reports',
    Parameters: [
      { Name: 'Text', Required: true },
      { Name: 'Count', Type: 'Integer', Default: 3 },
      { Name: 'Price', Type: 'Decimal' },
      { Name: 'On', Type: 'Date' },
      { Name: 'Flag', Type: 'Boolean' },
      { Name: 'More', Type: 'Json' },
    ],
    run({ Parameters, log }) {
      log(greet(Parameters.Text), 1, { a: [2] })
      console.log('printed')
      return Parameters
    },
  })
  engine.script({
    Name: 'Sum',
    Resource: 'Reports',
    Parameters: [{ Name: 'From', Type: 'Decimal', Default: 0 }],
    async run({ Parameters, query }) {
      const [row] = await query(
        'SELECT count(*) AS Notes, sum(Amount) AS Amount, @CurrentUserName AS Who ' +
          'FROM notes WHERE Amount >= @from',
        Parameters,
      )
      const page = await query({ ObjectName: 'notes', Sort: [{ Field: 'Title' }], CountMode: 'exact' })
      return { row, titles: page.Rows.map(({ Title }) => Title), keys: Object.keys(page.Rows[0] ?? {}) }
    },
  })
  engine.script({
    Name: 'Add',
    Resource: 'Reports',
    Parameters: [{ Name: 'Title' }, { Name: 'Extra', Type: 'Json' }],
    async run({ Parameters, submit }) {
      const { Action, Keys } = await submit({
        FormName: 'Notes',
        Parameters: { Title: Parameters.Title, ...(Parameters.Extra as object | null) },
      })
      return { Action, Keys }
    },
  })
  engine.script({
    Name: 'Catch',
    Resource: 'Reports',
    async run({ submit, query }) {
      const told: unknown[] = []
      for (const attempt of [
        () => query({ ObjectName: 'notes', ...{ Filter: [{ Field: 'Title', Value: 'x' }] } }),
        () => query({ ObjectName: 'notes', ...{ filters: [{ Field: 'Title', Value: 'x' }] } }),
        () => submit({ FormName: 'Notes', Parameters: {} }),
        () => submit({ FormName: 'Nothing', Parameters: {} }),
        () => query('DELETE FROM notes'),
        () => query('SELECT * FROM svc_sessions'),
        () => query("SELECT readfile('/etc/passwd')"),
        () => query('SELECT nothing FROM notes'),
        () => query({ ObjectName: 'Notes', Sort: [{ Field: 'Secret' }] }),
      ]) await attempt().then((value) => told.push(value), (error) => told.push([error.name, error.Code, error.FieldErrors]))
      return told
    },
  })
  engine.script({ Name: 'Who', Resource: 'Reports', run: ({ query }) => query(
    'SELECT @currentuserid AS Id, @CURRENTUSERNAME AS Name, @currentCompanyId AS Company, ' +
      '@user_desk AS Desk, @Other AS Other',
    { CurrentUserId: 99, currentuserid: 99, CURRENTUSERNAME: 'root', currentCompanyId: 2, USER_DESK: 'x', other: 1 }) })
  engine.script({ Name: 'Throw', Resource: 'Reports', run({ log }) { for (let at = 1; at <= 30; at++) log('step', at); throw new Error('No price for Monday') } })
  engine.script({ Name: 'Break', Resource: 'Reports', run: () => (undefined as unknown as string[]).length })
  engine.script({ Name: 'Many', Resource: 'Reports', run: ({ query }) => query(
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n') })
  engine.script({ Name: 'Parallel', Resource: 'Reports', async run({ query }) {
    const rows = await Promise.all(Array.from({ length: 50 }, (_, at) => query('SELECT @At AS At', { At: at })))
    return rows.map(([row]) => row?.At)
  } })
  engine.script({ Name: 'Place', Resource: 'Reports', run: () => ({ env: Object.keys(process.env), at: process.cwd() }) })
  engine.script({ Name: 'Chatter', Resource: 'Reports', run({ log }) { for (let i = 0; i < 9000; i++) log('x'.repeat(99)) } })
  engine.script({ Name: 'Huge', Resource: 'Reports', run: () => 'x'.repeat(5_000_000) })
  engine.script({ Name: 'Private', run: () => 1 })
}
`

let world: Extended
beforeAll(async () => {
  world = await startExtended({
    'scripts.ts': SCRIPTS,
    'shared/greeting.ts': 'export const greet = (name: string): string => `Hello ${name}`',
  })
})
afterAll(() => world[Symbol.asyncDispose]())

test('parameters are typed, defaults stand in, unknown ones are dropped', async () => {
  const given = { text: 'you', PRICE: '2.345', On: '2024-02-29', Flag: 'true', More: { a: 1 } }
  const result = data(await world.execute('run', 'echo', { ...given, Nobody: 1, CurrentUserId: 7 }))
  expect(result.Result).toEqual({
    Text: 'you',
    Count: 3,
    Price: 2.35,
    On: '2024-02-29',
    Flag: true,
    More: { a: 1 },
  })
  expect(result.Log).toEqual(['Hello you 1 {"a":[2]}', 'printed'])
  expect(result.DurationMs).toBeGreaterThanOrEqual(0)
})

test('parameters that do not fit are told by name', async () => {
  const refused = refusal(await world.execute('run', 'Echo', { Count: 'x', On: '2024-02-30' }), 400)
  expect(Object.keys(refused.fieldErrors ?? {})).toEqual(['Text', 'Count', 'On'])
  expect(refused.code).toBe('VALIDATION_FAILED')
})

test('a script reads as its caller: their company, their fields', async () => {
  for (const [as, title, amount] of [
    ['run', 'Ape', 10],
    ['run', 'Bee', 5],
    ['far', 'Far', 100],
  ] as const)
    await world.save(as, 'Notes', { Title: title, Amount: amount })
  const own = data(await world.execute('run', 'Sum', { From: 6 })).Result as Record<string, unknown>
  expect(own.row).toEqual({ Notes: 1, Amount: 10, Who: 'run' })
  expect(own.titles).toEqual(['Ape', 'Bee'])
  expect(own.keys).not.toContain('Secret')
  const far = data(await world.execute('far', 'Sum')).Result as Record<string, unknown>
  expect(far.titles).toEqual(['Far'])
})

test('a context name is one in any case, and never the script’s to bind', async () => {
  const [row] = data(await world.execute('run', 'Who')).Result as Record<string, unknown>[]
  const [stored] = await world.stored("SELECT Id FROM svc_users WHERE UserName = 'run'")
  expect(row).toEqual({ Id: stored?.Id, Name: 'run', Company: 1, Desk: '7', Other: 1 })
})

test('a script writes as its caller, by every rule, and all of it is audited', async () => {
  const { Result: made } = data(await world.execute('run', 'Add', { Title: 'New' }))
  expect(made).toEqual({ Action: 'created', Keys: { Id: expect.any(Number) } })
  const refused = refusal(await world.execute('run', 'Add', {}), 400)
  expect(refused.code).toBe('SCRIPT_FAILED')
  expect(Object.keys(refused.fieldErrors ?? {})).toEqual(['Title'])
  refusal(await world.execute('run', 'Add', { Title: 'x', Extra: { Id: 1 } }), 400)
  const audit = await world.app.fetch<{ data: { Entries: Record<string, unknown>[] } }>(
    '/api/v1/svc/audit?object=svc_scripts',
    { as: 'root' },
  )
  const [entry] = audit.body.data.Entries.filter(({ Key }) => String(Key) === 'Add')
  expect(entry).toMatchObject({
    Action: 'execute',
    Source: 'execute-script',
    User: { UserName: 'run' },
  })
})

test('what the engine refuses the script can catch', async () => {
  const { Result: told } = data(await world.execute('run', 'Catch'))
  expect(told).toEqual([
    ['EngineError', 'UNKNOWN_MEMBER', null],
    ['EngineError', 'UNKNOWN_MEMBER', null],
    ['EngineError', 'VALIDATION_FAILED', { Title: expect.any(String) }],
    ['EngineError', 'OBJECT_NOT_FOUND', null],
    ['EngineError', 'SQL_REFUSED', null],
    ['EngineError', 'SQL_REFUSED', null],
    ['EngineError', 'SQL_REFUSED', null],
    ['EngineError', 'SQL_REFUSED', null],
    ['EngineError', 'UNKNOWN_FIELD', null],
  ])
})

test('an error of its own is told; one of the machine stands in the log alone', async () => {
  const thrown = refusal(await world.execute('run', 'Throw'), 400)
  expect(thrown.error).toBe("'Throw' failed: No price for Monday")
  const told = world.app.log.find((text) => text.includes(thrown.traceId)) ?? ''
  expect(told).toContain('"lastLines":["step 11",')
  expect(told).toContain('"step 30"]')
  const broken = refusal(await world.execute('run', 'Break'), 400)
  expect(broken.error).toBe("'Break' failed. See the server log for the reason.")
  const line = world.app.log.find((text) => text.includes(broken.traceId) && text.includes('Break'))
  expect(line).toContain('"file":"scripts.ts"')
})

test('what is too much is refused, never cut short in silence', async () => {
  expect(refusal(await world.execute('run', 'Many'), 400).error).toContain('10000 rows')
  expect(refusal(await world.execute('run', 'Huge'), 400).error).toContain('4194304')
  const { Log: lines } = data(await world.execute('run', 'Chatter'))
  expect(lines.at(-1)).toBe('… the log is longer')
  expect(lines.join('\n').length).toBeLessThan(300_000)
  const args = { Text: 'x'.repeat(1_000_000) }
  refusal(await world.execute('run', 'Echo', args), 400)
})

test('calls may be made together', async () => {
  const { Result: rows } = data(await world.execute('run', 'Parallel'))
  expect(rows).toEqual(Array.from({ length: 50 }, (_, at) => at))
})

test('a script starts with no environment, in a folder of its own', async () => {
  const first = data(await world.execute('run', 'Place')).Result as { env: string[]; at: string }
  expect(first.env.filter((name) => /svc|app|path|home/i.test(name))).toEqual([])
  const second = data(await world.execute('run', 'Place')).Result as { at: string }
  expect(second.at).not.toBe(first.at)
})

test('who may run what: the list, the gate, and what an unknown name tells', async () => {
  const list = async (as: string): Promise<unknown> =>
    (
      await world.app.fetch<{ data: { Name: string }[] }>('/api/v1/svc/execute-script', { as })
    ).body.data.map(({ Name }) => Name)
  const all = (await list('root')) as string[]
  expect(all).toContain('Private')
  expect(await list('run')).toEqual(all.filter((name) => name !== 'Private'))
  expect(await list('none')).toEqual([])
  refusal(await world.execute('run', 'Private'), 401)
  refusal(await world.execute('none', 'Echo', { Text: 'x' }), 401)
  refusal(await world.execute('none', 'Nothing'), 401)
  refusal(await world.execute('none', '../x'), 401)
  refusal(await world.execute('none', 'Echo', 'no object'), 401)
  refusal(await world.execute('run', 'Echo', 'no object'), 400)
  expect(refusal(await world.execute('root', 'Nothing'), 404).code).toBe('SCRIPT_NOT_FOUND')
  refusal(await world.execute('run', 'Bad'), 404)
  for (const name of ['../x', '', 'a b', 'x'.repeat(1_000_000)])
    refusal(await world.execute('root', name), 400)
  expect(data(await world.execute('root', 'Private')).Result).toBe(1)
})
