/** Bodies and answers of `/api/v1/svc/company` (src/server/README.md, Identity). */
import { type Static, Type } from '@sinclair/typebox'
import { digits, named, optional, orNull } from '../../kernel/schema.ts'

const Code = Type.String({
  maxLength: 32,
  description: '1 to 32 letters, digits, hyphens, underscores; one in any case',
})
const Name = Type.String({ maxLength: 200 })
const TimeZone = Type.String({ maxLength: 64, description: 'IANA name' })

const Language = Type.String({
  maxLength: 64,
  description: 'Tag of what its mails speak to those without a language; null: Svc:Language',
})

const EXAMPLE = { Id: 1, Code: 'NORTH', Name: 'North Trading', TimeZone: 'Europe/Berlin' }

export const Company = named(
  'Company',
  Type.Object(
    {
      Id: Type.Integer(),
      Code: Type.String(),
      Name: Type.String(),
      TimeZone: Type.String({
        description: 'IANA name; that of its days, sequences and schedules',
      }),
      Language: orNull(Language),
      IsCurrent: Type.Boolean({ description: 'Whether the token is in it' }),
      Active: Type.Boolean({
        description: 'False for a closed company, which no one can sign in to',
      }),
    },
    { examples: [{ ...EXAMPLE, Language: 'de', IsCurrent: true, Active: true }] },
  ),
)
export type Company = Static<typeof Company>

export const CompanyQuery = Type.Object({
  all: Type.Optional(
    Type.Boolean({ description: 'Every company, closed ones too: for System callers' }),
  ),
})

export const CompanyPath = Type.Object({
  companyId: digits('Id of the company', {
    pattern: '^[1-9][0-9]{0,14}$',
    minimum: 1,
    example: 1,
  }),
})

export const NewCompanyRequest = named(
  'NewCompanyRequest',
  Type.Object({ Code, Name, TimeZone: optional(TimeZone), Language: optional(Language) }),
)
export type NewCompanyRequest = Static<typeof NewCompanyRequest>

export const CompanyChangeRequest = named(
  'CompanyChangeRequest',
  Type.Object(
    {
      Code: optional(Code),
      Name: optional(Name),
      TimeZone: optional(TimeZone),
      Language: optional(Language),
      Active: optional(
        Type.Boolean({ description: 'False closes the company and ends the sessions in it' }),
      ),
    },
    { description: 'What is left out stays' },
  ),
)
export type CompanyChangeRequest = Static<typeof CompanyChangeRequest>

export const SwitchRequest = named(
  'CompanySwitchRequest',
  Type.Object({ CompanyId: Type.Integer() }),
)
