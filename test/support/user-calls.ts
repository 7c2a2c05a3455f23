/** Calls of the users' administration, and what their answers come down to. */
import { ADMINISTRATORS } from './administrators.ts'
import { type Answer, startApp, type TestApp } from './app.ts'

export const USERS = '/api/v1/svc/auth/users'

export interface User {
  Id: number
  UserName: string
  Active: boolean
  Roles: { Role: string; CompanyId: number | null }[]
  Companies: { Id: number; Code: string }[]
  Attributes: Record<string, string>
  OneTimePassword?: string
  [member: string]: unknown
}

export interface Body<T> {
  success: boolean
  code?: string
  error?: string
  fieldErrors?: Record<string, string>
  data: T
}

export const startAdministrators = () => startApp({ application: ADMINISTRATORS })
type Call = { method?: string; body?: unknown }

export const call = <T = User>(app: TestApp, as: string, path: string, options: Call = {}) =>
  app.fetch<Body<T>>(`${USERS}${path}`, { as, ...options })

export const post = (app: TestApp, as: string, path: string, body: unknown = {}) =>
  call(app, as, path, { body })

export const put = (app: TestApp, as: string, id: number, body: unknown) =>
  call(app, as, `/${id}`, { method: 'PUT', body })

export const remove = (app: TestApp, as: string, path: string, body?: unknown) =>
  call(app, as, path, { method: 'DELETE', ...(body !== undefined && { body }) })

export type Told = (string | number)[]

/** Status and code. */
export const told = ({ status, body }: Answer<Body<unknown>>): Told => [status, body.code ?? 'OK']

export const DENIED: Told = [401, 'PERMISSION_DENIED']
export const MISSING: Told = [404, 'NOT_FOUND']
export const DONE: Told = [200, 'OK']

export const listNames = async (app: TestApp, as: string, query = ''): Promise<string[]> => {
  const { body } = await call<{ Rows: User[] }>(app, as, query)
  return body.data.Rows.map(({ UserName }) => UserName)
}

/** The audit entries of a user. */
export const auditOf = (app: TestApp, id: number) =>
  app.store.all({
    sql: `SELECT UserId, Source, Action, Changes FROM svc_audit
      WHERE Entity = 'svc_users' AND RecordKey = json_array(@id) ORDER BY Id`,
    args: { id },
    runs: 'lane',
  })
