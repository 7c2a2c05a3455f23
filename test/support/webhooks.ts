/** Cases of two regions, and a receiver of what webhooks are told of them. */
import { startApp } from './app.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

const MODEL = `<Model>
<Entity Name="Case" Table="cases" Company="CompanyId" Display="Title">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text" Required="true"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="Cost" Type="Integer"/>
  <On Event="updated" When="Title = 'urgent'"><Webhook Event="CaseUrgent"/></On>
</Entity>
<ObjectView Name="Cases" Slug="cases" Entity="Case">
  <RowAction Name="Close" Label="Close"><Sql>UPDATE cases SET Title = 'closed' WHERE Id = @Id</Sql><Webhook Event="CaseClosed"/></RowAction>
  <RowAction Name="Sweep" For="View" Label="Sweep"><Sql>UPDATE cases SET Cost = 1</Sql></RowAction>
</ObjectView>
<ObjectView Name="Secrets" Entity="Case"/>
<Rbac>
  <Role Name="Boss"><Grant Resource="Cases" Verbs="View List Create Update Delete Import"/></Role>
  <Role Name="North"><Grant Resource="Cases" Verbs="View List"/>
    <RowFilter Resource="Cases">Region = 'north'</RowFilter>
    <FieldRule Resource="Cases" Field="Cost" Access="Hidden"/></Role>
</Rbac>
</Model>`

const CASES: TestApplication = {
  files: [{ name: 'cases.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    sys: 'System in ONE TWO',
    boss: 'Boss Admin',
    north: 'North Admin',
    far: 'Boss Admin in TWO',
    clerk: 'Boss',
  }),
}

export interface Entry {
  Id: number
  Secret?: string
  Active: boolean
  OffReason: string | null
  MakerId: number
}
export interface Sent {
  Id: number
  MessageId: string
  Event: string
  State: string
  Attempts: number
  LastStatus: number | null
  LastError: string | null
  Keys: unknown
}
export interface Reply<T> {
  code?: string
  fieldErrors?: Record<string, string>
  data: T
}
export interface Heard {
  path: string
  headers: Record<string, string>
  text: string
  body: { Event: string; Action: string; Keys: unknown; Values: Record<string, unknown> | null }
}

type Answer = () => Response | Promise<Response>

function openReceiver() {
  const state = { heard: [] as Heard[], answer: (() => new Response()) as Answer }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const text = await request.text()
      const headers = Object.fromEntries(request.headers)
      const path = new URL(request.url).pathname
      state.heard.push({ path, headers, text, body: JSON.parse(text) as Heard['body'] })
      return state.answer()
    },
  })
  return Object.assign(state, { server })
}

/** A receiver at /hooks, and the application; `heard` is what arrived since the last `reset`. */
export async function openWebhookWorld() {
  const receiver = openReceiver()
  const Url = `http://127.0.0.1:${receiver.server.port}/hooks`
  const settings = {
    'Svc:Jobs:RetryDelay': '5ms',
    'Svc:Outbound:AllowHttp': 'true',
    'Svc:Outbound:Allow': '127.0.0.1',
    'Svc:Outbound:Ports': String(receiver.server.port),
  }
  const app = await startApp({ application: CASES, settings })
  await app.context.jobs.start()

  const write = (sql: string) =>
    app.store.write((tx) => tx.run(sql), { company: 'all', because: 'a test' })
  const ask = <T>(as: string, path: string, method = 'GET', body?: object) =>
    app.fetch<Reply<T>>(`${HOOKS}${path}`, { as, method, ...(body && { body }) })
  async function post(as: string, path: string, body: object): Promise<{ Values: { Id: number } }> {
    const to = `/api/v1/svc/object/${path}`
    const sent = await app.fetch<Reply<{ Values: { Id: number } }>>(to, { as, body })
    if (sent.status !== 200) throw new Error(sent.text)
    return sent.body.data
  }
  const isQuiet = async () =>
    (await app.store.all(`SELECT 1 AS n FROM svc_jobs WHERE State NOT IN ('Succeeded', 'Failed')`))
      .length === 0
  return {
    app,
    Url,
    write,
    ask,
    post,
    isQuiet,
    heard: () => receiver.heard,
    /** From now on the receiver answers so. */
    answerWith: (by: Answer) => (receiver.answer = by),
    forget: () => (receiver.heard = []),
    async register(as: string, ...Events: string[]): Promise<Entry> {
      const { status, body, text } = await ask<Entry>(as, '', 'POST', { Url, Events })
      if (status !== 200) throw new Error(text)
      return body.data
    },
    deliveries: async (as: string, id: number): Promise<Sent[]> =>
      (await ask<Sent[]>(as, `/${id}/deliveries`)).body.data,
    save: (Parameters: object, as = 'boss') =>
      post(as, 'submit', { FormName: 'Cases', Parameters }),
    remove: (Id: number) => post('boss', 'delete-row', { ObjectName: 'Cases', Parameters: { Id } }),
    /** No webhooks, nothing heard, a receiver that takes everything. */
    async reset(): Promise<void> {
      await write('DELETE FROM svc_webhooks')
      const running = `SELECT 1 AS n FROM svc_jobs WHERE State IN ('Processing', 'Enqueued')`
      while ((await app.store.all(running)).length > 0) await Bun.sleep(2)
      receiver.heard = []
      receiver.answer = () => new Response()
    },
    async close(): Promise<void> {
      await app.context.jobs.stop()
      await app[Symbol.asyncDispose]()
      await receiver.server.stop(true)
    },
  }
}

export type WebhookWorld = Awaited<ReturnType<typeof openWebhookWorld>>

export const HOOKS = '/api/v1/svc/webhooks'
