/** Owners of conversations and proposals. */
import { createHash } from 'node:crypto'
import type { Caller } from '../../access/callers/caller.ts'

/** The owner: a user in a company, by an API key or not, as themselves or impersonated. */
type Owner = Pick<Caller, 'userId' | 'companyId' | 'apiKey' | 'impersonatorId'>

/** The condition that holds rows to their owner, by `ownArgs`. */
export const OWN =
  'UserId = @user AND CompanyId = @company AND ApiKeyId IS @key AND ImpersonatorId IS @impersonator'

/** The arguments of `OWN`. */
export const ownArgs = ({ userId, companyId, apiKey, impersonatorId }: Owner) => ({
  user: userId,
  company: companyId,
  key: apiKey?.id ?? null,
  impersonator: impersonatorId ?? null,
})

/** Hash of the facts that rights follow from: under other rights an answer stays closed. */
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
