/** Questions to a world that changes, and every answer that was right at some moment of it. */
import type { SqlRead } from '../../src/store/sql.ts'
import type { Store } from '../../src/store/store.ts'
import type { Caller } from '../../src/access/callers/caller.ts'
import { Grant } from '../../src/access/rights/grant.ts'
import { TextSearch } from '../../src/engine/grid-search/text-search.ts'
import { planAfterWrite } from '../../src/engine/object/after-write/after-write.ts'
import type { Context } from '../../src/engine/object/context.ts'
import { planForm } from '../../src/engine/object/form/form-plan.ts'
import { loadForm } from '../../src/engine/object/form/load-form.ts'
import { readParameters } from '../../src/engine/object/parameters.ts'
import { requireView } from '../../src/engine/object/read/find-view.ts'
import { loadTable } from '../../src/engine/object/read/load-table.ts'
import { parsePage } from '../../src/engine/object/read/page-cells.ts'
import { QueryCache } from '../../src/engine/object/read/query-cache.ts'
import { planTable } from '../../src/engine/object/read/table.ts'
import type { TableRequest } from '../../src/engine/object/schema.ts'
import { startApp, type TestApp } from './app.ts'
import { CACHED } from './cache-model.ts'

export const NOW = new Date('2026-11-21T09:00:00Z')

/** Small, so that answers are pushed out, too. */
export const BYTES_MAX = 128 * 1024
const TEXT_BYTES_MAX = 1024 * 1024

/** A page or a record that someone asks for. `isLoose` ones are compared at rest only. */
export interface Question {
  view: string
  who: Caller
  request: TableRequest
  form?: Record<string, unknown>
  isLoose?: boolean
}

const SEPARATOR = '\u001e'
const MISSING = 'no such record'

export class CacheWorld implements AsyncDisposable {
  readonly app: TestApp
  readonly cache: QueryCache
  readonly fresh: QueryCache
  readonly questions: readonly Question[]
  readonly callers: Readonly<Record<string, Caller>>
  /** The right answers after each commit, by question; the last one is current. */
  readonly states: Promise<string[]>[] = []
  #isCaptured = false

  private constructor(app: TestApp, callers: Record<string, Caller>) {
    this.app = app
    this.callers = callers
    const texts = new TextSearch(app.store, TEXT_BYTES_MAX)
    this.cache = new QueryCache(throughLanes(app.store), BYTES_MAX, texts)
    this.fresh = new QueryCache(app.store, 0)
    this.questions = planQuestions(callers)
  }

  static async open(): Promise<CacheWorld> {
    const app = await startApp({ application: CACHED })
    const callers: Record<string, Caller> = {}
    for (const [name, token] of Object.entries(app.tokens)) {
      callers[name] = await app.context.callers.verify(token)
    }
    const world = new CacheWorld(app, callers)
    const settle = planAfterWrite(app.context.models, () => NOW)
    app.store.useAfterWrite(async (tx) => {
      await settle(tx)
      tx.afterCommit(() => world.#captureOnce())
    })
    world.capture()
    return world
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app[Symbol.asyncDispose]()
  }

  /** Writes down what is right now: all in one breath, so that no commit comes between. */
  capture(): void {
    this.states.push(Promise.all(this.questions.map((question) => this.#answerNow(question))))
  }

  /** The members of a group are told in one breath. */
  #captureOnce(): void {
    if (this.#isCaptured) return
    this.#isCaptured = true
    queueMicrotask(() => (this.#isCaptured = false))
    this.capture()
  }

  /** A whole answer, as the routes give it. */
  async ask(reader: QueryCache, question: Question): Promise<string> {
    const { view, grant, context } = this.#open(question)
    try {
      return question.form
        ? await loadForm({ reader, view, grant, context }, { Parameters: question.form }, 'View')
        : await loadTable({ reader, view, request: question.request, grant, context })
    } catch (error) {
      if (question.form && error instanceof Error) return MISSING
      throw error
    }
  }

  #open({ view: name, who, request }: Question) {
    const model = this.app.context.models.get()
    const view = requireView(model, name)
    const allCompanies = request.AllCompanies ?? false
    const grant = Grant.require(who, model, view.resource, ['View'], { allCompanies })
    const context: Context = { caller: who, now: NOW, model }
    return { view, grant, context }
  }

  /** The rows and their number, or the values, by statements of their own at this moment. */
  #answerNow(question: Question): Promise<string> {
    const { view, grant, context } = this.#open(question)
    const now = (read: SqlRead): Promise<string> => this.app.store.text({ ...read, runs: 'inline' })
    if (question.isLoose) return Promise.resolve('')
    if (question.form) {
      const scope = { reader: this.fresh, view, grant, context }
      const found = now(planForm(scope, readParameters(question.form), 'View'))
      // The record is the last of the cells.
      const readLast = (text: string) => text.slice(text.lastIndexOf(SEPARATOR) + 1)
      return found.then((text) => (text === '' ? MISSING : readLast(text)))
    }
    const plan = planTable(view, question.request, grant, context)
    const page = now(plan.page)
    const count = plan.count ? now(plan.count) : Promise.resolve('null')
    return Promise.all([page, count]).then(([text, total]) => `[${parsePage(text).rows}] ${total}`)
  }
}

/** Every other read runs in a lane, where commits come between its beginning and its end. */
function throughLanes(store: Store): Store {
  let reads = 0
  const text = (read: SqlRead): Promise<string> =>
    store.text({ ...read, runs: ++reads % 2 === 0 ? 'lane' : read.runs })
  return new Proxy(store, {
    get(from, name) {
      if (name === 'text') return text
      const member: unknown = Reflect.get(from, name, from)
      return typeof member === 'function' ? member.bind(from) : member
    },
  })
}

/** The part of a whole answer that a state holds. */
export function essenceOf(question: Question, answer: string): string {
  if (answer === MISSING || question.isLoose) return answer === MISSING ? MISSING : ''
  if (question.form) {
    return answer.slice('{"Values":'.length, answer.lastIndexOf(',"Permissions":'))
  }
  const end = answer.lastIndexOf(',"Pagination":')
  const total = /"TotalRows":(\d+|null)/.exec(answer.slice(end))?.[1]
  return `${answer.slice('{"Rows":'.length, end)} ${total}`
}

function planQuestions({ sys, clerk, other, rep }: Record<string, Caller>): Question[] {
  if (!sys || !clerk || !other || !rep) throw new Error('Someone is missing')
  const table = (view: string, who: Caller, request: TableRequest = {}): Question => ({
    view,
    who,
    request,
  })
  const form = (view: string, who: Caller, Id: number): Question => ({
    ...table(view, who),
    form: { Id },
  })
  const fresh = { Filters: [{ Field: 'Status', Operator: 'eq', Value: 'new' }] }
  const byTotal = [{ Field: 'Total', Direction: 'desc' }]
  const inOtherCompany = { ...sys, companyId: other.companyId, companyCode: other.companyCode }
  return [
    ...[clerk, other, rep, inOtherCompany].map((who) => table('Clients', who)),
    table('Clients', { ...rep, attributes: { Region: 'south' } }),
    table('Clients', { ...rep, roles: ['Clerk'] }),
    table('Bills', clerk, { PageSize: 3 }),
    table('Bills', clerk, { PageSize: 3, Page: 2 }),
    table('Bills', clerk, { PageSize: 3, ...fresh, Sort: byTotal }),
    table('Bills', rep, { Preset: 'Open' }),
    table('Bills', rep, { Preset: 'Lately' }),
    table('Bills', sys, { AllCompanies: true, CountMode: 'bounded' }),
    table('BillLines', clerk, { Parameters: { BillId: 2 } }),
    table('Countries', clerk, { PageSize: 2, CountMode: 'none' }),
    ...[clerk, other].map((who) => table('People', who)),
    ...[1, 2, 3].map((id) => form('Clients', clerk, id)),
    ...[1, 2].map((id) => form('Bills', clerk, id)),
    { ...table('Clients', clerk, { SearchText: '1' }), isLoose: true },
    ...[clerk, rep, inOtherCompany].map((who) => table('Clients', who, { SearchText: 'CLIENT 1' })),
    table('Bills', rep, { SearchText: 'OTHER' }),
  ]
}
