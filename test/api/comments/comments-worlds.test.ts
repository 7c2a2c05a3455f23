/** Comments in random worlds: their readers, authors and whom they reach, against a small model. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Comment, CommentList } from '../../../src/engine/comments/schema.ts'
import type { Timeline } from '../../../src/engine/timeline/schema.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { type Answer, COMMENTED } from '../../support/comments.ts'
import { makePeople } from '../../support/people.ts'
import { scaleCases } from '../../support/property.ts'

const PEOPLE = {
  root: 'System in ONE TWO',
  ana: 'Clerk',
  nora: 'Northern',
  sue: 'Southern',
  adam: 'Southern Admin',
  lil: 'Lister',
  cy: 'Clerk in TWO',
} as const
type Name = keyof typeof PEOPLE
const NAMES = Object.keys(PEOPLE) as Name[]
const idOf = (name: Name): number => NAMES.indexOf(name) + 1

const APPLICATION = {
  files: [{ name: 'bills.xml', body: COMMENTED }],
  ...makePeople('ONE TWO', PEOPLE),
}

const AREAS = ['north', 'south', 'west'] as const
type Area = (typeof AREAS)[number]

/** Bills of company ONE, by their ids. */
const BILLS = [1, 2] as const

/** Areas of bills that a user sees, in the view by which they look at them. */
const SEEN: Readonly<Record<Name, readonly Area[]>> = {
  root: AREAS,
  ana: AREAS,
  nora: ['north'],
  sue: ['south'],
  adam: ['south'],
  lil: [],
  cy: [],
}
const viewOf = (name: Name): string => (name === 'nora' ? 'North' : 'Bills')

interface Known {
  author: Name
  bill: number
  text: string
  mentions: readonly Name[]
}

/** A world as the rules have it (src/server/README.md, Comments). */
class World {
  readonly areas = new Map<number, Area>(BILLS.map((id) => [id, 'north']))
  readonly comments = new Map<number, Known>()
  readonly followers = new Map<number, Set<Name>>(BILLS.map((id) => [id, new Set()]))
  /** Notifications that are there, by comment and reader. */
  readonly told = new Set<string>()

  sees(name: Name, bill: number): boolean {
    return SEEN[name].includes(this.areas.get(bill) ?? 'west')
  }

  tell(id: number, names: Iterable<Name>, author: Name): void {
    for (const name of names) if (name !== author) this.told.add(`${id} ${name}`)
  }
}

const nameOf = fc.constantFrom(...NAMES)
const bill = fc.constantFrom(...BILLS)
const mentions = fc.uniqueArray(nameOf, { maxLength: 2 })
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ act: fc.constant('say' as const), as: nameOf, bill, mentions }),
  },
  fc.record({ act: fc.constant('change' as const), as: nameOf, at: fc.nat(20), mentions }),
  fc.record({ act: fc.constant('delete' as const), as: nameOf, at: fc.nat(20) }),
  fc.record({ act: fc.constant('follow' as const), as: nameOf, bill, ends: fc.boolean() }),
  fc.record({ act: fc.constant('move' as const), bill, area: fc.constantFrom(...AREAS) }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const PATH = '/api/v1/svc/comments'

const call = <T = Comment>(app: TestApp, as: Name, method: string, rest: string, body?: object) =>
  app.fetch<Answer<T>>(`${PATH}${rest}`, { as, method, ...(body && { body }) })

async function write(app: TestApp, sql: string, args: Record<string, string | number> = {}) {
  await app.store.write((tx) => tx.silently(() => tx.run(sql, args)), {
    company: 'all',
    because: 'a test',
  })
}

async function take(app: TestApp, world: World, now: Step, at: number): Promise<void> {
  if (now.act === 'move') {
    world.areas.set(now.bill, now.area)
    return write(app, 'UPDATE bills SET Area = @area WHERE Id = @bill', {
      area: now.area,
      bill: now.bill,
    })
  }
  if (now.act === 'say') return speak(app, world, now, `${at}`)
  const { as } = now
  if (now.act === 'follow') {
    const method = now.ends ? 'DELETE' : 'POST'
    const body = { Object: viewOf(as), Keys: { Id: now.bill } }
    const { status } = await call(app, as, method, '/follow', body)
    expect([now, status === 200]).toEqual([now, world.sees(as, now.bill)])
    if (status !== 200) return
    if (now.ends) world.followers.get(now.bill)?.delete(as)
    else world.followers.get(now.bill)?.add(as)
    return
  }
  const [id, comment] = [...world.comments][now.at % Math.max(world.comments.size, 1)] ?? []
  if (id === undefined || comment === undefined) return
  const sees = world.sees(as, comment.bill)
  if (now.act === 'delete') {
    const { status } = await call(app, as, 'DELETE', `/${id}`)
    const mayDelete = sees && (as === comment.author || as === 'root' || as === 'adam')
    expect([now, comment, status === 200]).toEqual([now, comment, mayDelete])
    if (!mayDelete) return
    world.comments.delete(id)
    for (const name of NAMES) world.told.delete(`${id} ${name}`)
    return
  }
  const added = now.mentions.filter((name) => !comment.mentions.includes(name))
  const isAllowed =
    sees && as === comment.author && added.every((name) => world.sees(name, comment.bill))
  const text = `${at}`
  const body = { Text: text, Mentions: now.mentions.map(idOf) }
  const { status } = await call(app, as, 'PUT', `/${id}`, body)
  expect([now, comment, status === 200]).toEqual([now, comment, isAllowed])
  if (!isAllowed) return
  world.comments.set(id, { ...comment, text, mentions: now.mentions })
  world.tell(id, added, as)
}

async function speak(
  app: TestApp,
  world: World,
  now: Extract<Step, { act: 'say' }>,
  text: string,
): Promise<void> {
  const { as, bill: id } = now
  const body = {
    Object: viewOf(as),
    Keys: { Id: id },
    Text: text,
    Mentions: now.mentions.map(idOf),
  }
  const { status, body: answer } = await call(app, as, 'POST', '', body)
  const isAllowed = world.sees(as, id) && now.mentions.every((name) => world.sees(name, id))
  expect([now, status === 200]).toEqual([now, isAllowed])
  if (!isAllowed) return
  const comment = answer.data.Id
  world.comments.set(comment, { author: as, bill: id, text, mentions: now.mentions })
  world.tell(comment, now.mentions, as)
  const followers = world.followers.get(id) ?? new Set()
  world.tell(
    comment,
    [...followers].filter((name) => world.sees(name, id)),
    as,
  )
  followers.add(as)
}

/** Each reader finds the comments on what they see, in both ways, and has the notifications. */
async function look(app: TestApp, world: World): Promise<void> {
  for (const name of NAMES)
    for (const id of BILLS) {
      const texts = [...world.comments.values()]
        .filter((comment) => comment.bill === id)
        .map(({ text }) => text)
      const view = viewOf(name)
      const listed = await call<CommentList>(
        app,
        name,
        'GET',
        `?object=${view}&limit=100&keys=${encodeURIComponent(JSON.stringify({ Id: id }))}`,
      )
      const timeline = await app.fetch<Answer<Timeline>>('/api/v1/svc/timeline', {
        as: name,
        body: { Object: view, Keys: { Id: id }, Limit: 100 },
      })
      const seen = world.sees(name, id) ? texts.toSorted() : undefined
      const found = listed.body.data?.Comments.map(({ Text }) => Text).toSorted()
      const shown = timeline.body.data?.Entries.filter(({ Kind }) => Kind === 'comment')
      expect<unknown>([name, id, found]).toEqual([name, id, seen])
      expect<unknown>([name, id, shown?.map(({ Text }) => Text ?? '').toSorted()]).toEqual([
        name,
        id,
        seen,
      ])
    }
  const rows = await app.store.all<{ UserId: number; Count: number }>(
    'SELECT UserId, count(*) AS Count FROM svc_notifications GROUP BY UserId',
  )
  const counts = Object.groupBy(world.told, (each) => each.split(' ')[1] ?? '')
  expect(Object.fromEntries(rows.map(({ UserId, Count }) => [NAMES[UserId - 1], Count]))).toEqual(
    Object.fromEntries(Object.entries(counts).map(([name, list]) => [name, list?.length])),
  )
}

test('comments are seen, changed and told as the rules say, in random worlds', async () => {
  await using app = await startApp({ application: APPLICATION })
  for (const id of BILLS)
    await write(app, "INSERT INTO bills (Id, CompanyId, Name) VALUES (@id, 1, 'Bill')", { id })
  const steps = fc.array(step, { minLength: 15, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(steps, async (walk) => {
      for (const table of ['svc_comments', 'svc_followers', 'svc_notifications'])
        await write(app, `DELETE FROM ${table}`)
      await write(app, "UPDATE bills SET Area = 'north'")
      const world = new World()
      for (const [at, now] of walk.entries()) await take(app, world, now, at)
      await look(app, world)
    }),
    { numRuns: scaleCases(6) },
  )
})
