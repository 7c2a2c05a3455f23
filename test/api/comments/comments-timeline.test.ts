/** Comments in the timeline of their record, among its changes. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Timeline } from '../../../src/engine/timeline/schema.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { type Answer, COMMENTED } from '../../support/comments.ts'
import { makePeople } from '../../support/people.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({
    application: {
      files: [{ name: 'bills.xml', body: COMMENTED }],
      ...makePeople('ONE', { root: 'System', ana: 'Clerk', bo: 'Clerk', sue: 'Southern' }),
    },
  })
})
afterAll(() => app[Symbol.asyncDispose]())

async function makeBill(): Promise<number> {
  const { body } = await app.fetch<Answer<{ Keys: { Id: number } }>>('/api/v1/svc/object/submit', {
    as: 'ana',
    body: { FormName: 'Bills', IsNew: true, Parameters: { Name: 'Bill', Area: 'north' } },
  })
  return body.data.Keys.Id
}

const comment = (as: string, Id: number, Text: string) =>
  app.fetch('/api/v1/svc/comments', { as, body: { Object: 'Bills', Keys: { Id }, Text } })

const load = async (as: string, Id: number, more: object = {}): Promise<Timeline> => {
  const { body } = await app.fetch<Answer<Timeline>>('/api/v1/svc/timeline', {
    as,
    body: { Object: 'Bills', Keys: { Id }, ...more },
  })
  return body.data
}

test('a timeline has comments among the changes, the newest first, page by page', async () => {
  const id = await makeBill()
  const change = (Name: string) =>
    app.fetch('/api/v1/svc/object/submit', {
      as: 'ana',
      body: { FormName: 'Bills', Parameters: { Id: id, Name } },
    })
  for (const text of 'abcab') {
    if (text === 'c') for (const name of ['1', '2', '3']) await change(name)
    await comment('ana', id, text)
    await change(text.toUpperCase())
    // Times of entries have milliseconds.
    await Bun.sleep(2)
  }
  const tell = ({ Entries }: Timeline) =>
    Entries.map(({ Kind, Text, Fields }) => Text ?? `${Kind} ${String(Fields[0]?.To)}`)
  const all = tell(await load('bo', id))
  expect(all).toEqual([
    ...['changed B', 'b', 'changed A', 'a', 'changed C', 'c', 'changed 3', 'changed 2'],
    ...['changed 1', 'changed B', 'b', 'changed A', 'a', 'created Bill'],
  ])
  for (const Limit of [1, 2, 3, 5]) {
    const found: string[] = []
    let Before: string | null = null
    do {
      const page: Timeline = await load('bo', id, { Limit, ...(Before && { Before }) })
      expect(page.Entries.length).toBeLessThanOrEqual(Limit)
      found.push(...tell(page))
      Before = page.Next
      if (found.length === Limit) await comment('bo', id, `later ${Limit}`)
    } while (Before !== null)
    const later = found.filter((text) => text.startsWith('later'))
    expect([Limit, found.slice(later.length)]).toEqual([Limit, all])
  }
  const own = (await load('ana', id)).Entries.find(({ Text }) => Text === 'c')
  expect(own).toMatchObject({
    Kind: 'comment',
    By: { DisplayName: 'ana' },
    Fields: [],
    Comment: { Id: expect.any(Number), Mentions: [], RowVersion: 1, CanChange: true },
  })
  expect((await load('sue', id)) ?? null).toBeNull()
})

test('a timeline refuses a cursor that is none', async () => {
  const id = await makeBill()
  const { status } = await app.fetch('/api/v1/svc/timeline', {
    as: 'ana',
    body: { Object: 'Bills', Keys: { Id: id }, Before: 'x' },
  })
  expect(status).toBe(400)
})

test('a comment of who acts as another user says both', async () => {
  const Id = await makeBill()
  const started = await app.fetch<Answer<{ AccessToken: string }>>('/api/v1/impersonation/start', {
    as: 'root',
    body: { UserId: 2, Reason: 'A call', Minutes: 5 },
  })
  await app.fetch('/api/v1/svc/comments', {
    headers: { Authorization: `Bearer ${started.body.data.AccessToken}` },
    body: { Object: 'Bills', Keys: { Id }, Text: 'For her' },
  })
  const [said] = (await load('bo', Id)).Entries
  expect(said).toMatchObject({
    Text: 'For her',
    By: { DisplayName: 'ana' },
    ActedBy: { DisplayName: 'root' },
    Comment: { CanChange: false, CanDelete: false },
  })
})
