/** Caller of the engine's own work, which the model has it do by itself. */
import { type Caller, SYSTEM_ROLE } from './caller.ts'

/** A company in which the engine works, and whose days it goes by. */
export interface CompanyOfWork {
  id: number
  code: string
  /** IANA name. */
  timeZone: string
}

/**
 * The caller as which the engine passes gates. It is not a user: contexts and audit entries of its
 * work have no caller.
 */
export const engineCaller = (company: CompanyOfWork): Caller => ({
  userId: 0,
  userName: 'engine',
  displayName: 'Engine',
  email: undefined,
  sessionId: '',
  companyId: company.id,
  companyCode: company.code,
  roles: [SYSTEM_ROLE],
  isSystem: true,
  impersonatorId: undefined,
  attributes: {},
  timeZone: company.timeZone,
})
