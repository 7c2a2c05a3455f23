/** The definition of an object on the wire (src/server/README.md, Objects). */
import { type Static, Type } from '@sinclair/typebox'
import { named, oneOf, orNull, shownAs } from '../../kernel/schema.ts'
import { VIEW_TYPES } from '../../model/compiled/view.ts'
import { STEP_KINDS } from '../../model/compiled/wizard.ts'
import { FIELD_TYPES } from '../../model/fields/kinds.ts'
import { ORDER_OPERATORS } from '../../model/operators.ts'
import { FilterOperator } from './filter-schema.ts'

const TextOrNull = orNull(Type.String())
const Names = Type.Array(Type.String())

export const FieldType = named('FieldType', oneOf(FIELD_TYPES))

export const FieldOption = named(
  'FieldOption',
  Type.Object({ Value: Type.String(), Label: Type.String() }),
)

const FieldDefault = named(
  'FieldDefault',
  Type.Object({
    Value: Type.Optional(Type.String({ description: 'A literal' })),
    Computed: Type.Optional(Type.Literal(true, { description: 'By the server' })),
    DependsOn: Type.Optional(
      Type.Array(Type.String(), { description: 'Fields that a computed one depends on' }),
    ),
  }),
)

const FieldLookup = named(
  'FieldLookup',
  Type.Object({
    View: orNull(Type.String({ description: 'Null: the first of the entity that one may List' })),
    Search: Names,
    Label: Names,
    Fill: Type.Array(
      named('LookupFill', Type.Object({ Field: Type.String(), From: Type.String() })),
      { description: 'Fields that are filled from columns of the record that was chosen' },
    ),
    DependsOn: Names,
  }),
)

const FieldDataSet = named('FieldDataSet', Type.Object({ DependsOn: Names }))

const FieldComparison = named(
  'FieldComparison',
  Type.Object(
    { Field: Type.String(), Operator: FilterOperator, Value: TextOrNull },
    { description: 'Over another field of the record, as a filter compares' },
  ),
)

const FieldConditionGroup = named(
  'FieldConditionGroup',
  Type.Object(
    {
      Logic: oneOf(['and', 'or']),
      Filters: shownAs(Type.Array(Type.Unknown()), {
        items: { anyOf: [FieldComparison, Type.Ref('FieldConditionGroup')] },
      }),
    },
    { description: 'Comparisons and groups of which all or one must hold' },
  ),
)

const FieldConditionMetadata = named(
  'FieldCondition',
  Type.Union([FieldComparison, FieldConditionGroup]),
)
export type FieldConditionMetadata = Static<typeof FieldConditionMetadata>

/** Members that fields, parameters and fields of steps have in common. */
const FEATURES = {
  Name: Type.String(),
  Label: Type.String({ description: 'In the language of the request' }),
  Type: FieldType,
  Required: Type.Boolean(),
  MaxLength: orNull(Type.Integer({ description: 'Characters of a Text' })),
  Scale: orNull(Type.Integer({ description: 'Decimal places' })),
  Min: orNull(Type.String({ description: 'Compared by the type' })),
  Max: orNull(Type.String({ description: 'Compared by the type' })),
  Pattern: orNull(Type.String({ description: 'A regular expression of the whole value' })),
  PatternMessage: TextOrNull,
  Options: Type.Array(FieldOption),
  Format: TextOrNull,
  Unit: TextOrNull,
  Help: TextOrNull,
  Default: orNull(FieldDefault),
  References: orNull(Type.String({ description: 'The entity that its values refer to' })),
  Lookup: orNull(FieldLookup),
  DataSet: orNull(FieldDataSet),
  MaxCount: orNull(Type.Integer({ description: 'Files at most' })),
  MaxBytes: orNull(Type.Integer({ description: 'Bytes of a file at most' })),
  Accept: Type.Array(Type.String(), { description: 'Media types of files' }),
}

const CONDITIONS = {
  RequiredWhen: orNull(FieldConditionMetadata),
  VisibleWhen: orNull(FieldConditionMetadata),
  ReadOnlyWhen: orNull(FieldConditionMetadata),
}

const Multiple = Type.Boolean({ description: 'The value is a list' })

export const FieldMetadata = named('ViewParameter', Type.Object(FEATURES))
export type FieldMetadata = Static<typeof FieldMetadata>

export const MetadataField = named(
  'MetadataField',
  Type.Object({
    ...FEATURES,
    Key: Type.Boolean(),
    ReadOnly: Type.Boolean(),
    Hidden: Type.Boolean({ description: 'Served, but not meant to be shown' }),
    Searchable: Type.Boolean(),
    In: Type.Array(named('Surface', oneOf(['Grid', 'Form', 'View', 'Export']))),
    Stamp: Type.Boolean({ description: 'It is the RowVersion' }),
    LabelField: orNull(Type.String({ description: 'The field that has the label of its value' })),
    Through: orNull(Type.String({ description: 'The entity that links both sides' })),
    ...CONDITIONS,
    Multiple,
  }),
)
export type MetadataField = Static<typeof MetadataField>

/** A parameter of a row action, a procedure or a transition. */
export const ActionParameterMetadata = named(
  'ActionParameter',
  Type.Object({ ...FEATURES, ...CONDITIONS, Multiple }),
)
export type ActionParameterMetadata = Static<typeof ActionParameterMetadata>

/** A field of a step of a wizard. */
export const StepFieldMetadata = named(
  'WizardStepField',
  Type.Object({
    ...FEATURES,
    ...CONDITIONS,
    Multiple,
    ReadOnly: Type.Boolean(),
    LabelField: TextOrNull,
  }),
)
export type StepFieldMetadata = Static<typeof StepFieldMetadata>

const Section = named(
  'MetadataSection',
  Type.Object({
    Label: Type.String(),
    Tab: TextOrNull,
    Columns: Type.Integer(),
    Fields: Names,
  }),
)

const Preset = named(
  'MetadataPreset',
  Type.Object({ Name: Type.String(), Label: Type.String(), Default: Type.Boolean() }),
)

const Detail = named(
  'MetadataDetail',
  Type.Object({
    Name: Type.String(),
    Label: Type.String(),
    View: Type.String(),
    Parent: Type.Array(
      named('DetailLink', Type.Object({ Field: Type.String(), ParentField: Type.String() })),
    ),
  }),
)

export const RowActionMetadata = named(
  'MetadataRowAction',
  Type.Object({
    Name: Type.String(),
    Label: Type.String(),
    Capability: orNull(Type.String({ description: 'What it needs; null: Update' })),
    For: oneOf(['Row', 'Rows', 'View']),
    Confirm: orNull(Type.String({ description: 'What is asked before it' })),
    Parameters: Type.Array(ActionParameterMetadata),
    Object: Type.Optional(
      Type.String({ description: 'It opens this object, and changes nothing' }),
    ),
    Report: Type.Optional(Type.String({ description: 'It opens this report' })),
    Wizard: Type.Optional(Type.String({ description: 'It opens this wizard' })),
    Url: Type.Optional(Type.String({ description: 'It opens this address' })),
    With: Type.Optional(orNull(Type.String({ description: 'What it hands on' }))),
    ReportKind: Type.Optional(oneOf(['Page', 'Document'])),
  }),
)
export type RowActionMetadata = Static<typeof RowActionMetadata>

export const ValidateRule = named(
  'ValidateRule',
  Type.Object({
    Field: TextOrNull,
    Operator: oneOf(ORDER_OPERATORS),
    Compare: orNull(Type.String({ description: 'The field that it is compared with' })),
    Value: orNull(Type.String({ description: 'What it is compared with else' })),
    Message: Type.String(),
  }),
)
export type ValidateRule = Static<typeof ValidateRule>

const SearchFields = named(
  'MetadataSearch',
  Type.Object({ Title: TextOrNull, Text: Names }, { description: 'Fields that searches look in' }),
)

const Hints = {
  Board: orNull(
    named(
      'BoardHint',
      Type.Object({
        GroupBy: Type.String({ examples: ['Status'] }),
        Title: Type.String(),
        Order: TextOrNull,
      }),
    ),
  ),
  Calendar: orNull(
    named(
      'CalendarHint',
      Type.Object({
        From: Type.String(),
        To: TextOrNull,
        Title: Type.String(),
        Tone: TextOrNull,
      }),
    ),
  ),
  Gallery: orNull(
    named(
      'GalleryHint',
      Type.Object({ Image: Type.String({ examples: ['Picture'] }), Title: Type.String() }),
    ),
  ),
  Header: orNull(named('HeaderHint', Type.Object({ Fields: Names }))),
  Tree: orNull(Type.String({ description: 'The field that names the row above' })),
}

const FileFormats = named('FileFormats', Type.Object({ Formats: Names }))

const ImportFormats = named(
  'ImportFormats',
  Type.Object({ Formats: Names, MaxBytes: Type.Integer({ examples: [1073741824] }) }),
)

export const WizardStepKind = named(
  'WizardStepKind',
  oneOf(Object.keys(STEP_KINDS), { description: 'List: rows of Fields' }),
)

export const WizardStep = named(
  'WizardStep',
  Type.Object({
    Name: Type.String(),
    Label: Type.String(),
    Kind: WizardStepKind,
    IsConditional: Type.Boolean({ description: 'Whether it comes depends on earlier steps' }),
    Fields: Type.Array(StepFieldMetadata),
    Validates: Type.Array(ValidateRule),
    Min: Type.Integer({ description: 'Fewest rows of a List' }),
    Max: orNull(Type.Integer({ description: 'Most rows of a List' })),
  }),
)
export type WizardStep = Static<typeof WizardStep>

export const ViewType = named('ViewType', oneOf(Object.keys(VIEW_TYPES)))

const MetadataSort = named(
  'MetadataSort',
  Type.Object({ Field: Type.String(), Direction: oneOf(['asc', 'desc']) }),
)

export const MetadataResult = named(
  'MetadataResult',
  Type.Object(
    {
      Name: Type.String(),
      Slug: Type.String(),
      Label: Type.String(),
      ViewType,
      VersionHash: Type.String(),
      Keys: Names,
      Display: Type.Array(Type.String(), { description: 'Columns that name a record' }),
      Fields: Type.Array(MetadataField),
      Parameters: Type.Array(FieldMetadata, {
        description: 'What its queries take beside the fields',
        examples: [[]],
      }),
      Sections: Type.Array(Section),
      Presets: Type.Array(Preset),
      Details: Type.Array(Detail),
      RowActions: Type.Array(RowActionMetadata),
      Validates: Type.Array(ValidateRule),
      Search: orNull(SearchFields),
      Sort: Type.Array(MetadataSort),
      Export: FileFormats,
      Import: ImportFormats,
      // Of a wizard alone: the page of wizards shows them.
      Steps: Type.Array(WizardStep, { examples: [[]] }),
      Comments: Type.Boolean({ description: 'People may comment on its records' }),
      ...Hints,
    },
    { additionalProperties: false },
  ),
)
export type MetadataResult = Static<typeof MetadataResult>
