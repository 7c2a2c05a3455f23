/** The compiled model: frozen, complete, and the only thing that the engine reads at run time. */
import type { RE2JS } from 're2js'
import type { Element, Place } from './element.ts'
import type { ModelText } from './model-text.ts'

export type FieldType =
  | 'Text'
  | 'Integer'
  | 'Decimal'
  | 'Boolean'
  | 'Date'
  | 'DateTime'
  | 'Time'
  | 'Guid'
  | 'Json'
  | 'File'

/** What a role may be granted on a resource (src/model/README.md, Rbac). */
export const VERBS = ['View', 'List', 'Create', 'Update', 'Delete', 'Export', 'Import'] as const
export type Verb = (typeof VERBS)[number]

/** Authored SQL that passed the gate. `text` is verbatim. */
export interface AuthoredSql {
  text: string
  place: Place
  /** Names of the `@` parameters, without it, spelled as in the text. */
  parameters: readonly string[]
  /** Tables read, by their names in the database (published `svc_` names included). */
  reads: readonly string[]
  writes: readonly string[]
  /** Output columns; `table` and `column` where the column comes straight from a table. */
  columns: readonly OutputColumn[]
  /** `table.Column` of every cell that it takes from a table, but for keys found by an index. */
  cells: readonly string[]
  /** False when it recurses: such a statement never earns the serving thread. */
  mayRunInline: boolean
  /** A WITH clause opens a data-changing statement: offset of the text after `WITH [RECURSIVE]`. */
  withAt: number | undefined
}

export interface OutputColumn {
  name: string
  table: string | undefined
  column: string | undefined
}

/** An authored condition on a view's output columns (row filter, Permit, Preset, When). */
export interface AuthoredCondition {
  text: string
  place: Place
  parameters: readonly string[]
  reads: readonly string[]
  mayRunInline: boolean
}

export interface Option {
  value: string
  label: ModelText
}

/** A literal, a context parameter by name, or a query asked with the fields that it depends on. */
export type Default =
  | { kind: 'literal'; value: string }
  | { kind: 'context'; parameter: string }
  | { kind: 'query'; sql: AuthoredSql; dependsOn: readonly string[] }

export interface Lookup {
  view: string
  /** Where the view is named. */
  place: Place
  search: readonly string[]
  where: AuthoredCondition | undefined
  /** Field to fill, from column of the looked-up row. */
  fill: readonly { field: string; from: string }[]
  /** Columns of the looked-up view that are the label; none: the Display of its entity. */
  label: readonly string[]
}

export interface DataSet {
  dependsOn: readonly string[]
  sql: AuthoredSql
}

export interface Pattern {
  source: string
  message: ModelText | undefined
  /** By a linear engine, so that no value can stall the server; matches the whole value. */
  regex: RE2JS
}

/** What columns, fields, steps, filters and parameters have in common. */
export interface FieldFeatures {
  name: string
  label: ModelText
  type: FieldType
  required: boolean
  /** Characters of a Text; undefined for other types, and for what is only read. */
  maxLength: number | undefined
  /** Decimal places; 2 when a Decimal does not say. */
  scale: number | undefined
  /** Bounds as written; compared by the type. */
  min: string | undefined
  max: string | undefined
  pattern: Pattern | undefined
  options: readonly Option[]
  format: string | undefined
  unit: ModelText | undefined
  help: ModelText | undefined
  default: Default | undefined
  lookup: Lookup | undefined
  dataSet: DataSet | undefined
  /** Name of the entity that its values refer to (`User` is built in). */
  references: string | undefined
  maxCount: number | undefined
  maxBytes: number | undefined
  accept: readonly string[]
  place: Place
}

/** `declared` by the author, or the engine's: the `stamp` RowVersion, four `tracking` columns. */
export type ColumnKind = 'declared' | 'stamp' | 'tracking'

export interface Column extends FieldFeatures {
  kind: ColumnKind
  key: boolean
  identity: boolean
  unique: boolean
  onDelete: 'Restrict' | 'Cascade' | 'SetNull'
  sequence: string | undefined
  compute: Compute | undefined
  was: string | undefined
  /** What gives stored rows their value: an expression over the row, or a query asked for each. */
  fill: { kind: 'expression' | 'query'; sql: string; place: Place } | undefined
}

/** The query of a computed column, and which written records it is asked anew for. */
export interface Compute {
  sql: AuthoredSql
  /** Names of entities. */
  from: readonly string[]
  links: readonly ComputeLink[]
}

/**
 * From a written record of a From entity to the records whose column it may change: the one that
 * its own column refers to (`child`), those that refer to it (`parent`), or, where no reference
 * that the query names leads from one to the other, every record of the company (`all`).
 */
export type ComputeLink =
  { kind: 'child' | 'parent'; entity: string; column: string } | { kind: 'all'; entity: string }

/** A computed column with its entity. */
export interface ComputedColumn {
  entity: Entity
  column: Column
  compute: Compute
}

export interface Index {
  columns: readonly string[]
  unique: boolean
  where: string | undefined
  place: Place
}

export interface Sequence {
  name: string
  format: string
  reset: 'Never' | 'Yearly' | 'Monthly' | 'Daily'
  perCompany: boolean
}

export type Comparison = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'

/** `compare` rules go to the client; `sql` rules stay on the server. */
export type Validate = {
  field: string | undefined
  message: ModelText
  place: Place
} & (
  | {
      kind: 'compare'
      operator: Comparison
      compare: string | undefined
      value: string | undefined
    }
  | { kind: 'sql'; sql: AuthoredSql }
)

/** An effect of an action, event or finish, in document order. */
export type Effect =
  | {
      kind: 'sql'
      sql: AuthoredSql
      rows: number | undefined
      message: ModelText | undefined
      into: string | undefined
    }
  | {
      kind: 'dispatch'
      type: string
      target: string | undefined
      level: string | undefined
      message: ModelText | undefined
      labels: readonly TextLabel[]
    }
  | {
      kind: 'notify'
      recipients: Recipients
      title: ModelText
      body: ModelText | undefined
      level: string
      /** By which users choose their channels; undefined: the name of what it stands in. */
      topic: string | undefined
      url: string | undefined
      labels: readonly TextLabel[]
    }
  | {
      kind: 'mail'
      recipients: Recipients
      to: string | undefined
      subject: ModelText
      body: ModelText | undefined
      report: string | undefined
      with: readonly Argument[]
      labels: readonly TextLabel[]
    }
  | { kind: 'job'; name: string; with: readonly Argument[] }

/** What `{Column__Label}` in the texts of an effect stands for. */
export interface TextLabel {
  /** In lower case. */
  name: string
  /** The column or parameter whose value it is called by. */
  of: FieldFeatures
  /** Over a row that has the value under the name of `of`; undefined for options alone. */
  labelSql: LabelSql | undefined
}

/** Whom a Notify or Mail is for; texts hold `{Name}`s. */
export interface Recipients {
  role: string | undefined
  user: string | undefined
  /** Its first column holds ids of users. */
  sql: AuthoredSql | undefined
}

/** An argument of a `With`: a name with the column or the literal that gives its value. */
export interface Argument {
  name: string
  column: string | undefined
  literal: string | undefined
}

export interface Event {
  event: string
  when: AuthoredCondition | undefined
  effects: readonly Effect[]
  place: Place
}

/** An entity: a table. */
export interface Entity {
  name: string
  table: string
  label: ModelText
  display: readonly string[]
  concurrency: boolean
  /** Name of the tenant column. */
  company: string | undefined
  audit: boolean
  tracking: boolean
  parent: string | undefined
  columns: readonly Column[]
  /** By lower-case name: SQL and requests do not tell cases apart. */
  columnByName: ReadonlyMap<string, Column>
  keys: readonly Column[]
  indexes: readonly Index[]
  sequences: readonly Sequence[]
  validates: readonly Validate[]
  events: readonly Event[]
  was: string | undefined
  /** `User`: a table of the engine, readable through its published name, never written. */
  builtIn: boolean
  place: Place
}

export type Surface = 'Grid' | 'Form' | 'View' | 'Export'

/** A condition in the wire's filter operators (`Status eq approved`), shown and enforced. */
export interface FieldCondition {
  field: string
  operator: string
  value: string | undefined
}

export interface Field extends FieldFeatures {
  /** The entity's column behind it; undefined for other output columns of the query. */
  column: Column | undefined
  readOnly: boolean
  searchable: boolean
  in: ReadonlySet<Surface>
  /** Key, company and stamp of a view: served, but not meant to be shown. */
  hidden: boolean
  requiredWhen: FieldCondition | undefined
  visibleWhen: FieldCondition | undefined
  readOnlyWhen: FieldCondition | undefined
  section: string | undefined
  tab: string | undefined
  multiple: boolean
  through: string | undefined
  /** The middle entity of `Through`, where it stands. */
  link: Link | undefined
  /** Name of the field whose label it is: `<Field>__Label`, in `fieldByName` alone. */
  labelOf: string | undefined
  /** What its values are called, for a label and for a list of keys. */
  labelSql: LabelSql | undefined
}

/** A list of keys through a middle entity: its columns that refer to this side and to the other. */
export interface Link {
  entity: Entity
  own: Column
  other: Column
}

/** What a stored value is called, as an SQL expression over a row of the view. */
export interface LabelSql {
  /** Held to the caller's company. */
  company: string
  /** Over all companies. */
  all: string
  /** Tables that it reads by their full names. */
  reads: readonly string[]
  /** The same, with the rows that each record of them is in the label of. */
  steps: readonly LabelStep[]
  /** The query of the looked-up view, where that stands inside: read through shadows. */
  query: AuthoredSql | undefined
}

/**
 * A table that a label reads, and the condition on a row of the view that a record of it, whose key
 * is in the JSON array `@_changed`, stands in its label.
 */
export interface LabelStep {
  table: string
  condition: string
}

export interface Section {
  label: ModelText
  tab: ModelText | undefined
  columns: number
  fields: readonly string[]
}

export interface SortItem {
  field: string
  direction: 'asc' | 'desc'
}

export interface Preset {
  name: string
  label: ModelText
  where: AuthoredCondition
  isDefault: boolean
}

/** When a capability or verb holds of a row: served as `Permit__<Capability>`, and enforced. */
export interface Permit {
  capability: string
  when: AuthoredCondition
}

/** An argument of a row action, bound as `@Name`. */
export interface ActionParameter extends FieldFeatures {
  /** The value is a list. */
  multiple: boolean
  requiredWhen: FieldCondition | undefined
  visibleWhen: FieldCondition | undefined
  readOnlyWhen: FieldCondition | undefined
}

export interface RowAction {
  name: string
  label: ModelText
  /** Capability, or the verb Update when none is named. */
  capability: string | undefined
  for: 'Row' | 'Rows' | 'View'
  confirm: ModelText | undefined
  when: AuthoredCondition | undefined
  parameters: readonly ActionParameter[]
  effects: readonly Effect[]
  /** `Object= Report= Wizard= Url=` with its `With`, for the client; then it has no effects. */
  opens: OpenTarget | undefined
  place: Place
}

/** Statements with parameters, called by name, in one transaction. */
export interface Procedure {
  name: string
  label: ModelText
  resource: string
  /** The store lets no statement of a reading one write. */
  mode: 'Read' | 'Write'
  parameters: readonly ActionParameter[]
  statements: readonly ProcedureStatement[]
}

export interface ProcedureStatement {
  sql: AuthoredSql
  /** The name under which its rows are returned. */
  result: string | undefined
  /** How many rows it must touch. */
  rows: number | undefined
  message: ModelText | undefined
  /** The name under which the first cell of its result is bound in what follows. */
  into: string | undefined
}

export interface Detail {
  name: string
  view: string
  /** Child field to parent field. */
  parent: readonly { child: string; parent: string }[]
  label: ModelText
}

/** An object view: a grid, a form, a read-only view or a wizard. */
export interface View {
  name: string
  slug: string
  label: ModelText
  viewType: string
  versionHash: string
  entity: Entity | undefined
  resource: string
  /** The authored TableQuery, or the generated one over the entity's table. */
  query: AuthoredSql
  isGenerated: boolean
  formQuery: AuthoredSql | undefined
  insert: AuthoredSql | undefined
  update: AuthoredSql | undefined
  delete: AuthoredSql | undefined
  /** Every output column once, in the order of the view. */
  fields: readonly Field[]
  /**
   * Lists of keys through another entity (`Through`), each followed by its list of labels: no
   * output columns, so not among `fields`.
   */
  linked: readonly Field[]
  /** Fields and lists of keys together, in the order of the view. */
  listed: readonly Field[]
  /** By lower-case name; the labels `<Field>__Label` too, which are no output columns either. */
  fieldByName: ReadonlyMap<string, Field>
  /** Declared `<Parameter>`s of its queries, by lower-case name. */
  parameters: ReadonlyMap<string, FieldFeatures>
  keys: readonly Field[]
  sections: readonly Section[]
  sort: readonly SortItem[]
  presets: readonly Preset[]
  search: { title: string | undefined; text: readonly string[] } | undefined
  permits: readonly Permit[]
  rowActions: readonly RowAction[]
  details: readonly Detail[]
  validates: readonly Validate[]
  events: readonly Event[]
  /** The element, for the parts that later engines read (wizard steps, finish). */
  element: Element
  place: Place
}

/** A query of a report. `Single` answers with its first row alone. */
export interface ReportDataSet {
  name: string
  mode: 'Rows' | 'Single'
  sql: AuthoredSql
}

/** How the values of a column come together. */
export type AggregateFunction = 'sum' | 'avg' | 'min' | 'max' | 'count'

/** A column of a dataset as a widget shows it. */
export interface ReportColumn {
  /** As the dataset spells it. */
  column: string
  label: ModelText
  /** Undefined where neither the author, nor the model, nor the query says. */
  type: FieldType | undefined
  /** Decimal places of a Decimal that comes straight from a table. */
  scale: number | undefined
  options: readonly Option[]
  format: string | undefined
  unit: ModelText | undefined
}

/** A column that a widget draws, or that is a column of its table. */
export interface ReportSeries extends ReportColumn {
  /** How it is drawn in a chart that mixes kinds; undefined: as the widget is. */
  kind: 'Bar' | 'Line' | 'Area' | undefined
  axis: 'Primary' | 'Secondary'
  /** Of a table's totals; of the values in a cell of a pivot. */
  function: AggregateFunction | undefined
}

/** A column by which rows are grouped, outermost first. */
export interface ReportGroup extends ReportColumn {
  /** Of a pivot: whether its values stand down the side or along the top. */
  on: 'Rows' | 'Columns'
  /** Printed, each group begins on a page of its own. */
  breaksPage: boolean
}

/** How a cell stands out. */
export type Tone = 'good' | 'warning' | 'bad' | 'strong' | 'muted'

/** A format of the rows for which a condition holds. */
export interface ReportFormat {
  /** The cell that stands out; undefined: the whole row, or the figure. */
  column: string | undefined
  /** On a column of the dataset; its values are compared by `type`. */
  when: FieldCondition & { type: FieldType }
  tone: Tone
  /** What the tone says. */
  label: ModelText | undefined
}

/** What a figure is compared with: a cell of a dataset's first row. */
export interface ReportComparison extends ReportColumn {
  dataSet: string
  /** The direction in which the figure should move. */
  better: 'up' | 'down'
}

/** The course of a figure, drawn beside it. */
export interface ReportSparkline {
  dataSet: string
  column: string
  category: string | undefined
}

/** What opens, as an object, report, wizard or address, and what is handed on to it. */
export interface OpenTarget {
  kind: 'Object' | 'Report' | 'Wizard' | 'Url'
  target: string
  with: string | undefined
  /** Where a Report is opened: as a page, or as a document that is made of it. */
  reportKind?: 'Page' | 'Document'
}

export interface ReportWidget {
  name: string
  label: ModelText
  kind: string
  /** Name of a dataset, as the report spells it. */
  dataSet: string | undefined
  /** The column along which a chart is drawn. */
  category: ReportColumn | undefined
  isStacked: boolean
  text: ModelText | undefined
  view: string | undefined
  /** Roles that see it; none: whoever may List the report. */
  allowedRoles: readonly string[]
  /** The parameters of an embedded view, as written. */
  with: string | undefined
  series: readonly ReportSeries[]
  groups: readonly ReportGroup[]
  /** Whether a pivot has the totals of its rows and columns. */
  hasTotals: boolean
  formats: readonly ReportFormat[]
  comparison: ReportComparison | undefined
  sparkline: ReportSparkline | undefined
  /** What a click on one of its rows opens: columns of the row, or filters, are handed on. */
  drill: OpenTarget | undefined
}

/** A place in a row of the layout; `span` in twelfths. */
export interface ReportCell {
  widget: string
  span: number | undefined
}

/** A report page, from which it is served; its resource is its name. */
export interface Report {
  name: string
  slug: string
  label: ModelText
  versionHash: string
  filters: readonly FieldFeatures[]
  dataSets: readonly ReportDataSet[]
  widgets: readonly ReportWidget[]
  /** Rows of cells; none: the widgets stand one below the other. */
  layout: readonly (readonly ReportCell[])[]
}

/** A column of a printed table of details. */
export interface PrintLineColumn {
  /** A field of the Detail's view, as it spells it. */
  field: string
  label: ModelText
  /** Whether it has a Label of its own, and not that of its field, behind which the unit stands. */
  hasOwnLabel: boolean
  weight: number | undefined
  isSummed: boolean
  isCarried: boolean
}

/** An amount below a table: a field of the record, or a text. */
export interface PrintTotal {
  field: string | undefined
  text: ModelText | undefined
  label: ModelText
  isStrong: boolean
  when: FieldCondition | undefined
}

export type PrintAlign = 'start' | 'center' | 'end'

/** A part of a print; lengths are millimetres. */
export type PrintPart =
  | {
      kind: 'address'
      window: 'DIN5008' | 'US10'
      sender: ModelText | undefined
      lines: readonly ModelText[]
    }
  | { kind: 'heading'; level: 1 | 2 | 3; text: ModelText; when: FieldCondition | undefined }
  | {
      kind: 'text'
      text: ModelText
      align: PrintAlign
      isStrong: boolean
      when: FieldCondition | undefined
    }
  | {
      kind: 'fields'
      fields: readonly string[]
      columns: 1 | 2 | 3
      when: FieldCondition | undefined
    }
  | {
      kind: 'lines'
      /** Name of the view's Detail. */
      detail: string
      label: ModelText | undefined
      /** The field of the Detail's view by which its rows are grouped. */
      group: string | undefined
      empty: ModelText | undefined
      columns: readonly PrintLineColumn[]
      when: FieldCondition | undefined
    }
  | { kind: 'totals'; rows: readonly PrintTotal[] }
  | {
      kind: 'barcode'
      type: 'qr' | 'ean13' | 'ean8' | 'code128'
      text: ModelText
      label: ModelText | undefined
      width: number
      align: PrintAlign
      when: FieldCondition | undefined
    }
  | { kind: 'space'; height: number }
  | { kind: 'rule' }
  | { kind: 'pageBreak' }

/** A printable document of a record of a view, made for whoever may View it. */
export interface Print {
  name: string
  slug: string
  label: ModelText
  versionHash: string
  /** Name of the view. */
  view: string
  title: ModelText
  page: {
    size: 'A4' | 'A5' | 'A6' | 'Letter' | 'Legal' | { width: number; height: number }
    isLandscape: boolean
    margin: number | undefined
  }
  /** A tag, or the field that holds it; undefined for the language of whoever prints. */
  language: { tag: string } | { field: string } | undefined
  letterhead: { hasLogo: boolean; lines: readonly ModelText[] } | undefined
  foot: { left: ModelText; right: ModelText } | undefined
  parts: readonly PrintPart[]
  /** Fields of the view that any of it names, as the view spells them. */
  fields: readonly string[]
}

export interface RoleGrant {
  resource: string
  verbs: ReadonlySet<Verb>
  capabilities: ReadonlySet<string>
}

export interface RowFilter {
  resource: string
  /** Verbs that it holds for; undefined: every verb. */
  verbs: ReadonlySet<Verb> | undefined
  dataSet: string | undefined
  /** Datasets of its report that lack what it names: they show its role no row. */
  misfits: readonly string[]
  condition: AuthoredCondition
}

export interface FieldRule {
  resource: string
  field: string
  access: 'Hidden' | 'ReadOnly'
}

export interface Role {
  name: string
  label: ModelText
  /** Built-in roles whose holders may give and take it without holding what it grants. */
  assignableBy: readonly string[]
  grants: readonly RoleGrant[]
  rowFilters: readonly RowFilter[]
  fieldRules: readonly FieldRule[]
}

/** Reference rows that a deploy upserts by their key. */
export interface ReferenceRows {
  entity: string
  key: readonly string[]
  once: boolean
  rows: readonly { values: Readonly<Record<string, string>>; place: Place }[]
  place: Place
}

/** A script or document of the model: kept verbatim in the catalog. */
export interface Script {
  type: ScriptType
  name: string
  fileName: string
  body: string
  /** MD5 of the body, in lower-case hexadecimal. */
  versionHash: string
  element: Element
}

export const SCRIPT_TYPES = [
  'Entity',
  'ObjectView',
  'Navbar',
  'StoredProcedure',
  'Rbac',
  'Report',
  'Workflow',
  'Print',
  'Rows',
  'Texts',
  'Migration',
] as const
export type ScriptType = (typeof SCRIPT_TYPES)[number]

/** Names of views, by what they are about. */
export interface ViewIndex {
  /** By the name of their entity, in the model's order. */
  ofEntity: ReadonlyMap<string, readonly string[]>
  /** By the name of a view: its fields, in lower case, by which Details hold it to a parent. */
  parents: ReadonlyMap<string, ReadonlyMap<string, readonly ParentLink[]>>
}

/** The field of a view that a Detail takes the parent from. */
export interface ParentLink {
  view: string
  field: string
}

export interface Model {
  /** Changes with every deploy that changes anything. */
  hash: string
  scripts: readonly Script[]
  entities: ReadonlyMap<string, Entity>
  /** By lower-case table name. */
  entityByTable: ReadonlyMap<string, Entity>
  views: ReadonlyMap<string, View>
  /** By lower-case name and slug. */
  viewByKey: ReadonlyMap<string, View>
  viewIndex: ViewIndex
  roles: ReadonlyMap<string, Role>
  capabilities: ReadonlyMap<string, ModelText>
  /** Declared user attributes: name to type. */
  attributes: ReadonlyMap<string, FieldType>
  /** By name, with the entity that declares it. */
  sequences: ReadonlyMap<string, { sequence: Sequence; entity: Entity }>
  /** By lower-case name. */
  procedures: ReadonlyMap<string, Procedure>
  /** By name. */
  reports: ReadonlyMap<string, Report>
  /** By name. */
  prints: ReadonlyMap<string, Print>
  /** Computed columns, each after those that it is computed from. */
  computes: readonly ComputedColumn[]
  rows: readonly ReferenceRows[]
  /** Languages that the model has texts in. */
  languages: readonly string[]
}
