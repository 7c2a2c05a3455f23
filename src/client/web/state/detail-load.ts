/** Loads rows of a detail. */
import { ServerError } from '../api/server-error.ts'
import { type Schemas, take, wire } from '../api/wire.ts'

type Values = Schemas['FieldValues']

const PAGE = 1000

/** Rows of a detail that are loaded; more say so. */
const ROWS_MAX = 5000

/** Rows with the rights on them. */
interface LoadedRows {
  rows: Values[]
  permissions: Schemas['Permissions'] | undefined
  /** True where there are more than are loaded. */
  hasMore: boolean
}

/** Loads the rows of a record by its links; none without links. @throws ServerError */
export async function loadRows(name: string, links: Values | undefined): Promise<LoadedRows> {
  const params = { path: { name } }
  const rows: Values[] = []
  let permissions: LoadedRows['permissions']
  let cursor: string | undefined
  do {
    const body: Schemas['TableRequest'] = {
      PageSize: links ? PAGE : 1,
      CountMode: 'none',
      ...(links && { Parameters: links }),
      ...(cursor !== undefined && { Cursor: cursor }),
    }
    const page = await take(wire.POST('/api/v1/svc/object/{name}/table', { params, body }))
    permissions = page.Permissions
    if (links) rows.push(...page.Rows)
    cursor = links ? (page.Pagination.NextCursor ?? undefined) : undefined
  } while (cursor !== undefined && rows.length < ROWS_MAX)
  return { rows, permissions, hasMore: cursor !== undefined }
}

/** Loads one row; undefined where it no longer exists. @throws ServerError */
export async function findRow(name: string, key: Values): Promise<Values | undefined> {
  const params = { path: { name } }
  const body = { Parameters: key }
  try {
    return (await take(wire.POST('/api/v1/svc/object/{name}/form', { params, body }))).Values
  } catch (thrown) {
    if (thrown instanceof ServerError && thrown.status === 404) return undefined
    throw thrown
  }
}
