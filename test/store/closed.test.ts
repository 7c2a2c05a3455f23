/** A closed connection leaves no memory behind, whenever the collector takes its statements. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { MB } from '../../src/kernel/setting.ts'
import { temporaryFolder } from '../support/executable.ts'

/** Room for some connections that have read the file, as none is open longer than the next. */
const HEAP_BYTES = 24 * MB

test('connections that are closed one after another need the memory of one', async () => {
  using folder = temporaryFolder()
  const script = join(import.meta.dir, '..', 'support', 'closed.ts')
  const words = [join(folder.path, 'data.db'), String(HEAP_BYTES), '80']
  const child = Bun.spawn([process.execPath, script, ...words], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  expect((await child.stdout.text()).trim()).toBe('80 closed')
})
