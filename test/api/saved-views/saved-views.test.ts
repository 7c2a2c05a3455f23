/** Saved views of an object (src/server/README.md, Saved views). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { SavedViewChange } from '../../../src/engine/saved-views/schema.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { APPLICATION, type GivenView, SavedViewCalls, VIEWS } from '../../support/saved-views.ts'

let app: TestApp
let post: SavedViewCalls['post']
let save: SavedViewCalls['save']
let put: SavedViewCalls['put']
let remove: SavedViewCalls['remove']
let list: SavedViewCalls['list']
let find: SavedViewCalls['find']

beforeAll(async () => {
  app = await startApp({ application: APPLICATION })
  ;({ post, save, put, remove, list, find } = new SavedViewCalls(app))
})
afterAll(() => app[Symbol.asyncDispose]())

/** A view that names a field hidden from `bo`, one served nowhere but by its key, and others. */
const WHOLE = {
  Name: 'Whole',
  Columns: [{ Field: 'Name', Width: 120, Pinned: 'start' }, { Field: 'secret' }],
  Filters: [
    { Field: 'Name', Operator: 'contains', Value: 'a' },
    {
      Logic: 'or',
      Filters: [
        { Field: 'Name', Value: 'b' },
        { Field: 'Secret', Value: 'canary' },
      ],
    },
    { field: 'Name', operator: 'eq', valueField: 'Secret' },
  ],
  SearchText: 'ab',
  Sort: [{ Field: 'Secret', Direction: 'desc' }, { Field: 'Name' }],
  Preset: 'Secrets',
  GroupBy: ['Secret', 'Due:month'],
  Settings: {
    Title: 'Name',
    Tone: 'Secret',
    Rows: ['Secret', 'Name'],
    Values: [{ Function: 'count' }, { Field: 'Secret', Function: 'max' }],
    Chart: 'bar',
  },
} as const satisfies SavedViewChange

const LEFT = {
  Columns: [{ Field: 'Name', Width: 120, Pinned: 'start' }],
  Filters: [{ Field: 'Name', Operator: 'contains', Value: 'a' }],
  Sort: [{ Field: 'Name' }],
  Preset: null,
  GroupBy: ['Due:month'],
  Settings: { Title: 'Name', Rows: ['Name'], Values: [{ Function: 'count' }], Chart: 'bar' },
}

describe('a saved view', () => {
  test('is given back as it was saved, to its owner alone', async () => {
    const saved = await save('ana', WHOLE as SavedViewChange)
    const { Filters, ...rest } = WHOLE
    expect(saved).toMatchObject({
      ...(rest as object),
      Object: 'Bills',
      Shared: 'none',
      Role: null,
      Kind: 'grid',
      Ignored: [],
      IsPartial: false,
      MadeBy: 'ana',
      CanChange: true,
      Default: false,
      RowVersion: 1,
    })
    expect(saved.Filters).toEqual(Filters)
    expect(await find('ana', saved.Id)).toEqual(saved)
    for (const other of ['bo', 'sam', 'eve', 'root', 'cy'])
      expect(await find(other, saved.Id)).toBeUndefined()
    expect(await find('ana', saved.Id, 'Other')).toBeUndefined()
  })

  test('changes by parts: what is left out stays, null clears', async () => {
    const saved = await save('ana', { Name: 'Parts', Preset: 'Named', Sort: [{ Field: 'Due' }] })
    const changed = (await put('ana', saved.Id, { Preset: null, Name: ' Other ' })).body.data
    expect(changed).toMatchObject({ Preset: null, Name: 'Other', RowVersion: 2 })
    expect(changed.Sort).toEqual([{ Field: 'Due' }])
    const late = await put('ana', saved.Id, { Name: 'Late', RowVersion: 1 })
    expect([late.status, late.body.error]).toEqual([
      409,
      'The view was changed by someone else. Reload it and try again.',
    ])
    expect((await put('ana', saved.Id, { Name: 'Next', RowVersion: 2 })).status).toBe(200)
  })

  test.each([
    ['an unknown field', { Columns: [{ Field: 'Nothing' }] }, 'Columns[0].Field'],
    ['a hidden field, as an unknown one', { Columns: [{ Field: 'Secret' }] }, 'Columns[0].Field'],
    ['a field that is served nowhere', { Sort: [{ Field: 'Unseen' }] }, 'Sort[0].Field'],
    ['a filter on it', { Filters: [{ Field: 'Unseen', Value: 1 }] }, 'Filters[0]'],
    ['an operator', { Filters: [{ Field: 'Name', Operator: 'is' }] }, 'Filters[0]'],
    ['a value', { Filters: [{ Field: 'Due', Value: 'soon' }] }, 'Filters[0]'],
    ['a direction', { Sort: [{ Field: 'Name', Direction: 'up' }] }, 'Sort[0].Field'],
    ['a preset', { Preset: 'Nothing' }, 'Preset'],
    ['the preset of a hidden field', { Preset: 'Secrets' }, 'Preset'],
    ['a part of a text', { GroupBy: ['Name:month'] }, 'GroupBy[0]'],
    ['a title', { Settings: { Title: 'Secret' } }, 'Settings.Title'],
    ['a pivot', { Settings: { Rows: ['Name', 'Secret'] } }, 'Settings.Rows[1]'],
    ['a blank name', { Name: '  ' }, 'Name'],
  ] as const)('is refused with %s', async (_, view, place) => {
    const answer = await post('bo', view as unknown as GivenView)
    expect([answer.status, Object.keys(answer.body.fieldErrors ?? {})]).toEqual([400, [place]])
    expect(await list('bo')).toEqual([])
  })

  test('is refused for a hidden field in the words of an unknown one', async () => {
    const messages = await Promise.all(
      ['Secret', 'Absent'].map(async (Field) => {
        const { body } = await post('bo', { Columns: [{ Field }] })
        return body.error?.replace(Field, 'x')
      }),
    )
    expect(messages).toEqual(["Unknown field 'x'", "Unknown field 'x'"])
  })

  test('is refused without View on the object, and for one that is not there', async () => {
    expect((await post('far', {})).status).toBe(401)
    expect((await post('ana', { Object: 'Nothing' })).status).toBe(404)
    expect((await app.fetch(`${VIEWS}?object=Bills`, { as: 'far' })).status).toBe(401)
    expect((await app.fetch(`${VIEWS}?object=Nothing`, { as: 'ana' })).status).toBe(404)
    expect((await app.fetch(VIEWS, { as: 'ana' })).status).toBe(400)
  })

  test('runs once under its Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'saved-view-once' }
    const [first, again] = [
      await post('kim', { Name: 'Once' }, headers),
      await post('kim', { Name: 'Once' }, headers),
    ]
    expect(again.text).toBe(first.text)
    expect((await list('kim')).filter(({ Name }) => Name === 'Once')).toHaveLength(1)
  })

  test('is bounded in bytes and in number', async () => {
    const Filters = [{ Field: 'Name', Operator: 'in', Value: Array(900).fill('x'.repeat(20)) }]
    const large = await post('bo', { Filters })
    expect([large.status, large.body.error]).toEqual([413, 'A saved view can have at most 16 KB'])
    for (let at = 0; at < 50; at++) await save('cy', { Name: `View ${at}` })
    const more = await post('cy', { Name: 'More' })
    expect([more.status, more.body.error]).toEqual([
      413,
      'You can save at most 50 views of an object. Delete some of them first.',
    ])
    expect(await list('cy')).toHaveLength(50)
    expect((await post('cy', { Object: 'Other' })).status).toBe(200)
  })
})

describe('a shared view', () => {
  test('leaves out what its reader may not see, with no value of it', async () => {
    const shared = await save('sam', { ...(WHOLE as SavedViewChange), Shared: 'company' })
    expect((await find('ana', shared.Id))?.IsPartial).toBe(false)
    const answer = await app.fetch(`${VIEWS}?object=Bills`, { as: 'bo' })
    const seen = await find('bo', shared.Id)
    expect(seen).toMatchObject({ ...LEFT, IsPartial: true, IsOwn: false, CanChange: false })
    // The metadata, which is the same for everybody, has both names.
    expect(seen?.Ignored.toSorted()).toEqual(['Name', 'Secret', 'Secrets', 'secret'])
    expect(answer.text).not.toContain('canary')
    expect(await find('cy', shared.Id)).toBeUndefined()
    expect(await find('sue', shared.Id)).toBeUndefined()
    await remove('sam', shared.Id)
  })

  test('needs the right to share, and a role that its maker holds', async () => {
    const attempts = [
      ['ana', { Shared: 'company' }, 401],
      ['ana', { Shared: 'role', Role: 'Clerk' }, 401],
      ['sam', { Shared: 'role', Role: 'Clerk' }, 200],
      ['sam', { Shared: 'role', Role: 'Blind' }, 400],
      ['sam', { Shared: 'role', Role: 'Absent' }, 400],
      ['sam', { Shared: 'role' }, 400],
      ['sam', { Shared: 'all' }, 400],
      ['eve', { Shared: 'role', Role: 'Blind' }, 200],
      ['eve', { Shared: 'role', Role: 'Absent' }, 400],
      ['root', { Shared: 'role', Role: 'Blind' }, 200],
    ] as const
    for (const [as, view, status] of attempts) {
      const answer = await post(as, view as GivenView)
      expect([as, view, answer.status]).toEqual([as, view, status])
      if (status === 200) await remove(as, answer.body.data.Id)
    }
    const [blind, absent] = [
      await post('sam', { Shared: 'role', Role: 'Blind' }),
      await post('sam', { Shared: 'role', Role: 'Absent' }),
    ]
    expect(blind.body.error).toBe(absent.body.error ?? '')
  })

  test('is found by holders of its role, its maker, and who manages shared views', async () => {
    const { Id } = await save('eve', { Name: 'Of the blind', Shared: 'role', Role: 'Blind' })
    const found = await Promise.all(
      ['bo', 'eve', 'kim', 'root', 'ana', 'sam', 'cy'].map(
        async (as) => [as, (await find(as, Id)) !== undefined] as const,
      ),
    )
    expect(Object.fromEntries(found)).toEqual({
      bo: true,
      eve: true,
      kim: true,
      root: true,
      ana: false,
      sam: false,
      cy: false,
    })
    for (const as of ['ana', 'sam', 'cy', 'far']) {
      expect((await put(as, Id, { Default: true })).status).toBe(404)
      const [hidden, missing] = [await remove(as, Id), await remove(as, 999_999)]
      const { code, error } = missing.body
      expect([hidden.status, hidden.body]).toMatchObject([404, { code, error }])
    }
    await remove('eve', Id)
  })

  test('is changed and deleted by its maker, administrators and those with the verb', async () => {
    const { Id } = await save('sam', { Name: 'Ours', Shared: 'company' })
    for (const [as, status] of [
      ['ana', 401],
      ['bo', 401],
      ['cy', 404],
      ['sue', 404],
    ] as const) {
      expect((await put(as, Id, { Name: 'Taken' })).status).toBe(status)
      expect((await remove(as, Id)).status).toBe(status)
    }
    expect((await put('eve', Id, { Shared: 'none' })).status).toBe(400)
    expect((await put('sam', Id, { Name: 'Still ours' })).status).toBe(200)
    const taken = (await put('kim', Id, { Name: 'Kept' })).body.data
    expect(taken).toMatchObject({ MadeBy: 'kim', Shared: 'company', RowVersion: 3 })
    expect((await put('sam', Id, { Name: 'Mine again' })).status).toBe(401)
    expect((await remove('eve', Id)).status).toBe(200)
    expect(await find('sam', Id)).toBeUndefined()
  })

  test('has its changes in the audit log; a private one has none', async () => {
    const mine = await save('sam', { Name: 'Mine alone' })
    await put('sam', mine.Id, { Name: 'Still mine' })
    const { Id } = await save('sam', { Name: 'Ours', Shared: 'company' })
    await put('kim', Id, { Name: 'Kept' })
    await put('ana', Id, { Default: true })
    await put('kim', Id, { Shared: 'none' })
    await put('sam', mine.Id, { Shared: 'company' })
    for (const id of [Id, mine.Id]) await remove('eve', id)
    const rows = await app.store.all(`SELECT u.UserName, a.RecordKey, a.Action, a.Changes
      FROM svc_audit a JOIN svc_users u ON u.Id = a.UserId WHERE a.Entity = 'svc_saved_views'
      AND a.RecordKey IN ('[${Id}]', '[${mine.Id}]') ORDER BY a.Id`)
    const told = rows.map(({ UserName, RecordKey, Action, Changes }) => {
      const { Body: _, ...changes } = JSON.parse(String(Changes)) as Record<string, unknown>
      return [UserName, RecordKey === `[${Id}]` ? 'ours' : 'mine', Action, changes]
    })
    expect(told).toEqual([
      [
        'sam',
        'ours',
        'create',
        { Object: [null, 'Bills'], Name: [null, 'Ours'], Shared: [null, 'company'] },
      ],
      ['kim', 'ours', 'change', { Name: ['Ours', 'Kept'] }],
      ['kim', 'ours', 'change', { Shared: ['company', 'none'] }],
      ['sam', 'mine', 'change', { Shared: ['none', 'company'] }],
      [
        'eve',
        'mine',
        'delete',
        { Object: ['Bills', null], Name: ['Still mine', null], Shared: ['company', null] },
      ],
    ])
  })

  test('is taken back by its maker, also without the right to share any longer', async () => {
    const { Id } = await save('sam', { Name: 'Back', Shared: 'company' })
    await app.store.write(
      (tx) => tx.run(`DELETE FROM svc_user_roles WHERE Role = 'Sharer' AND UserId = 4`, {}),
      { company: 'all', because: 'a test' },
    )
    app.context.callers.forgetAll()
    expect((await put('sam', Id, { Name: 'Other' })).status).toBe(401)
    const back = await put('sam', Id, { Shared: 'none' })
    expect(back.body.data).toMatchObject({ Shared: 'none', CanChange: true })
    expect(await find('ana', Id)).toBeUndefined()
    await remove('sam', Id)
  })

  test('is each reader’s own choice to open the object with', async () => {
    const { Id } = await save('eve', { Name: 'For all', Shared: 'company' })
    const mine = await save('ana', { Name: 'Own', Default: true })
    expect(mine.Default).toBe(true)
    const chosen = await put('ana', Id, { Default: true })
    expect(chosen.body.data).toMatchObject({ Default: true, RowVersion: 1 })
    const defaults = async (as: string) =>
      (await list(as)).filter((view) => view.Default).map(({ Name }) => Name)
    expect([await defaults('ana'), await defaults('bo')]).toEqual([['For all'], []])
    // Another one is not given up for it.
    await put('ana', mine.Id, { Default: false })
    expect(await defaults('ana')).toEqual(['For all'])
    await remove('eve', Id)
    expect(await defaults('ana')).toEqual([])
  })
})
