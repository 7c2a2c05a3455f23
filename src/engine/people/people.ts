/** People of a company: its active users, whom others delegate to, mention and filter by. */
import type { SqlRow } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import { composeTextOrder } from '../../model/sql/text-order.ts'
import { Bindings } from '../object/bindings.ts'
import { planTextCondition } from '../object/read/text-match.ts'

/** A user as others of the company know them. */
interface Person extends SqlRow {
  Id: number
  DisplayName: string
}

interface PeopleQuery {
  company: number
  /** '' finds all. */
  search: string
  limit: number
}

/** Members up to which a company is sorted, rather than found in the order of all users. */
const SORTED_MAX = 1000

const SIZE = `SELECT count(*) AS Members FROM (
  SELECT 1 FROM main.svc_user_companies WHERE CompanyId = @company LIMIT ${SORTED_MAX + 1})`

/** The key of the index svc_users_people, to the letter. */
const ORDER = `${composeTextOrder('DisplayName', false)}, Id`

const OF_FEW = `main.svc_user_companies m CROSS JOIN main.svc_users
  WHERE m.CompanyId = @company AND Id = m.UserId AND Active`

const OF_MANY = `main.svc_users INDEXED BY svc_users_people WHERE Active AND EXISTS (
  SELECT 1 FROM main.svc_user_companies m WHERE m.UserId = Id AND m.CompanyId = @company)`

/**
 * Finds people of a company by a part of their name, without regard to case and accents: the first
 * by name. A company of many is read in the order of an index, until there are enough.
 */
export async function findPeople(
  reader: Reader,
  { company, search, limit }: PeopleQuery,
): Promise<Person[]> {
  const size = await reader.get({ sql: SIZE, args: { company }, runs: 'inline' })
  const from = Number(size?.Members) > SORTED_MAX ? OF_MANY : OF_FEW
  const bindings = new Bindings()
  bindings.set('company', company)
  bindings.set('limit', limit)
  const isNamed =
    search === ''
      ? ''
      : `AND ${planTextCondition(search, 'anywhere', bindings).fits('DisplayName')}`
  const sql = `SELECT Id, DisplayName FROM ${from} ${isNamed} ORDER BY ${ORDER} LIMIT @limit`
  return reader.all<Person>({ sql, args: bindings.args(), runs: 'lane' })
}
