/** A log that has grown gives its room back by steps. */
import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { LOG_BYTES, openWriter } from '../../src/store/connection/connection.ts'
import { openNative } from '../../src/store/connection/native.ts'
import { LogBound } from '../../src/store/write/log-bound.ts'
import { makeFolder } from './temporary.ts'

const MB = 1024 * 1024

test('a grown log is cut by steps of 32 MB, down to what stays', async () => {
  using home = makeFolder()
  const file = join(home.folder, 'grown.db')
  openNative(file, 'rwc').close()
  const writer = openWriter(file)
  const bound = new LogBound(file, writer)
  writer.database.exec('CREATE TABLE t (b)')
  writer.database.exec(`INSERT INTO t VALUES ${Array(150).fill('(zeroblob(1000000))').join()}`)
  const sizes = [sizeOf(file)]
  while ((sizes.at(-1) ?? 0) > LOG_BYTES && sizes.length < 10) {
    await Bun.sleep(260)
    bound.lower()
    // It starts over behind each 1,000 pages.
    writer.database.exec('INSERT INTO t VALUES (zeroblob(5000000))')
    sizes.push(sizeOf(file))
  }
  writer.close()
  const cuts = sizes.slice(1).map((size, at) => (sizes[at] ?? 0) - size)
  expect(sizes[0]).toBeGreaterThan(LOG_BYTES + 64 * MB)
  expect(cuts.filter((cut) => cut <= 0 || cut > 32 * MB)).toEqual([])
  expect(sizes.at(-1)).toBe(LOG_BYTES)
})

const sizeOf = (file: string): number => statSync(`${file}-wal`).size
