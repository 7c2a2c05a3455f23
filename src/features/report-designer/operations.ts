/** Operations of the report designer's routes, for the OpenAPI document and the server. */
import { Type } from '@sinclair/typebox'
import * as schema from '../../engine/report-pages/schema-designer.ts'
import {
  ReportDataRequest,
  ReportDataResult,
  ReportKey,
  ReportStructure,
} from '../../engine/report-pages/schema.ts'
import { resourceGate } from '../../server/gate.ts'
import { SAFE } from '../../server/route-table.ts'
import { Envelope } from '../../server/schema.ts'

export const AREA = {
  name: 'Report designer',
  description:
    'Definitions of reports with drafts and versions. A report is addressed by the Name or Slug ' +
    'of what is published, never by that of a draft.',
}

const VIEW = { 'x-gate': resourceGate('ReportDefinitions', 'View') }
const UPDATE = { 'x-gate': resourceGate('ReportDefinitions', 'Update') }
const BY_VIEW = 'Gate: View on ReportDefinitions.'
const BY_UPDATE = 'Gate: Update on ReportDefinitions.'

const EXAMPLE =
  '<Report Name="Customers2"><DataSets><DataSet Name="All"><Sql>SELECT count(*) AS N FROM ' +
  'customers</Sql></DataSet></DataSets><Widgets><Widget Name="All" Kind="Kpi" DataSet="All"/>' +
  '</Widgets></Report>'

export const LIST_DEFINITIONS = {
  response: Envelope(schema.ReportDefinitionList),
  detail: {
    ...VIEW,
    operationId: 'listReportDefinitions',
    summary: 'The published reports with their drafts, by name',
    description: `Label is in the language of the request. ${BY_VIEW}`,
  },
}

export const GET_DEFINITION = {
  params: ReportKey,
  response: Envelope(schema.ReportDefinition),
  detail: {
    ...VIEW,
    operationId: 'getReportDefinition',
    summary: 'The published definition of a report',
    description: BY_VIEW,
  },
}

export const SAVE_DEFINITION = {
  body: schema.ReportSaveRequest,
  response: Envelope(schema.ReportSaveResult),
  detail: {
    ...UPDATE,
    'x-example': { DefinitionXml: EXAMPLE, Notes: 'A first figure' },
    operationId: 'saveReportDefinition',
    summary: 'Create a report, or append a version to it',
    description:
      'By the Name in the document. The text that is stored already changes nothing. Faults are ' +
      'a 400 (REPORT_FAULTS) whose `faults` name File, Line, Column and Message. With ' +
      'VersionHash it is 409 (REPORT_MOVED) where another version is current, which `current` ' +
      `names. 413 (REPORT_QUOTA) beyond Svc:Reports:UserQuota. ${BY_UPDATE}`,
  },
}

export const VALIDATE_DEFINITION = {
  params: ReportKey,
  body: schema.ReportValidateRequest,
  response: Envelope(schema.ReportIssues),
  detail: {
    ...UPDATE,
    ...SAFE,
    'x-example': { DefinitionXml: EXAMPLE },
    operationId: 'validateReportDefinition',
    summary: 'All that is wrong with a definition, and the query plan of each dataset',
    description:
      'As it would be in the place of the stored report; nothing is saved. A table that is read ' +
      `from end to end is a warning. ${BY_UPDATE}`,
  },
}

export const LIST_VERSIONS = {
  params: ReportKey,
  query: schema.VersionsQuery,
  response: Envelope(Type.Array(schema.ReportVersion)),
  detail: {
    ...VIEW,
    operationId: 'listReportVersions',
    summary: 'All versions of a report, newest first',
    description:
      'So many that they pass Svc:Results:MaxBytes are a 400 (RESULT_TOO_LARGE): ask for them by ' +
      `\`limit\` and \`offset\`. ${BY_VIEW}`,
  },
}

export const GET_VERSION = {
  params: schema.VersionKey,
  response: Envelope(schema.ReportVersionText),
  detail: {
    ...VIEW,
    operationId: 'getReportVersion',
    summary: 'The document as a version saved it',
    description: `To restore it, save it. ${BY_VIEW}`,
  },
}

export const DIFF_VERSIONS = {
  params: schema.VersionPair,
  response: Envelope(schema.ReportDiff),
  detail: {
    ...VIEW,
    operationId: 'diffReportVersions',
    summary: 'What differs between two versions, in lines',
    description: BY_VIEW,
  },
}

export const GET_DRAFT = {
  params: ReportKey,
  response: Envelope(Type.Union([schema.ReportDraft, Type.Null()])),
  detail: {
    ...VIEW,
    operationId: 'getReportDraft',
    summary: 'The draft of a report, or null',
    description: BY_VIEW,
  },
}

export const SAVE_DRAFT = {
  params: ReportKey,
  body: schema.ReportDraftRequest,
  response: Envelope(Type.Union([schema.ReportDraft, Type.Null()])),
  detail: {
    ...UPDATE,
    'x-example': { DefinitionXml: EXAMPLE, Notes: '' },
    operationId: 'saveReportDraft',
    summary: 'Create or replace the draft of a report',
    description:
      'Any text: it is neither parsed nor a version. With SavedAt it is 409 (DRAFT_MOVED) where ' +
      `another draft is stored, which \`current\` names. ${BY_UPDATE}`,
  },
}

export const DISCARD_DRAFT = {
  params: ReportKey,
  response: Envelope(Type.Boolean()),
  detail: {
    ...UPDATE,
    operationId: 'discardReportDraft',
    summary: 'Discard the draft of a report',
    description: `True when there was one. ${BY_UPDATE}`,
  },
}

export const PUBLISH_DRAFT = {
  params: ReportKey,
  response: Envelope(schema.ReportSaveResult),
  detail: {
    ...UPDATE,
    operationId: 'publishReportDraft',
    summary: 'Publish the draft of a report',
    description:
      'Appends a version and clears the draft, in one transaction; a draft that equals what is ' +
      'published is cleared alone (`Unchanged`). A draft with faults, or with the name of ' +
      `another report, is refused and stays. 404 without a draft. ${BY_UPDATE}`,
  },
}

export const GET_DRAFT_STRUCTURE = {
  params: ReportKey,
  response: Envelope(ReportStructure),
  detail: {
    ...UPDATE,
    operationId: 'getReportDraftStructure',
    summary: 'The structure of a draft',
    description: `Without any query text. ${BY_UPDATE}`,
  },
}

export const LOAD_DRAFT_DATA = {
  params: ReportKey,
  body: ReportDataRequest,
  response: Envelope(ReportDataResult),
  detail: {
    ...UPDATE,
    ...SAFE,
    'x-example': { Arguments: {} },
    operationId: 'loadReportDraftData',
    summary: 'The data of a draft',
    description:
      'Held by the row filters of the stored report, whatever the draft calls itself; a caller ' +
      `who may not List the stored report sees no rows, and the reason in Error. ${BY_UPDATE}`,
  },
}
