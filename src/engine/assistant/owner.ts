/** Whose conversations and proposals are whose. */
import { createHash } from 'node:crypto'
import type { Caller } from '../../access/callers/caller.ts'

/** Who began it: a user in a company, by an API key or not, as themselves or through another. */
type Owner = Pick<Caller, 'userId' | 'companyId' | 'apiKey' | 'impersonatorId'>

/** The condition that holds rows to their owner, by `ownArgs`. */
export const OWN =
  'UserId = @user AND CompanyId = @company AND ApiKeyId IS @key AND ImpersonatorId IS @impersonator'

/** What `OWN` binds. */
export const ownArgs = ({ userId, companyId, apiKey, impersonatorId }: Owner) => ({
  user: userId,
  company: companyId,
  key: apiKey?.id ?? null,
  impersonator: impersonatorId ?? null,
})

/** What rights follow from: who has others may not read an answer again. */
export function hashRights({ userId, companyId, roles, isSystem, attributes }: Caller): string {
  const facts = {
    userId,
    companyId,
    roles,
    isSystem,
    attributes: Object.entries(attributes).sort(),
  }
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex')
}
