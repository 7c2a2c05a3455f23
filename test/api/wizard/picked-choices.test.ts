/**
 * A record that is given as a choice has to be one that the caller may pick, wherever authored SQL
 * binds it: what left their rows is refused at its field and shown to nobody.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'
import { type Body, must, type RunData, Wizards } from '../../support/wizards.ts'

const CANARY = 'canary'
const ASK = 'SELECT Secret FROM clients WHERE Id = @Client'
const LOOKUP = '<Lookup View="Clients"/>'

const MODEL = `<Model>
<Entity Name="Client" Table="clients" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name"/><Column Name="Region"/><Column Name="Secret"/><Column Name="State"/>
</Entity>
<ObjectView Name="Clients" Entity="Client">
  <Field Name="Secret" In="None"/>
  <RowAction Name="Ask" Capability="Update">
    <Parameter Name="Client" Type="Integer">${LOOKUP}</Parameter>
    <Parameter Name="Hint"><Default DependsOn="Client">${ASK}</Default></Parameter>
    <Parameter Name="Told"><DataSet DependsOn="Client">SELECT Secret AS Value, Secret AS Label FROM clients WHERE Id = @Client</DataSet></Parameter>
    <Sql>UPDATE clients SET Name = coalesce(@Hint, Name) WHERE Id = @Id</Sql>
  </RowAction>
</ObjectView>
<ObjectView Name="Visit" ViewType="Wizard" Resource="Visits">
  <Step Name="Who"><Field Name="Client" Type="Integer" Required="true">${LOOKUP}</Field></Step>
  <Step Name="Lines" Repeat="true">
    <Field Name="Buyer" Type="Integer">${LOOKUP}</Field>
  </Step>
  <Step Name="Asked"><FieldQuery>
    SELECT 'Note' AS Name, Secret AS Label, NULL AS Options FROM clients WHERE Id = @Client
    UNION ALL SELECT 'Buyer' || (value ->> '$.Buyer'), Secret, NULL FROM json_each(@Lines) JOIN clients c ON c.Id = (value ->> '$.Buyer')
    UNION ALL SELECT 'Pick', 'Pick', (SELECT json_group_array(Secret) FROM clients WHERE Region = 'own')
  </FieldQuery></Step>
  <Step Name="Told"><FieldQuery>SELECT 'Asked' AS Name, @Asked AS Label</FieldQuery></Step>
  <Step Name="Sum" Summary="true"/>
  <Finish><Sql>UPDATE clients SET State = 'visited' WHERE Id = @Client</Sql></Finish>
</ObjectView>
<Report Name="Sheet">
  <Filters>
    <Filter Name="Client" Type="Integer">${LOOKUP}</Filter>
    <Filter Name="Told"><DataSet DependsOn="Client">SELECT Secret AS Value, Secret AS Label FROM clients WHERE Id = @Client</DataSet></Filter>
    <Filter Name="Hint"><Default DependsOn="Client">${ASK}</Default></Filter>
  </Filters>
  <DataSets><DataSet Name="One"><Sql>SELECT Secret, @Hint AS Hint FROM clients WHERE Id = @Client</Sql></DataSet></DataSets>
  <Widgets><Widget Name="W" Kind="Table" DataSet="One"/></Widgets>
</Report>
<StoredProcedure Name="Tell" Mode="Read">
  <Parameter Name="Client" Type="Integer">${LOOKUP}</Parameter>
  <Parameter Name="Hint"><Default DependsOn="Client">${ASK}</Default></Parameter>
  <Sql Result="One">SELECT Secret, @Hint AS Hint FROM clients WHERE Id = @Client</Sql>
</StoredProcedure>
<Workflow Name="Care" Object="Clients" StateField="State">
  <States><State Name="idle" Kind="Initial"/><State Name="busy" Kind="Final"/></States>
  <Transitions>
    <Transition From="idle" To="busy" Action="Begin">
      <Parameter Name="Client" Type="Integer">${LOOKUP}</Parameter>
      <Parameter Name="Hint"><Default DependsOn="Client">${ASK}</Default></Parameter>
      <Sql>UPDATE clients SET Name = coalesce(@Hint, Name) WHERE Id = @Id</Sql>
    </Transition>
  </Transitions>
</Workflow>
<Rbac><Role Name="Clerk">
  <Grant Resource="Clients" Verbs="View List Update"/><Grant Resource="Visits" Verbs="Create"/>
  <Grant Resource="Sheet" Verbs="List Export"/><Grant Resource="Tell" Capabilities="Execute"/>
  <Grant Resource="ReportDefinitions" Verbs="View Update"/>
  <RowFilter Resource="Clients">Region IS NOT 'hidden'</RowFilter>
</Role></Rbac>
<Rows Entity="Client" Key="Id">
  <Row Id="1" CompanyId="1" Name="ann" Region="own" Secret="mine"/>
  <Row Id="2" CompanyId="1" Name="ben" Region="hidden" Secret="${CANARY}"/>
  <Row Id="3" CompanyId="1" Name="cid" Region="own" Secret="${CANARY} of cid"/>
  <Row Id="4" CompanyId="2" Name="dan" Region="own" Secret="${CANARY}"/>
</Rows>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'choices.xml', body: MODEL }],
  ...makePeople('ONE TWO', { root: 'System in ONE TWO', ana: 'Clerk' }),
}

let guide: Wizards
beforeAll(async () => {
  guide = new Wizards(await startApp({ application: APPLICATION }))
})
afterAll(() => guide[Symbol.asyncDispose]())

const move = (id: number, region: string) =>
  guide.app.store.write(
    (tx) => tx.run(`UPDATE clients SET Region = '${region}' WHERE Id = ${id}`),
    {
      company: 'all',
      because: 'a test',
    },
  )

const post = <T = unknown>(path: string, body: object) =>
  guide.app.fetch<Body<T>>(`/api/v1/svc${path}`, { as: 'ana', body })

const options = async (more: object) =>
  (await post<object[]>('/object/field-dataset', { FormName: 'Sheet', ...more })).body.data

const NONE = 'Client: there is no such client'

test('the filters of a report bind no record that its caller may not pick', async () => {
  for (const Client of ['2', '4', '99']) {
    const answer = await post('/reports/sheet/data', { Arguments: { Client } })
    expect([answer.status, answer.body.fieldErrors]).toEqual([400, { Client: NONE }])
    const url = `/report/page?report=sheet&format=json&Client=${Client}`
    const page = await guide.app.fetch<Body>(url, { as: 'ana' })
    expect([page.status, page.body.fieldErrors]).toEqual([400, { Client: NONE }])
    const draft = await post('/report-designer/definitions/Sheet/draft/data', {
      Arguments: { Client },
    })
    expect(draft.text).not.toContain(CANARY)
    expect(await options({ FieldName: 'Told', Parameters: { Client } })).toEqual([])
    expect(await options({ FieldName: 'Hint', Default: true, Parameters: { Client } })).toEqual([])
  }
  const own = await post('/reports/sheet/data', { Arguments: { Client: '1' } })
  expect(own.text).toContain('"Rows":[{"Secret":"mine","Hint":"mine"}]')
  expect(await options({ FieldName: 'Told', Parameters: { Client: '1' } })).toHaveLength(1)
})

test('a draft’s filters neither', async () => {
  const key = '/report-designer/definitions/Sheet/draft'
  const sheet = MODEL.slice(MODEL.indexOf('<Report '), MODEL.indexOf('</Report>') + 9)
  const saved = await post(key, { DefinitionXml: sheet, Notes: '' })
  expect(saved.status).toBe(200)
  const refused = await post(`${key}/data`, { Arguments: { Client: '2' } })
  expect([refused.status, refused.body.fieldErrors]).toEqual([400, { Client: NONE }])
  const own = await post(`${key}/data`, { Arguments: { Client: '1' } })
  expect(own.text).toContain('"mine"')
})

test('parameters of actions, procedures and transitions, and what depends on them', async () => {
  const calls: [string, (Client: number) => object][] = [
    [
      '/object/execute-row-action',
      (Client) => ({ ObjectName: 'Clients', ActionName: 'Ask', Parameters: { Id: 1, Client } }),
    ],
    ['/rpc/Tell', (Client) => ({ Parameters: { Client } })],
  ]
  const instance = must(
    await post<{ Id: number }>('/workflow/instances', {
      Workflow: 'Care',
      Object: 'Clients',
      Keys: { Id: 1 },
    }),
  )
  calls.push([
    `/workflow/instances/${instance.Id}/actions/Begin`,
    (Client) => ({ Parameters: { Client } }),
  ])
  for (const [path, body] of calls)
    for (const Client of [2, 4, 99]) {
      const answer = await post(path, body(Client))
      expect([path, answer.status, answer.body.fieldErrors]).toEqual([path, 400, { Client: NONE }])
    }
  const asked = { FormName: 'Clients', ActionName: 'Ask', Parameters: { Id: 1, Client: 2 } }
  for (const more of [{ FieldName: 'Told' }, { FieldName: 'Hint', Default: true }])
    expect(
      (await post<object[]>('/object/field-dataset', { ...asked, ...more })).body.data,
    ).toEqual([])
  expect((await post('/rpc/Tell', { Parameters: { Client: 1 } })).text).toContain('"mine"')
})

const labels = ({ Form }: RunData) => Form.Fields.map(({ Label }) => Label)

test('a waiting run shows nothing of what left its owner’s rows, and stops there', async () => {
  const { RunId } = await guide.start('visit')
  await guide.next(RunId, { Client: 1 })
  const asked = await guide.next(RunId, { Lines: [{ Buyer: 1 }, { Buyer: 3 }] })
  expect(labels(asked)).toEqual(['mine', 'mine', `${CANARY} of cid`, 'Pick'])
  await move(3, 'hidden')
  const waiting = await guide.call(`/runs/${RunId}`)
  expect(labels(waiting.body.data)).toEqual(['mine', 'mine', 'Pick'])
  expect(waiting.body.data.Notice).toContain('Lines.Lines[1].Buyer')
  expect(waiting.text).not.toContain(`${CANARY} of cid`)
  const refused = await guide.call(`/runs/${RunId}/next`, { body: { Values: { Note: 'x' } } })
  expect([refused.status, refused.body.step]).toEqual([400, 'Lines'])
  expect(refused.body.fieldErrors).toEqual({
    'Lines[1].Buyer': 'Buyer: there is no such client',
  })
  const back = await guide.call(`/runs/${RunId}/back`, { body: {} })
  expect(back.body.data.Form.Values).toEqual({
    Lines: [
      { Buyer: 1, Buyer__Label: 'ann' },
      { Buyer: null, Buyer__Label: null },
    ],
  })
  await guide.next(RunId, { Lines: [{ Buyer: 1 }] })
  await move(1, 'hidden')
  const lost = await guide.call(`/runs/${RunId}`)
  expect(lost.text).not.toContain('mine')
  expect((await guide.call(`/runs/${RunId}/next`, { body: { Values: {} } })).body).toMatchObject({
    step: 'Who',
    fieldErrors: { Client: NONE },
  })
  await Promise.all([move(1, 'own'), move(3, 'own')])
  expect(labels((await guide.call(`/runs/${RunId}`)).body.data)).toEqual(['mine', 'mine', 'Pick'])
})

test('an option of a FieldQuery that is none any more goes nowhere either', async () => {
  const { RunId } = await guide.start('visit')
  await guide.next(RunId, { Client: 1 })
  await guide.next(RunId, { Lines: [{ Buyer: 3 }] })
  const told = await guide.next(RunId, { Pick: `${CANARY} of cid`, Note: 'n', Buyer3: 'b' })
  expect(labels(told).join()).toContain(`${CANARY} of cid`)
  await move(3, 'hidden')
  const waiting = await guide.call(`/runs/${RunId}`)
  expect(waiting.text).not.toContain(`${CANARY} of cid`)
  expect(labels(waiting.body.data)).toEqual(['{"Note":"n"}'])
  const summary = await guide.call(`/runs/${RunId}/finish`, { body: {} })
  expect(summary.status).toBe(400)
  await move(3, 'own')
})

test('a form without a run binds and shows no such record of its values', async () => {
  const form = (Step: string, Values: object) =>
    guide.call<RunData['Form']>('/visit/form', { body: { Step, Values } })
  for (const Client of [2, 4]) {
    const answer = await form('Asked', { Client, Lines: [{ Buyer: Client }] })
    expect(answer.body.data.Fields.map(({ Name }) => Name)).toEqual(['Pick'])
    const own = await form('Who', { Client })
    expect(own.body.data.Values).toEqual({ Client: null, Client__Label: null })
  }
  const begun = await guide.start('visit', 'ana', { Client: 2 })
  expect(begun.Form.Values).toEqual({ Client: null, Client__Label: null })
})
