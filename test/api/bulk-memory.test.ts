/** Freed memory stays with the process while much is made and dropped. */
import { expect, test } from 'bun:test'
import { givesMemoryBack } from '../../src/vendor/bun-memory.ts'
import { startImports } from '../support/imports.ts'
import { startYard } from '../support/yard.ts'

const untilGivenBack = async () => {
  while (givesMemoryBack() === false) await Bun.sleep(10)
}

test('an import keeps what is freed, for as long as the next one may follow', async () => {
  await using app = await startImports()
  await untilGivenBack()
  const file = 'Name,Email,Status\nP1,p1@x.org,new'
  await app.take('clerk', { objectName: 'People', file })
  expect(givesMemoryBack()).not.toBe(true)
}, 60_000)

test('an export does, too', async () => {
  await using yard = await startYard()
  await untilGivenBack()
  await yard.rows('lead')
  expect(givesMemoryBack()).not.toBe(true)
}, 60_000)
