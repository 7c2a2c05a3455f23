/** A small application whose access is changed: managers of access, clerks, and what they see. */
import type { Impact } from '../../src/engine/access/board-schema.ts'
import { type Answer, type AppOptions, startApp, type TestApp } from './app.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const ORDERS = `<Model>
  <Entity Name="Order" Table="orders" Company="CompanyId">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="CompanyId" Type="Integer"/>
    <Column Name="Region" Type="Text"/>
    <Column Name="Cost" Type="Integer"/>
  </Entity>
  <Entity Name="Depot" Table="depots" Company="CompanyId">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="CompanyId" Type="Integer"/>
    <Column Name="Name" Type="Text"/>
  </Entity>
  <ObjectView Name="Orders" Entity="Order">
    <RowAction Name="Approve" Capability="Approve"><Sql>UPDATE orders SET Cost = 0 WHERE Id = @Id</Sql></RowAction>
  </ObjectView>
</Model>`

/** The view of depots has a file of its own, so that it can be taken out. */
export const DEPOTS = '<ObjectView Name="Depots" Entity="Depot"/>'

/** The Rbac as its file has it. */
export const RBAC = `<Rbac>
  <!-- Who may do what. -->
  <Capability Name="Approve"/>
  <UserAttribute Name="Region"/>
  <Role Name="Clerk">
    <Grant Resource="Orders" Verbs="View List"/> <!-- all of them -->
    <Grant Resource="Depots" Verbs="View List"/>
  </Role>
  <Role Name="Rep">
    <Grant Resource="Orders" Verbs="View List Update"/>
    <RowFilter Resource="Orders">Region = @User_Region</RowFilter>
  </Role>
  <Role Name="RepToo">
    <Grant Resource="Orders" Verbs="View List"/>
    <RowFilter Resource="Orders">Region = @User_Region</RowFilter>
  </Role>
  <Role Name="Boss">
    <Grant Resource="Orders" Verbs="View List Create Update Delete Export" Capabilities="Approve"/>
    <Grant Resource="Depots" Verbs="View List Create Update Delete Export"/>
  </Role>
  <Role Name="Blind">
    <Grant Resource="Orders" Verbs="View List"/>
    <FieldRule Resource="Orders" Field="Cost" Access="Hidden"/>
  </Role>
  <Role Name="Idle"/>
</Rbac>
`

export const FILES = [
  { name: 'orders.xml', body: ORDERS },
  { name: 'depots.xml', body: DEPOTS },
  { name: 'rbac.xml', body: RBAC },
]

/** The administrators of access, and the users whose access they manage. */
export const ACCESS_BOARD: TestApplication = {
  files: FILES,
  ...makePeople('NORTH SOUTH', {
    root: 'System in NORTH SOUTH',
    adm: 'Admin',
    // Manage access: of everything a clerk has, in one company, by the rows and fields they see.
    mia: 'AccessManager Clerk',
    max: 'AccessManager@NORTH Clerk@NORTH',
    rita: ['AccessManager Rep', { Region: 'east' }],
    bea: 'AccessManager Blind',
    moe: 'AccessManager',
    u1: ['Rep@NORTH', { Region: 'east' }],
    u2: 'Clerk@SOUTH in SOUTH',
    cleo: 'Clerk in NORTH SOUTH',
    boss: 'Boss',
    x: '',
  }),
}

/** The application with six orders of two companies and two depots. */
export async function startAccessBoard(
  options: Omit<AppOptions, 'application'> = {},
): Promise<TestApp> {
  const app = await startApp({ ...options, application: ACCESS_BOARD })
  await app.store.write(
    async (tx) => {
      const order = 'INSERT INTO orders (CompanyId, Region, Cost) VALUES (@company, @region, 5)'
      for (const [company, region] of [
        [1, 'east'],
        [1, 'east'],
        [1, 'west'],
        [1, 'west'],
        [1, 'west'],
        [2, 'east'],
      ] as const)
        await tx.run(order, { company, region })
      await tx.run("INSERT INTO depots (CompanyId, Name) VALUES (1, 'A'), (1, 'B')")
    },
    { company: 'all', because: 'a test' },
  )
  return app
}

export interface Cell {
  Principal: string
  Resource: string
  Verb: string
  State: string
  Source: string | null
  Filtered: boolean
}

export interface MatrixAnswer {
  success: boolean
  error?: string
  data: {
    Scope: string
    Version: string
    Cells: Cell[]
    Principals: { Id: string; Name: string; Kind: string }[]
    Resources: { Id: string; Kind: string; Verbs: string[] }[]
  }
}

export interface ApplyAnswer {
  success: boolean
  code?: string
  error?: string
  data: { Applied: boolean; Impact: Impact[]; Omitted: number; Version: string }
}

/** `role:Clerk Orders Export +`, or `-`. */
export function change(text: string): object {
  const [Principal, Resource, Verb, sign] = text.split(' ')
  return { Principal, Resource, Verb, Grant: sign === '+' }
}

const AUTH = '/api/v1/svc/auth'

export const loadMatrix = async (
  app: TestApp,
  as: string,
  body: object = {},
): Promise<MatrixAnswer['data']> => {
  const answer = await app.fetch<MatrixAnswer>(`${AUTH}/board/matrix`, { as, body })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body.data
}

/** Changes by a user on the board as it is now, in a scope. */
export async function apply(
  app: TestApp,
  as: string,
  changes: readonly string[],
  options: { scope?: string; dryRun?: boolean; version?: string } = {},
): Promise<Answer<ApplyAnswer>> {
  const scope = options.scope === undefined ? {} : { Scope: options.scope }
  const asked = { ...scope, Resources: ['Orders'] }
  const Version = options.version ?? (await loadMatrix(app, as, asked)).Version
  const body = { Version, Changes: changes.map(change), DryRun: options.dryRun ?? false }
  return app.fetch<ApplyAnswer>(`${AUTH}/board/apply`, { as, body })
}

/** The cells of all of the board that are not `none`, as System sees them. */
export async function describeBoard(app: TestApp): Promise<string[]> {
  const { Cells } = await loadMatrix(app, 'root')
  return Cells.filter(({ State }) => State !== 'none').map(
    ({ Principal, Resource, Verb, State, Source }) =>
      `${Principal} ${Resource} ${Verb} ${State} ${Source}`,
  )
}

/** How many rows a user lists, or the status of the refusal. */
export async function countListed(app: TestApp, as: string, name: string): Promise<number> {
  const { status, body } = await app.fetch<{ data: { Pagination: { TotalRows: number } } }>(
    `/api/v1/svc/object/${name}/table`,
    { as, body: {} },
  )
  return status === 200 ? body.data.Pagination.TotalRows : -status
}

/** The Rbac scripts as they stand, with what has executed them. */
export const rbacBodies = (app: TestApp): Promise<unknown[]> =>
  app.store.all({
    sql:
      'SELECT Name, Body, Origin, ExecutedBy FROM svc_scripts ' +
      "WHERE Type = 'Rbac' AND IsCurrent ORDER BY Name",
    args: {},
    runs: 'inline',
  })
