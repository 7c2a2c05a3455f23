/** Definitions of reports on the wire. */
import { type Static, Type } from '@sinclair/typebox'
import { digits, instant, longText, named, oneOf } from '../../kernel/schema.ts'

const DefinitionXml = longText({ description: 'The document, verbatim' })
const Notes = Type.Optional(
  Type.Union([Type.String({ maxLength: 4000 }), Type.Null()], {
    description: 'What its designer says of this version',
  }),
)
const VersionHash = Type.String({ description: 'MD5 of the document' })

export const VersionKey = Type.Object({
  key: Type.String({ description: 'Name or slug of the report', examples: ['SalesOverview'] }),
  versionHash: Type.String({ description: 'Of a version of the report' }),
})

export const VersionsQuery = Type.Object({
  limit: Type.Optional(
    digits('All without', {
      pattern: '^([1-9][0-9]{0,2}|1000)$',
      minimum: 1,
      maximum: 1000,
    }),
  ),
  offset: Type.Optional(
    digits('So many of the newest are left out', { pattern: '^[0-9]{1,9}$', minimum: 0 }),
  ),
})

export const VersionPair = Type.Object({
  key: Type.String({ description: 'Name or slug of the report', examples: ['SalesOverview'] }),
  versionHash: Type.String({ description: 'Of the version to compare from' }),
  otherHash: Type.String({ description: 'Of the version to compare with' }),
})

export const ReportDefinition = named(
  'ReportDefinition',
  Type.Object({
    Name: Type.String(),
    Slug: Type.String(),
    Label: Type.String(),
    VersionHash,
    DefinitionXml: Type.Union([Type.String(), Type.Null()]),
  }),
)

/** The designer's request. The name is taken from the document, never from the address. */
export const ReportSaveRequest = named(
  'ReportSaveRequest',
  Type.Object({
    DefinitionXml,
    Notes,
    VersionHash: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'The version that the document was made from: 409 where it moved since',
      }),
    ),
  }),
)
export type ReportSaveRequest = Static<typeof ReportSaveRequest>

export const ReportSaveResult = named(
  'ReportSaveResult',
  Type.Object({
    Name: Type.String(),
    Slug: Type.String(),
    Created: Type.Boolean({ description: 'There was no report of this name' }),
    Unchanged: Type.Boolean({ description: 'The text is what is stored: no version was appended' }),
    VersionHash,
  }),
)
export type ReportSaveResult = Static<typeof ReportSaveResult>

const SAVED = {
  SavedAt: instant(),
  SavedBy: Type.Union([Type.String(), Type.Null()], {
    description: 'User name; null for the command line, and for users of other companies',
  }),
  Notes: Type.String(),
}

export const ReportDefinitionList = Type.Array(
  named(
    'ReportDefinitionEntry',
    Type.Object(
      {
        Name: Type.String(),
        Slug: Type.String(),
        Label: Type.String(),
        VersionHash,
        HasDraft: Type.Boolean(),
        IsStale: Type.Boolean({ description: 'The draft is of an older version' }),
        SavedAt: instant('When the published version was saved'),
        SavedBy: SAVED.SavedBy,
      },
      {
        examples: [
          {
            Name: 'SalesOverview',
            Slug: 'sales-overview',
            Label: 'Sales overview',
            VersionHash: '0cc175b9c0f1b6a831c399e269772661',
            HasDraft: true,
            IsStale: false,
            SavedAt: '2026-11-21T08:30:00.000Z',
            SavedBy: 'ana',
          },
        ],
      },
    ),
  ),
)

export const ReportVersion = named(
  'ReportVersion',
  Type.Object({ VersionHash, IsCurrent: Type.Boolean(), ...SAVED }),
)

export const ReportVersionText = named(
  'ReportVersionText',
  Type.Object({
    VersionHash,
    IsCurrent: Type.Boolean(),
    ...SAVED,
    DefinitionXml,
  }),
)

export const ReportDiff = named(
  'ReportDiff',
  Type.Object({
    From: VersionHash,
    To: VersionHash,
    Lines: Type.Array(Type.String(), {
      description: '`- `: only in From, `+ `: only in To, with two lines around',
    }),
  }),
)

export const ReportDraftRequest = named(
  'ReportDraftRequest',
  Type.Object({
    DefinitionXml,
    Notes,
    SavedAt: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'Of the draft that this one was made from: 409 where another one is stored',
      }),
    ),
  }),
)
export type ReportDraftRequest = Static<typeof ReportDraftRequest>

export const ReportDraft = named(
  'ReportDraft',
  Type.Object({
    DefinitionXml,
    Notes: Type.String(),
    IsStale: Type.Boolean({ description: 'The published document moved since the draft forked' }),
    SavedAt: SAVED.SavedAt,
    SavedBy: SAVED.SavedBy,
  }),
)
export type ReportDraft = Static<typeof ReportDraft>

export const DefinitionIssue = named(
  'DefinitionIssue',
  Type.Object({
    Severity: oneOf(['error', 'warning']),
    Message: Type.String(),
    Line: Type.Integer(),
    Column: Type.Integer(),
  }),
)

export const ReportIssues = named(
  'ReportIssues',
  Type.Object({
    Issues: Type.Array(DefinitionIssue),
    Plans: Type.Array(
      named(
        'QueryPlan',
        Type.Object({
          DataSet: Type.String(),
          Steps: Type.Array(Type.String(), { description: 'Nested ones are indented' }),
        }),
      ),
      {
        description: 'The query plan of each dataset for one company; none where there are errors',
      },
    ),
  }),
)
export type ReportIssues = Static<typeof ReportIssues>

export const ReportValidateRequest = named('ReportValidateRequest', Type.Object({ DefinitionXml }))
