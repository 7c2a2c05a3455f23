/** `kill -9` while the index of the global search is made anew: it goes on, and is whole then. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningExecutable, startExecutable, temporaryFolder } from '../support/executable.ts'
import { scaleCases } from '../support/property.ts'
import { until } from '../support/until.ts'
import { inspectSearchIndex } from '../../scripts/verify/search-index.ts'

/** A job that is killed more often is given up. */
const KILLS = Math.min(scaleCases(2), 4)
const LIFE_MS_MAX = 40

async function ask<T>(server: RunningExecutable, path: string, body?: object): Promise<T> {
  const signIn = await fetch(`${server.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ UserName: 'root', Password: 'root-demo-password' }),
  })
  const { data } = (await signIn.json()) as { data: { AccessToken: string } }
  const answer = await fetch(server.url + path, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${data.AccessToken}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return ((await answer.json()) as { data: T }).data
}

const isWhole = async (server: RunningExecutable): Promise<boolean> => {
  const { Rebuilding } = await ask<{ Rebuilding: boolean }>(server, '/api/v1/svc/search?q=oak')
  return !Rebuilding
}

test('an index that has lost words is whole again, however often the server dies', async () => {
  using home = temporaryFolder()
  const dataFolder = join(home.path, 'data')
  mkdirSync(dataFolder)
  const start = () => startExecutable({ dataFolder, args: ['--demo'] })
  const look = <T>(read: (database: Database) => T, readonly = true): T => {
    using database = new Database(join(dataFolder, 'engine.db'), { readonly, readwrite: !readonly })
    return read(database)
  }
  let server = await start()
  try {
    const first = server
    await until(() => isWhole(first))
    await server.kill()
    look((database) => {
      expect(inspectSearchIndex(database)).toEqual([])
      database.run('DELETE FROM svc_search WHERE rowid % 2 = 0')
      expect(inspectSearchIndex(database)).not.toEqual([])
    }, false)
    server = await start()
    const { JobId } = await ask<{ JobId: number }>(server, '/api/v1/svc/search/rebuild', {})
    for (let round = 0; round < KILLS; round++) {
      await Bun.sleep(Math.random() * LIFE_MS_MAX)
      await server.kill()
      server = await start()
    }
    const last = server
    await until(async () => {
      const job = await ask<{ State: string }>(last, `/api/v1/hangfire/jobs/${JobId}`)
      return job.State === 'Succeeded' && (await isWhole(last))
    })
    await server.kill()
    expect(look(inspectSearchIndex)).toEqual([])
  } finally {
    await server.kill()
  }
})
