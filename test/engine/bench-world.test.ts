/** The bench's world: the bare server that is written by hand gives the engine's answers. */
import { expect, test } from 'bun:test'
import { createApp } from '../../src/app.ts'
import { askOf, startBare } from '../../scripts/bench/compare.ts'
import { openFolder } from '../../scripts/bench/open-folder.ts'
import { type Ask, requireSameAnswers } from '../../scripts/bench/same-answers.ts'
import { COMPARED } from '../../scripts/bench/work.ts'
import { openWorld, type World } from '../../scripts/bench/world.ts'

const ORDERS = 1200

const askApp =
  (app: ReturnType<typeof createApp>, { token }: World): Ask =>
  async ({ path, body }) => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
    const request = new Request(`http://localhost${path}`, { method: 'POST', headers, body })
    return (await app.handle(request)).text()
  }

test('every kind of work is answered alike by the engine and by hand', async () => {
  using world = await openWorld(ORDERS)
  const context = await openFolder(world.engineFolder)
  try {
    await using bare = await startBare(world)
    const sides = { engine: askApp(createApp(context), world), byHand: askOf(bare, {}) }
    const names = world.works.map(({ name }): string => name)
    expect(names.toSorted()).toEqual([...COMPARED, 'report'].toSorted())
    await requireSameAnswers(world.works, sides)
    const [first] = world.works
    if (!first) throw new Error('There is no work')
    // What is asked for by hand is another page: the check must see it.
    const byHand = [...first.byHand.slice(1), ...first.byHand.slice(0, 1)]
    await expect(requireSameAnswers([{ ...first, byHand }], sides)).rejects.toThrow('differ')
  } finally {
    await context.close()
  }
})
