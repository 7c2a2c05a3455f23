/** `kill -9` amid a bulk edit: all of its records or none, each once, also repeated. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningExecutable, startExecutable, temporaryFolder } from '../support/executable.ts'
import { scaleCases } from '../support/property.ts'
import { until } from '../support/until.ts'

const AT_ONCE = 400
/** So many are changed by a job. */
const BY_JOB = 1200
const KILLS = scaleCases(1)
const SVC = '/api/v1/svc/object'

/** A server of the demo that is killed and started again. */
class Victim implements AsyncDisposable {
  readonly #folder: string
  #server: RunningExecutable
  #token = ''

  private constructor(folder: string, server: RunningExecutable) {
    this.#folder = folder
    this.#server = server
  }

  static async start(folder: string): Promise<Victim> {
    const server = await startExecutable({ dataFolder: folder, args: ['--demo'] })
    const victim = new Victim(folder, server)
    await victim.#signIn()
    return victim
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.kill()
  }

  async dieAndRise(): Promise<void> {
    await this.#server.kill()
    this.#server = await startExecutable({ dataFolder: this.#folder, args: ['--demo'] })
    await this.#signIn()
  }

  async #signIn(): Promise<void> {
    const user = { UserName: 'root', Password: 'root-demo-password' }
    const { AccessToken } = await this.#json('/api/v1/auth/login', user)
    this.#token = String(AccessToken)
  }

  send(path: string, body: FormData | object, key?: string): Promise<Response> {
    const isForm = body instanceof FormData
    const headers = {
      ...(this.#token !== '' && { Authorization: `Bearer ${this.#token}` }),
      ...(!isForm && { 'Content-Type': 'application/json' }),
      ...(key !== undefined && { 'Idempotency-Key': key }),
    }
    return fetch(this.#server.url + path, {
      method: 'POST',
      headers,
      body: isForm ? body : JSON.stringify(body),
    })
  }

  async #json(path: string, body: FormData | object, key?: string) {
    const answer = await this.send(path, body, key)
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(text)
    return (JSON.parse(text) as { data: Record<string, unknown> }).data
  }

  change(body: object, key?: string): Promise<Record<string, unknown>> {
    return this.#json(`${SVC}/submit-many`, { FormName: 'Products', ...body }, key)
  }

  async import(letters: string, rows: number): Promise<void> {
    const lines = Array.from(
      { length: rows },
      (_, at) => `${letters}-${String(at).padStart(4, '0')},Thing ${at},tools,1,1`,
    )
    const form = new FormData()
    form.set('objectName', 'Products')
    form.set('file', new File([['Sku,Name,GroupCode,Price,Cost', ...lines].join('\n')], 'p.csv'))
    await this.#json(`${SVC}/import-data`, form)
  }

  /** The products of some letters as they are stored, and what is told of bulk edits. */
  look(letters: string) {
    using database = new Database(join(this.#folder, 'engine.db'), { readonly: true })
    const products = database
      .query('SELECT Id, Price, RowVersion AS Stamp FROM products WHERE Sku LIKE ? ORDER BY Id')
      .all(`${letters}-%`) as { Id: number; Price: number; Stamp: number }[]
    const count = (sql: string): number => (database.query(sql).get() as { n: number }).n
    return {
      products,
      made: count(`SELECT count(*) AS n FROM svc_imports WHERE Mode = 'submit-many'`),
      told: count(`SELECT count(*) AS n FROM svc_notifications WHERE Title LIKE 'Bulk edit%'`),
      waiting: count(`SELECT count(*) AS n FROM svc_jobs
        WHERE Name = 'submit-many' AND State NOT IN ('Succeeded', 'Failed')`),
    }
  }
}

type Looked = ReturnType<Victim['look']>

/** All products were changed once, or none was. */
function expectWhole(before: Looked, now: Looked): boolean {
  const steps = now.products.map(({ Stamp }, at) => Stamp - (before.products[at]?.Stamp ?? 0))
  expect([...new Set(steps)]).toHaveLength(1)
  expect([0, 1]).toContain(steps[0] ?? -1)
  expect(now.made - before.made).toBe(steps[0] ?? -1)
  return steps[0] === 1
}

test('a bulk edit and its repeat are one, a job is one, however the server dies', async () => {
  using home = temporaryFolder()
  const folder = join(home.path, 'data')
  mkdirSync(folder)
  await using victim = await Victim.start(folder)
  await victim.import('KA', AT_ONCE)
  await victim.import('KB', BY_JOB)
  let whole = 0
  for (let nth = 0; nth <= KILLS; nth++) {
    const before = victim.look('KA')
    const Keys = before.products.map(({ Id, Stamp }) => ({ Id, RowVersion: String(Stamp) }))
    const body = { Keys, Parameters: { Price: 10 + nth } }
    const began = performance.now()
    const sent = victim.change(body, `edit-${nth}`).catch(() => undefined)
    if (nth === 0) await sent
    whole ||= performance.now() - began
    if (nth > 0) {
      await Bun.sleep(whole * Math.random())
      await victim.dieAndRise()
      await sent
      expectWhole(before, victim.look('KA'))
    }
    expect(await victim.change(body, `edit-${nth}`)).toMatchObject({ Many: { Updated: AT_ONCE } })
    expect(expectWhole(before, victim.look('KA'))).toBe(true)
  }
  for (let nth = 0; nth < KILLS; nth++) {
    const before = victim.look('KB')
    const chosen = {
      Filters: [{ Field: 'Sku', Operator: 'startsWith', Value: 'KB-' }],
      Parameters: { Price: 20 + nth },
    }
    const { Many } = await victim.change({ ...chosen, DryRun: true })
    const { Token } = Many as { Token: string }
    expect(await victim.change({ ...chosen, Token })).toHaveProperty('JobId')
    await Bun.sleep(3 * whole * Math.random())
    await victim.dieAndRise()
    await until(() => victim.look('KB').waiting === 0)
    const after = victim.look('KB')
    expect(expectWhole(before, after)).toBe(true)
    expect(after.told - before.told).toBe(1)
  }
})
