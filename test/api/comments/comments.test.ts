/** Comments on records (src/server/README.md, Comments): who sees, changes and is told of them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Comment, CommentList } from '../../../src/engine/comments/schema.ts'
import { type Answer, COMMENTED } from '../../support/comments.ts'
import { connect, type HubServer, nextCall, startHubs } from '../../support/hubs.ts'
import type { Result } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'

let app: HubServer
beforeAll(async () => {
  app = await startHubs({
    application: {
      files: [{ name: 'bills.xml', body: COMMENTED }],
      ...makePeople('ONE TWO', {
        root: 'System in ONE TWO',
        ana: 'Clerk',
        bo: 'Clerk',
        nora: 'Northern',
        sue: 'Southern',
        adam: 'Clerk Admin',
        lil: 'Lister',
        cy: 'Clerk in TWO',
      }),
    },
  })
})
afterAll(() => app[Symbol.asyncDispose]())

const NAMES = ['root', 'ana', 'bo', 'nora', 'sue', 'adam', 'lil', 'cy']
const idOf = (name: string): number => NAMES.indexOf(name) + 1

const PATH = '/api/v1/svc/comments'

async function makeBill(Area: string, as = 'ana'): Promise<number> {
  const { body } = await app.fetch<Answer<Result>>('/api/v1/svc/object/submit', {
    as,
    body: { FormName: 'Bills', IsNew: true, Parameters: { Name: 'Bill', Area } },
  })
  return Number((body.data.Keys as { Id: number }).Id)
}

const say = (as: string, Id: number, more: object = {}, headers: Record<string, string> = {}) =>
  app.fetch<Answer>(PATH, {
    as,
    headers,
    body: { Object: 'Bills', Keys: { Id }, Text: 'Hello', ...more },
  })

async function comment(as: string, Id: number, more: object = {}): Promise<Comment> {
  const answer = await say(as, Id, more)
  expect([answer.status, answer.body.error]).toEqual([200, undefined])
  return answer.body.data
}

const list = (as: string, Id: number, object = 'Bills', more = '') =>
  app.fetch<Answer<CommentList>>(
    `${PATH}?object=${object}&keys=${encodeURIComponent(JSON.stringify({ Id }))}${more}`,
    { as },
  )

const textsOf = ({ body }: { body: Answer<CommentList> }): string[] =>
  body.data.Comments.map(({ Text }) => Text)

const send = (as: string, method: string, id: number, body?: object) =>
  app.fetch<Answer>(`${PATH}/${id}`, { as, method, ...(body && { body }) })

const follow = (as: string, Id: number, method = 'POST') =>
  app.fetch<Answer<null>>(`${PATH}/follow`, {
    as,
    method,
    body: { Object: 'Bills', Keys: { Id } },
  })

interface Told {
  Kind: string
  Title: string
  Body: string
  Object: string | null
  Keys: object | null
}

async function toldOf(as: string): Promise<Told[]> {
  const { body } = await app.fetch<Answer<Told[]>>('/api/v1/notification', { as })
  return body.data
}

/** Titles of notifications about one record, the oldest first. */
const toldAbout = async (as: string, Id: number): Promise<string[]> =>
  (await toldOf(as))
    .filter(({ Keys }) => JSON.stringify(Keys) === JSON.stringify({ Id }))
    .map(({ Kind, Title }) => `${Kind}: ${Title}`)
    .reverse()

describe('a comment', () => {
  test('is written, listed and shown to all who see the record', async () => {
    const id = await makeBill('north')
    const written = await comment('ana', id, { Text: '  First\r\nline ', Mentions: [idOf('bo')] })
    expect(written).toEqual({
      Id: expect.any(Number),
      At: expect.any(String),
      By: { Id: idOf('ana'), DisplayName: 'ana' },
      ActedBy: null,
      Text: 'First\nline',
      Mentions: [{ Id: idOf('bo'), DisplayName: 'bo' }],
      ChangedAt: null,
      RowVersion: 1,
      CanChange: true,
      CanDelete: true,
    })
    await comment('bo', id, { Text: 'Second' })
    for (const [as, object] of [
      ['ana', 'Bills'],
      ['nora', 'north'],
      ['root', 'Bills'],
    ] as const)
      expect(textsOf(await list(as, id, object))).toEqual(['Second', 'First\nline'])
    const seen = (await list('bo', id)).body.data
    expect(seen.Comments.map(({ CanChange, CanDelete }) => [CanChange, CanDelete])).toEqual([
      [true, true],
      [false, false],
    ])
    const asAdmin = (await list('adam', id)).body.data
    expect(asAdmin.Comments.map(({ CanChange, CanDelete }) => [CanChange, CanDelete])).toEqual([
      [false, true],
      [false, true],
    ])
    const first = await list('ana', id, 'Bills', '&limit=1')
    const next = await list('ana', id, 'Bills', `&limit=1&before=${first.body.data.Next}`)
    expect([textsOf(first), textsOf(next), next.body.data.Next]).toEqual([
      ['Second'],
      ['First\nline'],
      null,
    ])
  })

  test('of a record that is hidden is there for nobody, by whichever way', async () => {
    const id = await makeBill('north')
    const { Id } = await comment('ana', id)
    const refused = async (as: string, status: number) => {
      const answers = [await list(as, id), await say(as, id), await follow(as, id)]
      expect([as, ...answers.map((each) => each.status)]).toEqual([as, status, status, status])
    }
    await refused('sue', 404)
    await refused('cy', 404)
    await refused('lil', 401)
    await refused('nora', 401)
    for (const as of ['sue', 'cy', 'lil'])
      for (const [method, body] of [['PUT', { Text: 'Mine' }], ['DELETE']] as const) {
        const answer = await send(as, method, Id, body)
        expect([as, method, answer.status, answer.body.code]).toEqual([
          as,
          method,
          404,
          'COMMENT_NOT_FOUND',
        ])
      }
    expect(textsOf(await list('ana', id))).toEqual(['Hello'])
  })

  test('is changed by its author alone, from the state that they saw', async () => {
    const id = await makeBill('north')
    const { Id, RowVersion } = await comment('ana', id)
    const foreign = await send('adam', 'PUT', Id, { Text: 'Not mine' })
    expect([foreign.status, foreign.body.error]).toEqual([
      401,
      'You can only change your own comments',
    ])
    const changed = await send('ana', 'PUT', Id, { Text: 'Better', RowVersion })
    expect(changed.body.data).toMatchObject({ Text: 'Better', RowVersion: 2 })
    expect(changed.body.data.ChangedAt).toEqual(expect.any(String))
    const late = await send('ana', 'PUT', Id, { Text: 'Late', RowVersion })
    expect(late.status).toBe(409)
    expect((await send('ana', 'PUT', Id, { Text: ' \n ' })).body.fieldErrors).toEqual({
      Text: 'Write a comment first',
    })
    expect((await send('bo', 'DELETE', Id)).status).toBe(401)
    expect((await send('adam', 'DELETE', Id)).status).toBe(200)
    expect(textsOf(await list('ana', id))).toEqual([])
    expect((await send('ana', 'DELETE', Id)).status).toBe(404)
  })

  test('is written once under an Idempotency-Key', async () => {
    const id = await makeBill('north')
    const key = { 'Idempotency-Key': 'one-comment' }
    const [first, again] = [await say('ana', id, {}, key), await say('ana', id, {}, key)]
    expect(again.text).toBe(first.text)
    expect(textsOf(await list('ana', id))).toEqual(['Hello'])
  })

  test('has a bound, and must say something', async () => {
    const id = await makeBill('north')
    const faulty = [{ Text: '' }, { Text: ' \u200b ' }, { Text: 'x'.repeat(4001) }]
    for (const more of faulty) expect((await say('ana', id, more)).status).toBe(400)
    const quiet = await say('ana', 1, { Object: 'Quiets' })
    expect([quiet.status, quiet.body.error]).toEqual([
      400,
      "The records of 'Quiets' take no comments",
    ])
    const german = await app.fetch<Answer>(`${PATH}?object=Bills&keys=400`, {
      as: 'ana',
      headers: { 'Accept-Language': 'de' },
    })
    expect([german.status, german.body.error]).toEqual([
      400,
      'keys muss den Schlüssel eines Datensatzes als JSON enthalten, etwa {"Id":400}',
    ])
    const metadata = async (name: string) =>
      (
        await app.fetch<Answer<{ Comments: boolean }>>(`/api/v1/svc/object/${name}/metadata`, {
          as: 'ana',
        })
      ).body.data.Comments
    expect([await metadata('Bills'), await metadata('Quiets')]).toEqual([true, false])
  })

  test('goes with its record, by whatever path that goes', async () => {
    for (const [path, more] of [
      ['delete-row', {}],
      ['execute-row-action', { ActionName: 'Wipe' }],
    ] as const) {
      const id = await makeBill('north')
      await comment('ana', id)
      const body = { ObjectName: 'Bills', Parameters: { Id: id }, ...more }
      const answer = await app.fetch<Answer>(`/api/v1/svc/object/${path}`, { as: 'root', body })
      expect([path, answer.status, answer.body.error]).toEqual([path, 200, undefined])
      for (const table of ['svc_comments', 'svc_followers'])
        expect(
          await app.store.all(`SELECT 1 AS Found FROM ${table} WHERE RecordKey = @key`, {
            key: `[${id}]`,
          }),
        ).toEqual([])
    }
  })

  test('on a record of all companies stays in the company where it was written', async () => {
    const keys = { Object: 'Places', Keys: { Code: 'x' } }
    await app.fetch('/api/v1/svc/object/submit', {
      as: 'ana',
      body: { FormName: 'Places', IsNew: true, Parameters: { Code: 'x' } },
    })
    await app.fetch(PATH, { as: 'ana', body: { ...keys, Text: 'Ours' } })
    const listed = (as: string) =>
      app.fetch<Answer<CommentList>>(
        `${PATH}?object=places&keys=${encodeURIComponent('{"code":"x"}')}`,
        { as },
      )
    expect(textsOf(await listed('bo'))).toEqual(['Ours'])
    expect(textsOf(await listed('cy'))).toEqual([])
  })
})

describe('people', () => {
  test('who are mentioned or follow are told, each once, and the author is not', async () => {
    const id = await makeBill('north')
    expect((await follow('bo', id)).status).toBe(200)
    expect((await follow('bo', id)).status).toBe(200)
    const Mentions = ['bo', 'nora', 'ana'].map(idOf)
    await comment('ana', id, { Text: 'Look', Mentions })
    expect(await toldAbout('bo', id)).toEqual(['Mention: ana mentioned you: Bill'])
    expect(await toldAbout('nora', id)).toEqual(['Mention: ana mentioned you: Bill'])
    expect((await toldOf('nora'))[0]).toMatchObject({ Object: 'North', Body: 'Look' })
    await comment('bo', id, { Text: 'Seen' })
    expect(await toldAbout('ana', id)).toEqual(['Followed: bo commented: Bill'])
    expect(await toldAbout('bo', id)).toHaveLength(1)
    expect((await list('ana', id)).body.data.IsFollowing).toBe(true)
    await follow('ana', id, 'DELETE')
    expect((await list('ana', id)).body.data.IsFollowing).toBe(false)
    await comment('bo', id)
    expect(await toldAbout('ana', id)).toHaveLength(1)
  })

  test('who do not see the record are not mentioned, and nothing is written', async () => {
    const id = await makeBill('north')
    const Mentions = ['bo', 'sue', 'cy', 'lil'].map(idOf)
    const refused = await say('ana', id, { Mentions: [...Mentions, 999] })
    expect([refused.status, refused.body.fieldErrors]).toEqual([
      400,
      {
        'Mentions[1]': 'sue does not see this record',
        'Mentions[2]': 'There is no such user in this company',
        'Mentions[3]': 'lil does not see this record',
        'Mentions[4]': 'There is no such user in this company',
      },
    ])
    expect(textsOf(await list('ana', id))).toEqual([])
    expect(await toldAbout('bo', id)).toEqual([])
  })

  test('who follow and lost sight of the record are told nothing', async () => {
    const id = await makeBill('south')
    await follow('sue', id)
    await comment('ana', id, { Text: 'Seen' })
    await app.fetch('/api/v1/svc/object/submit', {
      as: 'ana',
      body: { FormName: 'Bills', Parameters: { Id: id, Area: 'north' } },
    })
    const before = (await toldOf('sue')).length
    await comment('ana', id, { Text: 'Hidden' })
    expect((await toldOf('sue')).length).toBe(before)
    expect((await list('sue', id)).status).toBe(404)
  })

  test('who are mentioned by a change are told once; a deletion takes notices back', async () => {
    const id = await makeBill('north')
    const { Id } = await comment('ana', id, { Mentions: [idOf('bo')] })
    const both = ['bo', 'adam'].map(idOf)
    const changed = await send('ana', 'PUT', Id, { Text: 'Both', Mentions: both })
    expect(changed.body.data.Mentions.map(({ DisplayName }) => DisplayName)).toEqual(['bo', 'adam'])
    expect(await toldAbout('bo', id)).toHaveLength(1)
    expect(await toldAbout('adam', id)).toHaveLength(1)
    const kept = await send('ana', 'PUT', Id, { Text: 'Still' })
    expect(kept.body.data.Mentions).toHaveLength(2)
    expect((await send('ana', 'PUT', Id, { Text: 'x', Mentions: [idOf('sue')] })).status).toBe(400)
    await send('ana', 'DELETE', Id)
    expect([await toldAbout('bo', id), await toldAbout('adam', id)]).toEqual([[], []])
  })

  test('who have the record open hear of changes, and nobody else', async () => {
    const id = await makeBill('south')
    const clients = await Promise.all(
      ['bo', 'sue', 'cy'].map((as) => connect(app.client('notifications', as))),
    )
    const [bo, sue, cy] = clients
    await Promise.all([bo, sue].map((client) => client?.invoke('Open', 'bills', { Id: id })))
    const heard: string[] = []
    sue?.on('commentsChanged', () => heard.push('sue'))
    cy?.on('commentsChanged', () => heard.push('cy'))
    if (!bo) throw new Error('No client')
    const call = nextCall(bo, 'commentsChanged')
    const { Id } = await comment('ana', id)
    expect(await call).toEqual([{ Object: 'Bills', Keys: { Id: id } }])
    await app.fetch('/api/v1/svc/object/submit', {
      as: 'ana',
      body: { FormName: 'Bills', Parameters: { Id: id, Area: 'north' } },
    })
    heard.length = 0
    const deleted = nextCall(bo, 'commentsChanged')
    await send('ana', 'DELETE', Id)
    await deleted
    expect(heard).toEqual([])
    await Promise.all(clients.map((client) => client.stop()))
  })
})

test('the audit log has who wrote, changed and deleted what', async () => {
  const id = await makeBill('north')
  const { Id } = await comment('ana', id)
  await send('ana', 'PUT', Id, { Text: 'Other' })
  await send('adam', 'DELETE', Id)
  const rows = await app.store.all<{ UserId: number; Action: string; Changes: string }>(
    `SELECT UserId, Action, Changes FROM svc_audit
      WHERE Entity = 'svc_comments' AND RecordKey = @key ORDER BY Id`,
    { key: `[${Id}]` },
  )
  expect(rows.map(({ UserId, Action }) => [UserId, Action])).toEqual([
    [idOf('ana'), 'create'],
    [idOf('ana'), 'change'],
    [idOf('adam'), 'delete'],
  ])
  expect(JSON.parse(rows[1]?.Changes ?? '')).toEqual({ Text: ['Hello', 'Other'] })
})
