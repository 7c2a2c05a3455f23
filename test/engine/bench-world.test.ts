/** The bench's world: what the bare server runs is what the engine runs for the same requests. */
import { expect, test } from 'bun:test'
import Database from 'libsql'
import { openWorld } from '../../scripts/bench/world.ts'

const ORDERS = 1200

test('the statements of every kind of work are recorded, and SQLite takes them', async () => {
  using world = await openWorld(ORDERS)
  const { bareJob, works } = world
  const database = new Database(bareJob.file)
  try {
    for (const sql of bareJob.texts) expect(() => database.prepare(sql)).not.toThrow()
    for (const { name, requests } of works) {
      expect(bareJob[name]).toHaveLength(requests.length)
      expect(bareJob[name].every((statements) => statements.length > 0)).toBe(true)
    }
    const [update] = bareJob.update
    expect(update?.some(({ text }) => bareJob.texts[text]?.startsWith('UPDATE'))).toBe(true)
  } finally {
    database.close()
  }
})
