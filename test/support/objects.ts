/** The object API as tests call it, with bodies typed as src/server/README.md prints them. */
import { expect } from 'bun:test'
import { type Answer, type AppOptions, startApp, type TestApp } from './app.ts'
import { ATTACKED_RECORDS } from './attacked-records.ts'
import { OBJECT_SHOP } from './object-shop.ts'

export type Row = Record<string, unknown>

export interface Table {
  Rows: Row[]
  Pagination: {
    Page: number
    PageSize: number
    TotalRows: number | null
    TotalPages: number | null
    TotalIsExact: boolean
    HasNext: boolean
    NextCursor: string | null
  }
  Permissions: Row & { Capabilities: string[] }
}

export interface Form {
  Values: Row
  Permissions: Row
  CanSubmit: boolean
  FormLoadTime: string
  IsNew: boolean
}

export interface Result {
  Action: string
  Keys: Row | Row[] | null
  RowVersion?: string
  Values: Row
  Ignored: string[]
  Dispatch: Row[]
}

export interface Refusal {
  success: boolean
  error: string
  code: string
  traceId: string
  fieldErrors?: Record<string, string>
  conflict?: Row
}

/** Success or refusal: each test says which it expects by what it reads. */
export type Reply<T> = Answer<Refusal & { data: T }>

const BASE = '/api/v1/svc/object'

/** Calls of one application as named users; `await using` closes it. */
export class Objects implements AsyncDisposable {
  readonly app: TestApp

  constructor(app: TestApp) {
    this.app = app
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app[Symbol.asyncDispose]()
  }

  /** Any call below the object API's base. */
  call<T = unknown>(as: string, path: string, body?: unknown): Promise<Reply<T>> {
    return this.app.fetch(`${BASE}${path}`, { as, ...(body !== undefined && { body }) })
  }

  /** A page of rows that must be there. */
  async table(as: string, name: string, request: unknown = {}): Promise<Table> {
    return data(await this.call<Table>(as, `/${name}/table`, request))
  }

  async form(as: string, name: string, parameters: Row = {}): Promise<Form> {
    return data(await this.call<Form>(as, `/${name}/form`, { Parameters: parameters }))
  }

  submit(as: string, form: string, parameters: Row, more: Row = {}): Promise<Reply<Result>> {
    return this.call(as, '/submit', { FormName: form, Parameters: parameters, ...more })
  }

  /** A submit that must succeed. */
  async save(as: string, form: string, parameters: Row, more: Row = {}): Promise<Result> {
    return data(await this.submit(as, form, parameters, more))
  }

  remove(as: string, name: string, parameters: Row, more: Row = {}): Promise<Reply<Result>> {
    return this.call(as, '/delete-row', { ObjectName: name, Parameters: parameters, ...more })
  }

  act(as: string, name: string, action: string, parameters: Row, more: Row = {}) {
    const request = { ObjectName: name, ActionName: action, Parameters: parameters, ...more }
    return this.call<Result>(as, '/execute-row-action', request)
  }

  /** Rows as they are stored, past every gate. */
  stored(sql: string): Promise<Row[]> {
    return this.app.store.all({ sql, args: {}, runs: 'lane' })
  }
}

/** The payload of an answer that must be a success. */
export function data<T>(answer: Reply<T>): T {
  if (!answer.body.success) throw new Error(`${answer.status}: ${answer.text}`)
  return answer.body.data
}

/** A refusal whose envelope is whole; gives the rest for comparison. */
export function refusal(answer: Reply<unknown>, status: number): Refusal {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status })
  const { success, traceId } = answer.body
  expect({ success }).toEqual({ success: false })
  expect(traceId).toBe(answer.headers.get('X-Trace-Id') ?? '')
  return answer.body
}

/** The shop with clients in both companies and a few bills. */
export async function startObjectShop(options: AppOptions = {}): Promise<Objects> {
  const shop = new Objects(await startApp({ application: OBJECT_SHOP, ...options }))
  for (const [as, code] of [
    ['clerk', 'A'],
    ['other', 'B'],
  ] as const) {
    await shop.save(as, 'Clients', { Code: `${code}1`, Name: `${code} North`, Region: 'north' })
    await shop.save(as, 'Clients', { Code: `${code}2`, Name: `${code} South`, Region: 'south' })
  }
  return shop
}

/** The attacked records: picks and items of both regions, and one of the other company. */
export async function startAttackedRecords(options: AppOptions = {}): Promise<Objects> {
  const vault = new Objects(await startApp({ application: ATTACKED_RECORDS, ...options }))
  for (const Region of ['north', 'south']) {
    await vault.save('keeper', 'Picks', { Name: `pick of the ${Region}`, Region })
    await vault.save('keeper', 'Items', { Code: `${Region}-1`, Name: Region, Region, Cost: 9.99 })
  }
  await vault.save('other', 'Items', { Code: 'far', Name: 'far', Region: 'north' })
  return vault
}
