/** An app whose users subscribe browsers of a push service of its own. */
import { systemScope } from '../../src/store/store.ts'
import { enqueuePush } from '../../src/engine/web-push/push-jobs.ts'
import type { PushMessage } from '../../src/engine/web-push/push-message.ts'
import { ADMINISTRATORS, idOf } from './administrators.ts'
import { startApp, type TestApp } from './app.ts'
import { Browser, PushService } from './push-service.ts'
import { TEST_PASSWORD } from './template.ts'
import { until } from './until.ts'

export const PUSH = '/api/v1/push-subscription'
export const SCOPE = systemScope('a test writes')

export interface Reply<T = unknown> {
  success: boolean
  code?: string
  data: T
  fieldErrors?: Record<string, string>
}

/** The caller: by the template's session, or by one of their own. */
export type By = { as: string } | { headers: Record<string, string> }

export const withToken = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })

export const MESSAGE: PushMessage = {
  Id: 7,
  Seq: 3,
  Title: 'Order 10 was shipped',
  Body: 'To Bergen – on time ✓',
  Level: 'warning',
  Object: 'Orders',
  Keys: { Id: 10 },
  Url: '/orders/10',
  Kind: 'orders.shipped',
}

export const taken = () => new Response(null, { status: 201 })

const BUSY = `SELECT count(*) AS N FROM svc_jobs WHERE State IN ('Enqueued', 'Processing')`

const COUNT = 'SELECT count(*) AS N FROM svc_push_subscriptions WHERE UserId = @user'

/** The office with jobs that run and a clock that is set. */
export class PushSubscribers implements AsyncDisposable {
  readonly service = new PushService()
  now = new Date(Math.ceil(Date.now() / 1000) * 1000)
  #app: TestApp | undefined

  static async start(): Promise<PushSubscribers> {
    const office = new PushSubscribers()
    const settings = { ...office.service.settings, 'Svc:Push:Subject': 'mailto:ops@example.com' }
    const clock = { now: () => office.now }
    office.#app = await startApp({ application: ADMINISTRATORS, settings, clock })
    await office.app.context.jobs.start()
    return office
  }

  get app(): TestApp {
    if (!this.#app) throw new Error('The office is closed')
    return this.#app
  }

  pass(milliseconds: number): void {
    this.now = new Date(this.now.getTime() + milliseconds)
    this.app.context.jobs.wake()
  }

  /** A session of its own: those of the template are every test's. */
  async signIn(UserName: string) {
    const body = { UserName, Password: TEST_PASSWORD }
    const { body: answer } = await this.app.fetch<Reply<{ AccessToken: string }>>(
      '/api/v1/auth/login',
      { body },
    )
    return withToken(answer.data.AccessToken)
  }

  subscribe(by: By, body: unknown) {
    return this.app.fetch<Reply<{ Count: number; Removed: number }>>(PUSH, { ...by, body })
  }

  unsubscribe(by: By, endpoint: string) {
    return this.app.fetch<Reply>(PUSH, { ...by, method: 'DELETE', body: { endpoint } })
  }

  askTest(by: By) {
    return this.app.fetch<Reply<{ Count: number }>>(`${PUSH}/test`, { ...by, body: {} })
  }

  async openBrowser(by: By): Promise<Browser> {
    const browser = this.service.open()
    const { status, text } = await this.subscribe(by, browser.subscription)
    if (status !== 200) throw new Error(text)
    return browser
  }

  /** Has a message sent to a user in a company. */
  send(user: string, companyId = 1): Promise<number> {
    return this.app.store.write((tx) => {
      const owner = { userId: idOf(user), companyId }
      return enqueuePush(tx, { message: MESSAGE }, { owner, source: 'test', now: this.now })
    }, SCOPE)
  }

  /** Until no job runs or waits for a worker. */
  settle(): Promise<void> {
    return until(async () => (await this.app.store.get<{ N: number }>(BUSY))?.N === 0)
  }

  async countOf(user: string): Promise<number> {
    return (await this.app.store.get<{ N: number }>(COUNT, { user: idOf(user) }))?.N ?? 0
  }

  async clear(): Promise<void> {
    const sql = 'DELETE FROM svc_push_subscriptions'
    await this.app.store.write(async (tx) => void (await tx.run(sql)), SCOPE)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app.context.jobs.stop()
    await this.app[Symbol.asyncDispose]()
    this.service[Symbol.dispose]()
  }
}
