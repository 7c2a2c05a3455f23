/**
 * The random worlds of row filters by every other way to a record: wizards, workflows, webhooks,
 * paths of the explorer, prints and MCP show exactly what an oracle in memory says, no row or value
 * more, none less.
 */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Grant } from '../../../src/access/rights/grant.ts'
import { newContext } from '../../../src/engine/object/context.ts'
import { findRecordValues } from '../../../src/engine/webhooks/record-values.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { makePeople } from '../../support/people.ts'
import { scaleCases } from '../../support/property.ts'
import type { Values } from '../../support/soundness/condition.ts'
import { inhabit, type Inhabited } from '../../support/soundness/inhabit.ts'
import { entityName, printWorld, tableName, viewName } from '../../support/soundness/world-model.ts'
import { foresee, type Sight } from '../../support/soundness/world-oracle.ts'
import { WORLD, type World } from '../../support/soundness/world.ts'

const WORLDS = scaleCases(10)
/** Worlds that share a data folder and a deploy. */
const BATCH = 20
const seed = fc.readConfigureGlobal()?.seed ?? 1

const wizardName = (at: number): string => `W${at}`
const asksName = (at: number): string => `Asks${at}`
const reportName = (at: number): string => `D${at}`
const flowName = (at: number): string => `F${at}`

/** A world with a wizard that picks a record, records that refer to some, and a workflow. */
function printChannels(world: World, at: number): string {
  const { entity } = world.view
  const printMore = (each: number): string => (each === entity ? '<Column Name="State"/>' : '')
  const parts = [
    printWorld(world, at, { printMore }).replace('</Model>', ''),
    `<Entity Name="Ask${at}" Table="asks${at}"><Column Name="Id" Type="Integer" Key="true"/>
      <Column Name="OfId" References="${entityName(at, entity)}"/></Entity>
    <ObjectView Name="${asksName(at)}" Entity="Ask${at}"/>
    <ObjectView Name="${wizardName(at)}" ViewType="Wizard">
      <Step Name="Pick"><Field Name="Of" Type="Integer" Required="true"><Lookup View="${viewName(at)}"/></Field></Step>
      <Step Name="Told"><FieldQuery>SELECT 'F' AS Name, A AS Label FROM ${tableName(at, entity)} WHERE Id = @Of</FieldQuery></Step>
      <Finish><Dispatch Type="showAlert" Message="Done"/></Finish>
    </ObjectView>
    <Workflow Name="${flowName(at)}" Object="${viewName(at)}" StateField="State">
      <States><State Name="idle" Kind="Initial"/><State Name="done" Kind="Final"/></States>
      <Transitions><Transition From="idle" To="done" Action="End${at}"/></Transitions>
    </Workflow>
    ${printReport(at, 'SELECT 1 AS Id')}
    <Rbac Name="Channels${at}"><Role Name="${channelRole(at)}">
      <Grant Resource="${wizardName(at)}" Verbs="Create"/><Grant Resource="${asksName(at)}" Verbs="List View"/><Grant Resource="${reportName(at)}" Verbs="List"/>
    </Role></Rbac></Model>`,
  ]
  return parts.join('')
}

const printReport = (at: number, sql: string): string =>
  `<Report Name="${reportName(at)}"><DataSets><DataSet Name="All"><Sql>${sql}</Sql></DataSet></DataSets>
    <Widgets><Widget Name="W" Kind="Table" DataSet="All"/></Widgets></Report>`

const channelRole = (at: number): string => `Channels${at}`
const ALL = { company: 'all', because: 'a test' } as const

for (let from = 0; from < WORLDS; from += BATCH)
  test(`worlds ${from} to ${from + BATCH - 1}: no way shows more or less`, async () => {
    await using app = await startApp({
      application: { files: [], ...makePeople('C1 C2', { root: 'System in C1 C2' }) },
      settings: { 'Svc:Log:Requests': 'false', 'Svc:Designer:Sql': 'Views' },
    })
    const numRuns = Math.min(BATCH, WORLDS - from)
    const worlds = fc.sample(WORLD, { seed: seed + from, numRuns })
    for (const inhabited of await inhabit(app, worlds, printChannels)) {
      await open(app, inhabited)
      await checkWorld(app, inhabited)
    }
  })

/** Opens the channels to the user, and lets a record of the other entity refer to each. */
async function open({ context }: TestApp, { at, userId, stored, world }: Inhabited): Promise<void> {
  await context.store.write(async (tx) => {
    const Role = channelRole(at)
    await tx.run('INSERT INTO svc_user_roles (UserId, Role) VALUES (@userId, @Role)', {
      userId,
      Role,
    })
    for (const { Id } of stored[world.view.entity] ?? [])
      await tx.run(`INSERT INTO asks${at} (Id, OfId) VALUES (@Id, @Id)`, { Id })
  }, ALL)
  context.callers.forgetUser(userId)
}

async function checkWorld(app: TestApp, inhabited: Inhabited): Promise<void> {
  const { world, userId, stored, at } = inhabited
  // None of these ways asks for the rows of all companies.
  const own = { ...world, user: { ...world.user, allCompanies: false } }
  const sight = foresee(own, stored, { userId })
  try {
    await checkExplorer(app, inhabited, sight)
    await checkDesigned(app, inhabited, sight)
    await checkMcp(app, inhabited, sight)
    await checkFiles(app, inhabited, sight)
    await checkPrints(app, inhabited, sight)
    await checkWizard(app, inhabited, sight)
    await checkWebhook(app, inhabited, sight)
    await checkWorkflow(app, inhabited, sight)
  } catch (error) {
    throw new Error(
      `${printWorld(world, at)}\n${JSON.stringify({ world, stored })}\n${String(error)}`,
    )
  }
}

const call = <T>(app: TestApp, { token }: Inhabited, path: string, body?: object) =>
  app.fetch<T>(path, { headers: { Authorization: `Bearer ${token}` }, ...(body && { body }) })

const idsOf = (rows: readonly Values[]): number[] =>
  rows.map(({ Id }) => Number(Id)).sort((a, b) => a - b)

const listed = ({ keys }: Sight): number[] => [...keys].sort((a, b) => a - b)

/** The values of a row as the oracle has them; a hidden B is not there. */
function expectValues(row: Values, { rows, seesB }: Sight): void {
  const foreseen = rows.get(Number(row.Id))
  expect(foreseen).toBeDefined()
  if (!seesB) expect(row).not.toHaveProperty('B')
  for (const name of ['A', 'D', ...(seesB ? ['B'] : [])])
    expect(String(row[name] ?? null)).toBe(String(foreseen?.[name] ?? null))
}

async function checkExplorer(app: TestApp, who: Inhabited, sight: Sight): Promise<void> {
  type Result = { data: { Rows: Values[] } }
  const path = '/api/v1/svc/object-explorer/query'
  const fields = ['Id', 'A', 'D', ...(sight.seesB ? ['B'] : [])]
  const own = { ObjectName: viewName(who.at), Fields: fields, Limit: 100 }
  const rows = await call<Result>(app, who, path, own)
  expect(rows.status).toBe(sight.holdsList ? 200 : 401)
  const along = { ObjectName: asksName(who.at), Fields: ['Id', 'OfId.A'], Limit: 100 }
  const paths = await call<Result>(app, who, path, along)
  expect(paths.status).toBe(sight.holdsList ? 200 : 400)
  if (!sight.holdsList) return
  expect(idsOf(rows.body.data.Rows)).toEqual(listed(sight))
  for (const row of rows.body.data.Rows) expectValues(row, sight)
  for (const row of paths.body.data.Rows)
    expect(String(row['OfId.A'] ?? null)).toBe(String(sight.rows.get(Number(row.Id))?.A ?? null))
  const sum = { ...own, Fields: [], Aggregates: [{ Function: 'count', As: 'N' }] }
  const counted = await call<Result>(app, who, path, sum)
  expect(Number(counted.body.data.Rows[0]?.N)).toBe(sight.keys.length)
}

/** Rows of a designer's SQL are those that the view shows; System reads the company's. */
async function checkDesigned(app: TestApp, who: Inhabited, sight: Sight): Promise<void> {
  type Page = { data: { DataSets: { All: { Rows: Values[]; Error?: string } } } }
  const names = sight.seesB ? 'Id, A, D, B' : 'Id, A, D'
  const table = tableName(who.at, who.world.view.entity)
  const write = async (sql: string) => {
    const body = { DefinitionXml: printReport(who.at, sql), Notes: '' }
    const path = '/api/v1/svc/report-designer/definitions/save'
    expect((await app.fetch(path, { as: 'root', body })).status).toBe(200)
    const read = `/api/v1/svc/reports/${reportName(who.at)}/data`
    return (await call<Page>(app, who, read, {})).body.data.DataSets.All
  }
  const { Rows, Error: closed } = await write(`SELECT ${names} FROM ${table}`)
  if (who.world.user.isSystem)
    return expect(idsOf(Rows)).toEqual(idsOf((sight.counted ?? []).map(({ Id }) => ({ Id }))))
  expect(closed === undefined).toBe(sight.holdsList)
  expect(idsOf(Rows)).toEqual(sight.holdsList ? listed(sight) : [])
  for (const row of Rows) expectValues(row, sight)
  if (!sight.seesB && sight.holdsList)
    expect((await write(`SELECT B FROM ${table}`)).Error).toBeDefined()
}

async function checkMcp(app: TestApp, who: Inhabited, sight: Sight): Promise<void> {
  type Answer = { result: { isError?: boolean; content: { text: string }[] } }
  const Fields = ['Id', 'A', 'D', ...(sight.seesB ? ['B'] : [])]
  const { body } = await call<Answer>(app, who, '/api/v1/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'query',
      arguments: { ObjectName: viewName(who.at), Fields, Limit: 100 },
    },
  })
  const { isError = false, content } = body.result
  expect(isError).toBe(!sight.holdsList)
  if (isError) return
  const { Rows } = JSON.parse(content[0]?.text ?? '') as { Rows: Values[] }
  expect(idsOf(Rows)).toEqual(listed(sight))
  for (const row of Rows) expectValues(row, sight)
}

async function checkFiles(app: TestApp, who: Inhabited, sight: Sight): Promise<void> {
  const exported = [...sight.exported].sort((a, b) => a - b)
  const list = await call(app, who, `/report/list?object=${viewName(who.at)}&format=json&fields=Id`)
  expect(list.status).toBe(sight.holdsList && sight.exports ? 200 : 401)
  if (list.status === 200) expect(idsIn(list.text)).toEqual(exported)
  const asked = { ObjectName: viewName(who.at), Format: 'jsonl', Fields: ['Id'] }
  const path = '/api/v1/svc/object/export-data'
  const done = await call<{ data: { File: { Url: string } } }>(app, who, path, asked)
  expect(done.status).toBe(sight.views && sight.exports ? 200 : 401)
  if (done.status !== 200) return
  expect(idsIn((await call(app, who, done.body.data.File.Url)).text)).toEqual(exported)
}

const idsIn = (text: string): number[] =>
  [...text.matchAll(/"Id": ?(\d+)/g)].map(([, id]) => Number(id)).sort((a, b) => a - b)

async function checkPrints(app: TestApp, who: Inhabited, sight: Sight): Promise<void> {
  for (const Id of who.world.asked) {
    const path = `/report/record?object=${viewName(who.at)}&format=json&Id=${Id}`
    const { status, text } = await call(app, who, path)
    expect(status).toBe(sight.views ? (sight.printed.has(Id) ? 200 : 404) : 401)
    if (status === 200 && !sight.seesB) expect(text).not.toContain('"B"')
  }
}

async function checkWizard(app: TestApp, who: Inhabited, sight: Sight): Promise<void> {
  type Run = { data: { RunId: string; Form: { Fields: { Label: string }[] } } }
  const base = '/api/v1/svc/wizard'
  for (const Of of who.world.asked) {
    const begun = await call<Run>(app, who, `${base}/${wizardName(who.at)}/start`, {})
    expect(begun.status).toBe(200)
    const { RunId } = begun.body.data
    const next = await call<Run>(app, who, `${base}/runs/${RunId}/next`, { Values: { Of } })
    const isPicked = sight.holdsList && sight.rows.has(Of)
    expect([Of, next.status]).toEqual([Of, isPicked ? 200 : 400])
    if (!isPicked) continue
    const label = sight.rows.get(Of)?.A ?? 'F'
    expect(next.body.data.Form.Fields.map(({ Label }) => Label)).toEqual([String(label)])
    // What left their rows is bound by no query.
    const roles = await takeRoles(app, who)
    const waiting = await call<Run>(app, who, `${base}/runs/${RunId}`)
    expect(waiting.body.data.Form.Fields).toEqual([])
    await giveRoles(app, who, roles)
  }
}

type HeldRole = { Role: string; CompanyId: number | null }

/** Takes the roles of their world from a user, and gives back which these were. */
async function takeRoles({ context }: TestApp, { at, userId }: Inhabited): Promise<HeldRole[]> {
  const args = { userId, own: channelRole(at) }
  const held = 'FROM svc_user_roles WHERE UserId = @userId AND Role <> @own'
  const roles = await context.store.all<HeldRole>({
    sql: `SELECT Role, CompanyId ${held}`,
    args,
    runs: 'inline',
  })
  await context.store.write((tx) => tx.run(`DELETE ${held}`, args), ALL)
  context.callers.forgetUser(userId)
  return roles
}

async function giveRoles({ context }: TestApp, { userId }: Inhabited, roles: HeldRole[]) {
  const into = 'INSERT INTO svc_user_roles (UserId, Role, CompanyId)'
  await context.store.write(async (tx) => {
    for (const role of roles)
      await tx.run(`${into} VALUES (@userId, @Role, @CompanyId)`, { userId, ...role })
  }, ALL)
  context.callers.forgetUser(userId)
}

/** The payloads of a webhook of theirs. */
async function checkWebhook({ context }: TestApp, who: Inhabited, sight: Sight): Promise<void> {
  const caller = await context.callers.verify(who.token)
  const model = context.models.get()
  const view = model.views.get(viewName(who.at))
  const grant = view && Grant.find(caller, model, view.resource, 'View')
  expect(grant !== undefined).toBe(sight.views)
  if (!view || !grant) return
  const use = { view, grant, context: newContext(context, caller, model) }
  for (const Id of who.world.asked) {
    const told = { keys: { Id }, removed: null }
    const values = await findRecordValues(context.queryCache, use, told)
    expect([Id, values !== undefined]).toEqual([Id, sight.rows.has(Id)])
    if (values !== undefined) expectValues(values as Values, sight)
  }
}

/** Users who may start a workflow of a record see it, and its instance. */
async function checkWorkflow(app: TestApp, who: Inhabited, sight: Sight): Promise<void> {
  type Instance = { data: { Id: number } }
  const base = '/api/v1/svc/workflow/instances'
  for (const Id of who.world.asked) {
    const body = { Workflow: flowName(who.at), Object: viewName(who.at), Keys: { Id } }
    const started = await call<Instance>(app, who, base, body)
    if (!sight.edits) expect(started.status).toBe(401)
    if (started.status === 200) {
      expect(sight.rows.has(Id)).toBe(true)
      const shown = await call(app, who, `${base}/${started.body.data.Id}`)
      expect(shown.status).toBe(sight.views ? 200 : 404)
    } else if (!sight.rows.has(Id)) expect([401, 404]).toContain(started.status)
  }
}
