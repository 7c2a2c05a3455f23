/**
 * The client draws an application of extremes; in `verify` each object of it in every variant, and
 * adopted databases.
 */
import { expect, test } from 'bun:test'
import { openClientWorld } from './client-world.ts'
import { makeUnseenFolder } from './unseen-worlds.ts'
import { temporaryFolder } from '../support/executable.ts'
import { crawlObject, listObjects } from '../../scripts/screens/crawl.ts'
import { VARIANTS } from '../../scripts/screens/variants.ts'

test('200 fields, 40 details, Arabic labels and none are drawn, at a desk or a phone', async () => {
  using home = temporaryFolder()
  await using world = await openClientWorld(await makeUnseenFolder(home.path, 'extremes'))
  const faults: string[] = []
  for (const [nth, variant] of ['light', 'phone'].entries()) {
    const { page, complaints, outside } = await world.openAs('ada', '/', VARIANTS[variant])
    const objects = await listObjects(page)
    expect(objects).toHaveLength(4)
    for (const object of objects.filter((_, at) => at % 2 === nth))
      faults.push(...(await crawlObject(page, world.address, object)))
    faults.push(...complaints, ...outside)
  }
  expect(faults).toEqual([])
})
