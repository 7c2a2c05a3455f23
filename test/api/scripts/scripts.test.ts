/** The model catalog (src/server/README.md, Model catalog) and deploys over HTTP. */
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { type Answer, type CallOptions, startApp, type TestApp } from '../../support/app.ts'
import type { Refusal, Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const entity = (name: string, more = ''): string =>
  `<Entity Name="${name}" Table="${name.toLowerCase()}s" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text" Type="Text"/>${more}
</Entity>`
const view = (name: string, of: string, label: string): string =>
  `<ObjectView Name="${name}" Entity="${of}" Label="${label}"/>`
const RBAC = '<Rbac><Role Name="Clerk"><Grant Resource="Notes" Verbs="View List"/></Role></Rbac>'

/** With a byte order mark, other line ends, and what people write. */
const ODD = `\uFEFF<!-- Größe – 尺寸 -->\r\n${view('Notes', 'Note', 'Notizen &amp; mehr')}\r\n\r\n`

const NOTES: TestApplication = {
  files: [
    { name: 'note.xml', body: entity('Note') },
    { name: 'views/odd.xml', body: ODD },
    { name: 'rest.xml', body: `<Model>\n  ${RBAC}\n  <Texts Language="de"/>\n</Model>` },
  ],
  ...makePeople('ONE', { root: 'System', admin: 'Admin', ana: 'Clerk@ONE' }),
}

const SVC = '/api/v1/svc'
const md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex')

interface Plan extends Row {
  Deployed: boolean
  New: Row[]
  Changed: Row[]
  Removed: Row[]
}

function open(app: TestApp) {
  const get = <T = Row[]>(path: string, as = 'root') =>
    app.fetch<Refusal & { data: T }>(`${SVC}${path}`, { as })
  const deploy = (files: Record<string, string>, more: Row = {}, call: CallOptions = {}) =>
    app.fetch<Refusal & { data: Plan; faults?: Row[]; losses?: string[]; plan?: Plan }>(
      `${SVC}/scripts`,
      {
        as: 'root',
        body: {
          Files: Object.entries(files).map(([FileName, Body]) => ({ FileName, Body })),
          ...more,
        },
        ...call,
      },
    )
  return { app, get, deploy, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

const startNotes = async () => open(await startApp({ application: NOTES }))

const facts = ({ status, body }: Answer<Refusal>) => ({ status, code: body.code })

describe('what is deployed', () => {
  test('objects and scripts are listed with the hashes of their bodies', async () => {
    await using notes = await startNotes()
    expect((await notes.get('/object/list')).body.data).toEqual([
      {
        Name: 'Notes',
        Slug: 'notes',
        Label: 'Notizen & mehr',
        ViewType: 'Grid',
        VersionHash: md5(ODD),
      },
    ])
    const { data } = (await notes.get('/scripts')).body
    expect(data.map(({ Type, Name, FileName }) => [Type, Name, FileName])).toEqual([
      ['ObjectView', 'Notes', 'views/odd.xml'],
      ['Entity', 'Note', 'note.xml'],
      ['Rbac', 'Rbac', 'rest.xml'],
    ])
    expect(data[0]).toMatchObject({ Origin: 'deploy', ExecutedBy: null, IsCurrent: true })
    const ofType = async (type: string) => (await notes.get(`/scripts?type=${type}`)).body.data
    expect((await ofType('Entity')).map(({ Name }) => Name)).toEqual(['Note'])
    expect((await ofType('texts')).map(({ Name }) => Name)).toEqual(['de'])
    expect(await ofType('Navbar')).toEqual([])
    expect(facts(await notes.get('/scripts?type=Table'))).toEqual({
      status: 400,
      code: 'UNKNOWN_TYPE',
    })
  })

  test.each(['Notes', 'notes', 'views/odd.xml', 'VIEWS/ODD.XML'])(
    'a script by the name %s is its body, to the byte',
    async (name) => {
      await using notes = await startNotes()
      const { body } = await notes.get<Row>(`/scripts/${encodeURIComponent(name)}`)
      expect(body.data).toMatchObject({ Name: 'Notes', VersionHash: md5(ODD), Body: ODD })
    },
  )

  test('a script in a Model is its own text; of several in a file the first by type', async () => {
    await using notes = await startNotes()
    expect((await notes.get<Row>('/scripts/rest.xml')).body.data).toMatchObject({
      Type: 'Rbac',
      Body: RBAC,
      VersionHash: md5(RBAC),
    })
    const texts = await notes.get<Row>('/scripts/rest.xml?type=Texts')
    expect(texts.body.data).toMatchObject({ Type: 'Texts', Body: '<Texts Language="de"/>' })
    expect(facts(await notes.get('/scripts/NoSuch'))).toMatchObject({ status: 404 })
    expect(facts(await notes.get('/scripts/..%2fnote.xml'))).toMatchObject({ status: 404 })
  })

  test('is for System alone', async () => {
    await using notes = await startNotes()
    for (const as of ['admin', 'ana']) {
      for (const path of ['/object/list', '/scripts', '/scripts/Notes', '/scripts/NoSuch'])
        expect(facts(await notes.get(path, as))).toEqual({ status: 401, code: 'PERMISSION_DENIED' })
      expect(facts(await notes.deploy({}, {}, { as }))).toMatchObject({ status: 401 })
    }
  })
})

describe('a deploy', () => {
  test('is served from the next request on, and stands in catalog and audit', async () => {
    await using notes = await startNotes()
    const label = async () =>
      (await notes.app.fetch<{ data: string }>(`${SVC}/object/label/notes`, { as: 'ana' })).body
        .data
    const grid = () => notes.app.fetch(`${SVC}/object/places/table`, { as: 'ana', body: {} })
    expect((await grid()).status).toBe(404)
    const { body } = await notes.deploy({
      'views/odd.xml': view('Notes', 'Note', 'Slips'),
      'place.xml': `<Model>${entity('Place')}${view('Places', 'Place', 'Places')}</Model>`,
      'rest.xml': RBAC.replace('</Role>', '<Grant Resource="Places" Verbs="View List"/></Role>'),
    })
    expect(body.data).toMatchObject({
      Deployed: true,
      Changed: [{ Name: 'Notes' }, { Name: 'Rbac' }],
      Steps: ['create table places', 'create index ix_places.CompanyId'],
      Faults: [],
    })
    expect(body.data.New.map(({ Name }) => Name)).toEqual(['Place', 'Places'])
    expect(await label()).toBe('Slips')
    expect((await grid()).status).toBe(200)
    const script = (await notes.get<Row>('/scripts/Notes')).body.data
    expect(script).toMatchObject({ Origin: 'deploy', ExecutedBy: { UserName: 'root' } })
    const audit = await notes.app.store.all({
      sql: "SELECT RecordKey, Action, Changes FROM svc_audit WHERE Source = 'scripts' ORDER BY Id",
      args: {},
      runs: 'lane',
    })
    expect(audit.map(({ RecordKey, Action }) => [RecordKey, Action])).toEqual([
      ...['Place', 'Places', 'Notes', 'Rbac'].map((name) => [`["${name}"]`, 'deploy']),
    ])
    expect(JSON.parse(String(audit[2]?.Changes))).toMatchObject({
      VersionHash: [md5(ODD), script.VersionHash],
    })
  })

  test('that is a dry run gives its plan, losses included, and changes nothing', async () => {
    await using notes = await startNotes()
    const files = { 'note.xml': entity('Note').replace('<Column Name="Text" Type="Text"/>', '') }
    const [before] = await Promise.all([notes.get('/scripts')])
    await notes.app.store.write(
      (tx) => tx.run("INSERT INTO notes (CompanyId, Text) VALUES (1, 'kept')"),
      { company: 'all', because: 'a test' },
    )
    const dry = await notes.deploy(files, { DryRun: true })
    expect(dry.body.data).toMatchObject({ Deployed: false, Changed: [{ Name: 'Note' }] })
    const refused = await notes.deploy(files)
    expect(facts(refused)).toEqual({ status: 400, code: 'DATA_LOSS' })
    expect(refused.body.losses).toEqual(dry.body.data.Losses as string[])
    expect(refused.body.plan).toEqual(dry.body.data)
    expect((await notes.get('/scripts')).body).toEqual({ ...before.body })
    const allowed = await notes.deploy(files, { AllowDataLoss: true })
    expect(allowed.body.data.Deployed).toBe(true)
  })

  test('with faults names each with file, line and column, and changes nothing', async () => {
    await using notes = await startNotes()
    const before = (await notes.get('/scripts')).text
    const refused = await notes.deploy({
      'views/odd.xml': '<ObjectView Name="Notes"\n  Entity="Nothing"/>',
      'good.xml': entity('Place'),
    })
    expect(facts(refused)).toEqual({ status: 400, code: 'MODEL_FAULTS' })
    expect(refused.body.faults).toEqual([
      { File: 'views/odd.xml', Line: 2, Column: 3, Message: expect.any(String) },
    ])
    expect(refused.body.plan).toMatchObject({ Deployed: false, Faults: refused.body.faults })
    expect((await notes.get('/scripts')).text).toBe(before)
    const german = await notes.deploy(
      { 'a.xml': '<Entity' },
      {},
      { headers: { 'Accept-Language': 'de' } },
    )
    expect(german.body.error).toStartWith('Das Modell hat 1 Fehler')
  })

  test('is rolled back: the model of before serves, and it stands in the audit', async () => {
    await using notes = await startNotes()
    const rollBack = (more: Row = {}, call: CallOptions = {}) =>
      notes.app.fetch<Refusal & { data: Plan; losses?: string[]; plan?: Plan }>(`${SVC}/scripts`, {
        as: 'root',
        body: { Rollback: true, ...more },
        ...call,
      })
    const first = await rollBack({}, { headers: { 'Accept-Language': 'de' } })
    expect([first.status, first.body.code, first.body.error]).toEqual([
      409,
      'NO_ROLLBACK',
      'Das letzte Ausrollen war das erste: Es gibt kein Modell, zu dem es zurückgehen könnte.',
    ])
    const files = {
      'note.xml': entity('Note', '<Column Name="Size" Type="Integer"/>'),
      'place.xml': `<Model>${entity('Place')}${view('Places', 'Place', 'Places')}</Model>`,
      'rest.xml': RBAC.replace('</Role>', '<Grant Resource="Places" Verbs="View List"/></Role>'),
    }
    await notes.deploy(files)
    await notes.app.store.write(
      (tx) => tx.run("INSERT INTO notes (CompanyId, Text, Size) VALUES (1, 'kept', 5)"),
      { company: 'all', because: 'a test' },
    )
    const grid = () => notes.app.fetch(`${SVC}/object/places/table`, { as: 'ana', body: {} })
    expect((await grid()).status).toBe(200)
    for (const body of [{ Files: [{ FileName: 'a.xml', Body: '' }] }, { Prune: true }])
      expect((await rollBack(body)).status).toBe(400)
    expect((await rollBack({}, { as: 'ana' })).status).toBe(401)
    const refused = await rollBack()
    expect(facts(refused)).toEqual({ status: 400, code: 'DATA_LOSS' })
    expect(refused.body.losses).toEqual(['Note.Size is removed: its values in 1 row'])
    const { status, body } = await rollBack({ AllowDataLoss: true })
    expect([status, body.data.Deployed]).toEqual([200, true])
    expect(body.data.Removed.map(({ Name }) => Name).sort()).toEqual(['Place', 'Places'])
    expect((await grid()).status).toBe(404)
    const audit = await notes.app.store.all({
      sql: `SELECT RecordKey FROM svc_audit WHERE Source = 'scripts'
        AND Action = 'deploy' AND Changes LIKE '%null]}' ORDER BY Id`,
      args: {},
      runs: 'lane',
    })
    expect(audit.map(({ RecordKey }) => RecordKey)).toEqual(['["Place"]', '["Places"]'])
    const again = await rollBack()
    expect([again.status, again.body.data.Deployed]).toEqual([200, false])
  })

  test('prunes what the files do not hold when it is told to', async () => {
    await using notes = await startNotes()
    const files = { 'note.xml': entity('Note'), 'rest.xml': '<Rbac/>' }
    const kept = await notes.deploy(files)
    expect(kept.body.data.Removed).toEqual([])
    const pruned = await notes.deploy(files, { Prune: true })
    expect(pruned.body.data.Removed.map(({ Name }) => Name)).toEqual(['de', 'Notes'].toSorted())
    expect((await notes.get('/object/list')).body.data).toEqual([])
    const gone = (await notes.get<Row>('/scripts/Notes')).body.data
    expect(gone).toMatchObject({ IsCurrent: false, Body: ODD })
  })

  test('takes a multipart form too, and leaves nothing of it behind', async () => {
    await using notes = await startNotes()
    const send = async (fill: (form: FormData) => void) => {
      const form = new FormData()
      fill(form)
      const request = new Request(`http://localhost${SVC}/scripts`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${notes.app.tokens.root}` },
        body: form,
      })
      const answer = await notes.app.handle(request)
      return { status: answer.status, body: (await answer.json()) as Refusal & { data: Plan } }
    }
    const place = new File([`\uFEFF${entity('Place')}\r\n`], 'place.xml')
    const flagged = (flag: string, value: string) => (form: FormData) => {
      form.set('files', place)
      form.set(flag, value)
    }
    const dry = await send(flagged('dryRun', 'true'))
    expect(dry.body.data).toMatchObject({ Deployed: false, New: [{ Name: 'Place' }] })
    const done = await send((form) => form.set('files', place))
    expect(done.body.data).toMatchObject({ Deployed: true, New: [{ FileName: 'place.xml' }] })
    const { data } = (await notes.get<Row>('/scripts/Place')).body
    expect(data).toMatchObject({ VersionHash: md5(String(data.Body)) })
    expect(String(data.Body)).toStartWith('\uFEFF')
    const hill = new File([entity('Hill')], 'hill.xml')
    await send((form) => form.set('files', hill, 'sub/folder/hill.xml'))
    const found = (await notes.get<Row>('/scripts/Hill')).body.data
    expect(found.FileName).toBe('sub/folder/hill.xml')
    for (const name of ['../place.xml', '/etc/place.xml', 'a//b.xml', 'C:\\models\\place.xml']) {
      const { status, body } = await send((form) => form.set('files', place, name))
      expect([status, body.error]).toEqual([400, 'FileName must be a path below the model folder'])
    }
    const latin = new File([new Uint8Array([0xe4])], 'a.xml')
    expect((await send((form) => form.set('files', latin))).status).toBe(400)
    expect((await send(flagged('prune', 'perhaps'))).status).toBe(400)
    expect((await send(flagged('rollback', 'true'))).body.error).toBe(
      'Rollback rolls the last deploy back: send neither Files nor Prune with it',
    )
    const back = await send((form) => form.set('rollback', 'true'))
    expect(back.body.data).toMatchObject({ Deployed: true, Removed: [{ Name: 'Hill' }] })
    const left = new Bun.Glob('**/*').scanSync({ cwd: notes.app.context.files.receivedFolder })
    expect([...left]).toEqual([])
  })

  test.each([
    ['no file', {}],
    ['a name that leads out', { '../x.xml': '<Rbac/>' }],
    ['an absolute name', { '/etc/x.xml': '<Rbac/>' }],
    ['a name with a NUL', { 'a\u0000.xml': '<Rbac/>' }],
    ['a name of 301 characters', { [`${'a'.repeat(297)}.xml`]: '<Rbac/>' }],
    ['half a character', { 'a.xml': '<Rbac Name="\ud800"/>' }],
    ['an entity of another file', { 'a.xml': '<!DOCTYPE x SYSTEM "file:///etc/passwd"><Rbac/>' }],
  ])('with %s is refused', async (_, files) => {
    await using notes = await startNotes()
    const before = (await notes.get('/scripts')).text
    expect((await notes.deploy(files)).status).toBe(400)
    expect((await notes.get('/scripts')).text).toBe(before)
  })

  test('is not for a session that acts as somebody else', async () => {
    await using notes = await startNotes()
    const users = await notes.app.fetch<{ data: { Users: Row[] } }>(`${SVC}/auth/users`, {
      as: 'root',
    })
    const ana = JSON.stringify(users.body).match(/"Id":(\d+),"UserName":"ana"/)?.[1]
    const acting = await notes.app.fetch<{ data: { AccessToken: string } }>(
      '/api/v1/impersonation/start',
      { as: 'root', body: { UserId: Number(ana), Reason: 'A test', Minutes: 5 } },
    )
    const headers = { Authorization: `Bearer ${acting.body.data.AccessToken}` }
    const answer = await notes.app.fetch(`${SVC}/scripts`, {
      headers,
      body: { Files: [{ FileName: 'a.xml', Body: '<Rbac/>' }] },
    })
    expect(answer.status).toBe(401)
  })

  test('that meets another one is a 409, or comes after it: never a mixture', async () => {
    await using notes = await startNotes()
    const answers = await Promise.all(
      ['One', 'Two', 'Three'].map((name) =>
        notes.deploy({ 'views/odd.xml': view('Notes', 'Note', name) }),
      ),
    )
    const done = answers.filter(({ status }) => status === 200)
    expect(done.length).toBeGreaterThan(0)
    for (const { status } of answers) expect([200, 409]).toContain(status)
    const { data } = (await notes.get<Row>('/scripts/Notes')).body
    const [object] = (await notes.get('/object/list')).body.data
    expect(String(data.Body)).toContain(`Label="${String(object?.Label)}"`)
    expect(data.VersionHash).toBe(object?.VersionHash)
  })
})
