/** The operations of `/api/v1/svc/company` as the OpenAPI document tells them. */
import { Type } from '@sinclair/typebox'
import { AUTHENTICATED, rolesGate } from '../../server/gate.ts'
import { Envelope } from '../../server/schema.ts'
import { Tokens } from '../../server/token-schema.ts'
import {
  Company,
  CompanyChangeRequest,
  CompanyPath,
  CompanyQuery,
  NewCompanyRequest,
  SwitchRequest,
} from './schema.ts'

const SYSTEM = rolesGate('System')

export const LIST_COMPANIES = {
  query: CompanyQuery,
  response: Envelope(Type.Array(Company)),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listCompanies',
    summary: 'The companies that the caller belongs to',
    description:
      'Open ones, by code. With `all=true` a System caller gets every one, closed ones too; for ' +
      'others it changes nothing.',
  },
}

export const CREATE_COMPANY = {
  body: NewCompanyRequest,
  response: Envelope(Company),
  detail: {
    'x-gate': SYSTEM,
    operationId: 'createCompany',
    summary: 'Create a company',
    description:
      'Users who are System in all companies belong to it at once, and it has the reference rows ' +
      'that the model gives to each company. The zone is UTC unless told. Gate: System.',
  },
}

export const CHANGE_COMPANY = {
  params: CompanyPath,
  body: CompanyChangeRequest,
  response: Envelope(Company),
  detail: {
    'x-gate': SYSTEM,
    operationId: 'changeCompany',
    summary: 'Change, close or open a company',
    description:
      'What is left out stays. Closing a company ends the sessions in it; 409 for the last open ' +
      'one, and where nobody could act as System any more. Gate: System.',
  },
}

export const GET_CURRENT_COMPANY = {
  response: Envelope(Company),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'getCurrentCompany',
    summary: 'The company that the token is in',
  },
}

export const SWITCH_COMPANY = {
  body: SwitchRequest,
  response: Envelope(Tokens),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'switchCompany',
    summary: 'Go on in another of the caller’s companies',
    description:
      'The session ends and a new one begins in its place: neither its access tokens nor its ' +
      'refresh token work any longer, so that nothing still runs in the company that was left. ' +
      'Other sessions of the user stay where they are. This and signing in are the only ways to ' +
      'choose a company. A company that the caller does not belong to, a closed one and one that ' +
      'does not exist get the same 404.',
  },
}
