/** An application whose users save views of its bills, and the requests that they make. */
import { expect } from 'bun:test'
import type { SavedView, SavedViewChange } from '../../src/engine/saved-views/schema.ts'
import type { TestApp } from './app.ts'
import type { Refusal } from './objects.ts'
import { makePeople } from './people.ts'

export const VIEWS = '/api/v1/svc/views'

export const planModel = (fields: string): string => `<Model>
<Entity Name="Bill" Table="bills" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Secret" Type="Text"/>
  <Column Name="Unseen" Type="Text"/>
  <Column Name="Due" Type="Date"/>
  ${fields}
</Entity>
<ObjectView Name="Bills" Entity="Bill">
  <Field Name="Unseen" In="None"/>
  <Preset Name="Named" Where="Name &gt; ''"/>
  <Preset Name="Secrets" Where="Secret = 'x'"/>
</ObjectView>
<ObjectView Name="Other" Entity="Bill"/>
<Rbac>
  <Role Name="Clerk"><Grant Resource="Bills" Verbs="View List"/><Grant Resource="Other" Verbs="View List"/></Role>
  <Role Name="Blind"><Grant Resource="Bills" Verbs="View List"/><FieldRule Resource="Bills" Field="Secret" Access="Hidden"/></Role>
  <Role Name="Sharer"><Grant Resource="SharedViews" Verbs="Create"/></Role>
  <Role Name="Keeper"><Grant Resource="SharedViews" Verbs="Update Delete"/></Role>
</Rbac>
</Model>`

const FILES = [{ name: 'bills.xml', body: planModel('<Column Name="Old" Type="Text"/>') }]

export const APPLICATION = {
  files: FILES,
  ...makePeople('ONE TWO', {
    root: 'System in ONE TWO',
    ana: 'Clerk',
    bo: 'Blind',
    sam: 'Clerk Sharer',
    eve: 'Clerk Admin',
    kim: 'Clerk Keeper',
    cy: 'Clerk in TWO',
    sue: 'Clerk Sharer in TWO',
    far: '',
  }),
}

type Reply<T> = { data: T } & Partial<Refusal>

export type GivenView = SavedViewChange & { Object?: string }

/** Requests of users to the saved views of an application. */
export class SavedViewCalls {
  readonly #app: TestApp

  constructor(app: TestApp) {
    this.#app = app
  }

  post = (as: string, view: GivenView, headers: Record<string, string> = {}) =>
    this.#app.fetch<Reply<SavedView>>(VIEWS, {
      as,
      headers,
      body: { Object: 'Bills', Name: 'Mine', ...view },
    })

  /** Saves a view that is valid. */
  save = async (as: string, view: GivenView): Promise<SavedView> => {
    const answer = await this.post(as, view)
    expect([answer.status, answer.body.error]).toEqual([200, undefined])
    return answer.body.data
  }

  put = (as: string, id: number, body: SavedViewChange) =>
    this.#app.fetch<Reply<SavedView>>(`${VIEWS}/${id}`, { as, method: 'PUT', body })

  remove = (as: string, id: number) =>
    this.#app.fetch<Reply<null>>(`${VIEWS}/${id}`, { as, method: 'DELETE' })

  list = async (as: string, object = 'Bills'): Promise<SavedView[]> => {
    const path = `${VIEWS}?object=${object}`
    const answer = await this.#app.fetch<Reply<{ Views: SavedView[] }>>(path, { as })
    expect(answer.status).toBe(200)
    return answer.body.data.Views
  }

  find = async (as: string, id: number, object?: string): Promise<SavedView | undefined> =>
    (await this.list(as, object)).find(({ Id }) => Id === id)
}
