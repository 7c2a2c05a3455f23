/** `kill -9` around the finish of a wizard: all of it or nothing, and once under its key. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningExecutable, startExecutable, temporaryFolder } from '../support/executable.ts'
import { scaleCases } from '../support/property.ts'

const KILLS = scaleCases(2)
const LIFE_MS_MAX = 12
const WIZARD = '/api/v1/svc/wizard'

interface Answer {
  status: number
  isReplayed: boolean
  data: { RunId: string; Keys: { Id: number } | null }
}

/** Asks as ana; an answer that never comes rejects. */
async function planAsk(server: RunningExecutable) {
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const signIn = await post('/api/v1/auth/login', {
    UserName: 'ana',
    Password: 'ana-demo-password',
  })
  const { data } = (await signIn.json()) as { data: { AccessToken: string } }
  const Authorization = `Bearer ${data.AccessToken}`
  return async (path: string, body: object = {}, key?: string): Promise<Answer> => {
    const headers: Record<string, string> = { Authorization }
    if (key !== undefined) headers['Idempotency-Key'] = key
    const answer = await post(`${WIZARD}/${path}`, body, headers)
    const { data: told } = (await answer.json()) as Pick<Answer, 'data'>
    const isReplayed = answer.headers.has('Idempotency-Replayed')
    return { status: answer.status, isReplayed, data: told }
  }
}

/** The stored rows of a customer and of the run that makes it. */
function look(dataFolder: string, name: string, run: string) {
  using database = new Database(join(dataFolder, 'engine.db'), { readonly: true })
  const count = (sql: string, value: string): number =>
    (database.query(sql).get({ $value: value }) as { n: number }).n
  const own = 'CustomerId IN (SELECT Id FROM customers WHERE Name = $value)'
  return {
    customers: count('SELECT count(*) AS n FROM customers WHERE Name = $value', name),
    contracts: count(`SELECT count(*) AS n FROM customer_contracts WHERE ${own}`, name),
    runs: count('SELECT count(*) AS n FROM svc_wizard_runs WHERE Id = $value', run),
  }
}

test('a killed finish has written all of it or nothing, and is repeated safely', async () => {
  using home = temporaryFolder()
  const dataFolder = join(home.path, 'data')
  mkdirSync(dataFolder)
  const start = () => startExecutable({ dataFolder, args: ['--demo'] })
  let server = await start()
  try {
    for (let round = 0; round < KILLS; round++) {
      const name = `Killed ${round}`
      const key = `finish-${round}`
      let ask = await planAsk(server)
      const { RunId } = (await ask('new-customer/start')).data
      for (const Values of [
        { Kind: 'person', Name: name },
        { CountryCode: 'DE', Region: 'Coast' },
        {},
      ])
        expect((await ask(`runs/${RunId}/next`, { Values })).status).toBe(200)
      const sent = ask(`runs/${RunId}/finish`, {}, key).catch(String)
      await Bun.sleep(Math.random() * LIFE_MS_MAX)
      await server.kill()
      const answered = await sent
      server = await start()
      const before = look(dataFolder, name, RunId)
      const isDone = before.customers === 1
      expect(before).toEqual(
        isDone ? { customers: 1, contracts: 1, runs: 0 } : { customers: 0, contracts: 0, runs: 1 },
      )
      // What was answered is there.
      if (typeof answered !== 'string') expect([answered.status, isDone]).toEqual([200, true])
      ask = await planAsk(server)
      const again = await ask(`runs/${RunId}/finish`, {}, key)
      expect([again.status, again.isReplayed]).toEqual([200, isDone])
      expect((await ask(`runs/${RunId}/finish`, {}, key)).data).toEqual(again.data)
      expect(look(dataFolder, name, RunId)).toEqual({ customers: 1, contracts: 1, runs: 0 })
    }
  } finally {
    await server.kill()
  }
})
