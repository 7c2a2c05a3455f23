/** Which zone holds for a request, and where it is from. */
import { loadCompaniesOf } from '../../access/companies.ts'
import { findUserById } from '../../access/users.ts'
import { dayIn, spellZone, utcOffsetMinutes } from '../../kernel/zones.ts'
import type { AppContext } from '../../server/context.ts'
import { callerOf } from '../../server/session.ts'
import type { EffectiveTimeZone } from './schema.ts'

/** The zone of a request as the tables say it now, which may be a moment after its caller was. */
export async function loadTimeZone(
  { store, clock }: AppContext,
  request: Request,
): Promise<EffectiveTimeZone> {
  const { userId, companyId } = callerOf(request)
  const user = (await findUserById(store, userId))?.TimeZone ?? null
  const companies = await loadCompaniesOf(store, userId)
  const company = companies.find(({ Id }) => Id === companyId)?.TimeZone ?? 'UTC'
  const header = request.headers.get('x-timezone')
  const zone = spellZone(header ?? user ?? company)
  const now = clock.now()
  return {
    TimeZone: zone,
    Source: header !== null ? 'Header' : user !== null ? 'User' : 'Company',
    User: user,
    Company: company,
    UtcOffsetMinutes: utcOffsetMinutes(now, zone),
    Today: dayIn(now, zone),
  }
}
