/** Operations of the workflow definitions' routes, for the OpenAPI document and the server. */
import { Type } from '@sinclair/typebox'
import { instant, named, oneOf } from '../../kernel/schema.ts'
import { WORKFLOW_STATES } from '../../model/compiled/workflow.ts'
import * as schema from '../../engine/report-pages/schema-designer.ts'
import { resourceGate } from '../../server/gate.ts'
import { SAFE } from '../../server/route-table.ts'
import { Envelope } from '../../server/schema.ts'

const VIEW = { 'x-gate': resourceGate('WorkflowDefinitions', 'View') }
const UPDATE = { 'x-gate': resourceGate('WorkflowDefinitions', 'Update') }
const BY_VIEW = 'Gate: View on WorkflowDefinitions.'
const BY_UPDATE = 'Gate: Update on WorkflowDefinitions.'

const Key = Type.Object({
  key: Type.String({ description: 'Name or slug of the workflow', examples: ['order-approval'] }),
})

const VersionKey = Type.Object({
  ...Key.properties,
  versionHash: Type.String({ description: 'Of a version of the workflow' }),
})

const VersionPair = Type.Object({
  ...VersionKey.properties,
  otherHash: Type.String({ description: 'Of the version to compare with' }),
})

const EXAMPLE =
  '<Workflow Name="Topic2" Object="OrderEntry" StateField="Region"><States>' +
  '<State Name="open" Kind="Initial"/><State Name="done" Kind="Final"/></States><Transitions>' +
  '<Transition From="open" To="done" Action="Finish"/></Transitions></Workflow>'

const Entry = named(
  'WorkflowEntry',
  Type.Object({
    Name: Type.String(),
    Slug: Type.String(),
    Label: Type.String(),
    Object: Type.String({ description: 'The view whose records it moves' }),
    VersionHash: Type.String({ description: 'MD5 of the published document' }),
    HasDraft: Type.Boolean(),
    Running: Type.Array(
      named(
        'RunningVersion',
        Type.Object({ VersionHash: Type.String(), Instances: Type.Integer() }),
      ),
      { description: 'Instances of the company that run, by their version' },
    ),
  }),
)

const Issues = named(
  'WorkflowIssues',
  Type.Object({
    Issues: Type.Array(schema.DefinitionIssue),
  }),
)

const orNull = Type.Union([Type.String(), Type.Null()])
const numberOrNull = Type.Union([Type.Integer(), Type.Null()])

/** Nodes and edges of a saved graph: nobody draws as many. */
const NODES_MAX = 2000
const EDGES_MAX = 5000

const Node = named(
  'WorkflowNode',
  Type.Object({
    Id: Type.String({ description: 'Name of the state in the text; any other for a new one' }),
    Name: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'Its new name' })),
    Label: Type.String(),
    Kind: named('WorkflowStateKind', oneOf(Object.keys(WORKFLOW_STATES))),
    X: numberOrNull,
    Y: numberOrNull,
  }),
)

const Edge = named(
  'WorkflowEdge',
  Type.Object({
    Id: Type.Union([Type.String(), Type.Null()], { description: 'Null for a new one' }),
    From: Type.Array(Type.String(), { maxItems: NODES_MAX, description: 'Ids of nodes' }),
    To: Type.String({ description: 'Id of a node' }),
    Action: Type.String(),
    Label: Type.String(),
    Capability: orNull,
    When: orNull,
    After: orNull,
  }),
)

const Graph = named(
  'WorkflowGraph',
  Type.Object({
    Name: Type.String(),
    VersionHash: Type.String({ description: 'Of what is published' }),
    Source: oneOf(['draft', 'published'], { description: 'Of which text it is' }),
    SavedAt: Type.Union([instant(), Type.Null()], { description: 'Of the draft' }),
    Nodes: Type.Array(Node),
    Edges: Type.Array(Edge),
  }),
)

const GraphRequest = named(
  'WorkflowGraphRequest',
  Type.Object({
    Nodes: Type.Array(Node, { maxItems: NODES_MAX }),
    Edges: Type.Array(Edge, { maxItems: EDGES_MAX }),
    SavedAt: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'Of the draft that the graph was read from: 409 where another one is stored',
      }),
    ),
  }),
)

const plan = (gate: typeof VIEW, operationId: string, summary: string, description: string) => ({
  ...gate,
  operationId,
  summary,
  description: `${description} ${gate === VIEW ? BY_VIEW : BY_UPDATE}`,
})

export const LIST_WORKFLOWS = {
  response: Envelope(Type.Array(Entry)),
  detail: plan(VIEW, 'listWorkflows', 'The workflows that are published', 'By name.'),
}

export const GET_DEFINITION = {
  params: Key,
  response: Envelope(schema.ReportDefinition),
  detail: plan(VIEW, 'getWorkflowDefinition', 'The published definition', 'Verbatim.'),
}

export const SAVE_DEFINITION = {
  body: schema.ReportSaveRequest,
  response: Envelope(schema.ReportSaveResult),
  detail: {
    ...plan(
      UPDATE,
      'saveWorkflowDefinition',
      'Create a workflow, or append a version to it',
      'By the Name in the document. Running instances stay on their version. Faults are a 400 ' +
        '(WORKFLOW_FAULTS) whose `faults` name File, Line, Column and Message. With VersionHash ' +
        'it is 409 (WORKFLOW_MOVED) where another version is current.',
    ),
    'x-example': { DefinitionXml: EXAMPLE, Notes: 'A first one' },
  },
}

export const VALIDATE_DEFINITION = {
  params: Key,
  body: schema.ReportValidateRequest,
  response: Envelope(Issues),
  detail: {
    ...plan(
      UPDATE,
      'validateWorkflowDefinition',
      'All that is wrong with a definition',
      'As it would be in the place of the stored one: states that no way leads to or out of, ' +
        'roles that no user has, transitions that no user may take. Nothing is saved.',
    ),
    ...SAFE,
    'x-example': { DefinitionXml: EXAMPLE },
  },
}

export const PUBLISH_DRAFT = {
  params: Key,
  response: Envelope(schema.ReportSaveResult),
  detail: plan(
    UPDATE,
    'publishWorkflowDraft',
    'Publish the draft of a workflow',
    'As for reports. Under another Name its instances and tasks go along.',
  ),
}

export const LIST_VERSIONS = {
  params: Key,
  query: schema.VersionsQuery,
  response: Envelope(Type.Array(schema.ReportVersion)),
  detail: plan(VIEW, 'listWorkflowVersions', 'All versions of a workflow', 'The newest first.'),
}

export const GET_VERSION = {
  params: VersionKey,
  response: Envelope(schema.ReportVersionText),
  detail: plan(VIEW, 'getWorkflowVersion', 'The document as a version saved it', 'Verbatim.'),
}

export const DIFF_VERSIONS = {
  params: VersionPair,
  response: Envelope(schema.ReportDiff),
  detail: plan(VIEW, 'diffWorkflowVersions', 'What differs between two versions', 'In lines.'),
}

export const GET_DRAFT = {
  params: Key,
  response: Envelope(Type.Union([schema.ReportDraft, Type.Null()])),
  detail: plan(VIEW, 'getWorkflowDraft', 'The draft of a workflow, or null', 'Any text.'),
}

export const SAVE_DRAFT = {
  params: Key,
  body: schema.ReportDraftRequest,
  response: Envelope(Type.Union([schema.ReportDraft, Type.Null()])),
  detail: {
    ...plan(
      UPDATE,
      'saveWorkflowDraft',
      'Create or replace the draft of a workflow',
      'Any text. With SavedAt it is 409 (DRAFT_MOVED) where another draft is stored.',
    ),
    'x-example': { DefinitionXml: EXAMPLE, Notes: '' },
  },
}

export const DISCARD_DRAFT = {
  params: Key,
  response: Envelope(Type.Boolean()),
  detail: plan(
    UPDATE,
    'discardWorkflowDraft',
    'Discard the draft of a workflow',
    'True when there was one.',
  ),
}

export const GET_GRAPH = {
  params: Key,
  response: Envelope(Graph),
  detail: plan(
    VIEW,
    'getWorkflowGraph',
    'States and transitions as a graph',
    'Of the draft, else of what is published.',
  ),
}

export const SAVE_GRAPH = {
  params: Key,
  body: GraphRequest,
  response: Envelope(Graph),
  detail: {
    ...plan(
      UPDATE,
      'saveWorkflowGraph',
      'Write a graph into the draft',
      'Only what differs is written: comments, blanks, effects and the order of everything else ' +
        'stay to the byte. A node that is left out goes, as does an edge.',
    ),
    'x-example': { Nodes: [], Edges: [] },
  },
}
