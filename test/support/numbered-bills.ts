/** An application whose bills and memos are numbered. */
import { expect } from 'bun:test'
import { startApp } from './app.ts'
import { data, Objects, type Row } from './objects.ts'
import { makePeople } from './people.ts'
import { TEST_PASSWORD, type TestApplication } from './template.ts'

const MODEL = `<Model>
<Entity Name="Bill" Table="bills" Display="Number" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Number" Type="Text" Unique="true" Sequence="BillNumber"/>
  <Column Name="Kind" Type="Text" MaxLength="3"/>
  <Column Name="Total" Type="Integer" Min="0"/>
  <Sequence Name="BillNumber" Format="B{yyyy}-{#}" Reset="Yearly" PerCompany="true"/>
</Entity>
<Entity Name="Memo" Table="memos" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Number" Type="Text" Sequence="MemoNumber"/>
  <Column Name="Kind" Type="Text" MaxLength="3"/>
  <Sequence Name="MemoNumber" Format="{Company}/{Field:Kind}/{##}"/>
</Entity>
<ObjectView Name="Bills" Entity="Bill"/>
<ObjectView Name="Memos" Entity="Memo"/>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Bills" Verbs="View List Create Update Delete"/>
    <Grant Resource="Memos" Verbs="View List Create Update"/>
    <RowFilter Resource="Bills">Kind = 'own'</RowFilter>
  </Role>
  <Role Name="Reader"><Grant Resource="Bills" Verbs="View List"/></Role>
  <Role Name="Blind">
    <Grant Resource="Bills" Verbs="View List Create"/>
    <FieldRule Resource="Bills" Field="Number" Access="Hidden"/>
  </Role>
</Rbac>
</Model>`

/** Bills with numbers, for clerks who see their own. */
export const NUMBERED_BILLS: TestApplication = {
  files: [{ name: 'bills.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    root: 'System',
    ana: 'Clerk@ONE',
    bo: 'Clerk@ONE',
    cy: 'Clerk@TWO in TWO',
    rea: 'Reader@ONE',
    blind: 'Blind@ONE',
    dee: '',
  }),
}

export const DAY_MS = 24 * 60 * 60 * 1000

const yearOf = (instant: number): number => new Date(instant).getUTCFullYear()

/** Now, but a day earlier on the last day of a year: with the year, numbers begin anew. */
function findStart(): number {
  const now = Date.now()
  return yearOf(now + DAY_MS) === yearOf(now) ? now : now - DAY_MS
}

/** The application with a clock that stands and is moved, and the calls of its tests. */
export async function startBills() {
  let at = findStart()
  const clock = { now: () => new Date(at) }
  const app = await startApp({ application: NUMBERED_BILLS, clock })
  const objects = new Objects(app)
  const tokens = new Map<string, string>()
  const ask = (as: string, request: Row) =>
    app.fetch<{ success: boolean; data: string; code: string; error: string }>(
      '/api/v1/svc/object/sequence-number',
      {
        body: request,
        headers: { Authorization: `Bearer ${tokens.get(as) ?? app.tokens[as]}` },
      },
    )
  const next = async (as: string, request: Row = {}): Promise<string> => {
    const { status, body } = await ask(as, { SequenceName: 'BillNumber', ...request })
    expect({ status, body }).toMatchObject({ status: 200 })
    return body.data
  }
  return {
    app,
    objects,
    ask,
    next,
    year: yearOf(at),
    reserve: (as: string) => next(as, { Reserve: true }),
    create: async (as: string, parameters: Row = {}) =>
      data(await objects.submit(as, 'Bills', { Kind: 'own', ...parameters })).Values.Number,
    /** Lets time pass, and signs the users in again. */
    pass: async (ms: number, ...users: string[]) => {
      at += ms
      for (const UserName of users) {
        const body = { UserName, Password: TEST_PASSWORD }
        const signed = await app.fetch<{ data: { AccessToken: string } }>('/api/v1/auth/login', {
          body,
        })
        tokens.set(UserName, signed.body.data.AccessToken)
      }
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}
