/** Requests and results of the object API (src/server/README.md, Objects). */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { asking, instant, named, oneOf, optional, shownAs, Values } from '../../kernel/schema.ts'
import type { ToldVerb } from '../../model/compiled/role.ts'
import { Filters } from './filter-schema.ts'
import { ImportResult, MadeFile } from './import-schema.ts'
import { ManyResult } from './many-schema.ts'
import { ACTION_EXAMPLE, FORM_EXAMPLE, OPTION_EXAMPLE, TABLE_EXAMPLE } from './schema-examples.ts'

const Stamp = Type.Union([Type.String(), Type.Integer(), Type.Null()])

export const PAGE_SIZE_MAX = 1000
export const PAGE_SIZE_DEFAULT = 50
export const BOUNDED_COUNT_MAX = 10_000

export const SortItem = named(
  'SortField',
  Type.Object({
    Field: Type.String(),
    Direction: Type.Optional(oneOf(['asc', 'desc'], { description: 'Default asc' })),
  }),
)

const CountMode = named(
  'CountMode',
  oneOf(['exact', 'bounded', 'none'], {
    description: 'Default exact; bounded counts to 10,000 at most',
  }),
)

export const TableRequest = named(
  'TableRequest',
  asking(
    Type.Object({
      Filters: Type.Optional(Filters),
      SearchText: optional(Type.String()),
      Sort: optional(Type.Array(SortItem)),
      Page: Type.Optional(Type.Integer({ description: 'From 1' })),
      PageSize: Type.Optional(Type.Integer({ description: 'Default 50, at most 1,000' })),
      Cursor: optional(Type.String()),
      Fields: optional(Type.Array(Type.String())),
      Preset: optional(Type.String()),
      Parameters: optional(Values),
      CountMode: Type.Optional(CountMode),
      AllCompanies: Type.Optional(Type.Boolean({ description: 'System callers only' })),
    }),
  ),
)
export type TableRequest = Static<typeof TableRequest>

export const ExportTableRequest = named(
  'ExportTableRequest',
  asking(
    Type.Object({
      ObjectName: Type.String({ description: 'Name or slug of the object' }),
      Format: Type.Optional(
        Type.String({ description: 'csv (default), xlsx, jsonl or an extension’s' }),
      ),
      ...Type.Pick(TableRequest, [
        'Filters',
        'SearchText',
        'Sort',
        'Preset',
        'Parameters',
        'AllCompanies',
      ]).properties,
      Fields: Type.Optional(
        Type.Union([Type.Array(Type.String()), Type.Null()], {
          description:
            'Exactly these columns, in this order; else what the grid shows. `TeamId` is the key ' +
            'of a reference under its Name, `TeamId__Label` what it is called under its Label; ' +
            '`Kind` and `Kind__Label` are value and label of an option; `Lines.Quantity` is a ' +
            'field of the detail Lines: a record then has a row for each of its lines',
          examples: [['Code', 'TeamId', 'TeamId__Label']],
        }),
      ),
      OperationId: Type.Optional(
        Type.Union([Type.String(), Type.Null()], { description: 'Progress is reported under it' }),
      ),
      Raw: Type.Optional(
        Type.Union([Type.Boolean(), Type.Null()], {
          description:
            'csv for other systems: texts that a spreadsheet could take for formulas stay as ' +
            'they are',
        }),
      ),
      Background: Type.Optional(
        Type.Union([Type.Boolean(), Type.Null()], {
          description: 'As a job, in a format of the engine: a notification has the file',
        }),
      ),
    }),
  ),
)
export type ExportTableRequest = Static<typeof ExportTableRequest>

export const FormRequest = named(
  'FormRequest',
  asking(
    Type.Object({
      Parameters: optional(Values),
      AllCompanies: Type.Optional(Type.Boolean({ description: 'System callers only' })),
    }),
  ),
)
export type FormRequest = Static<typeof FormRequest>

export const DetailChanges = named(
  'DetailChanges',
  Type.Object({
    Upsert: Type.Optional(Type.Array(Values)),
    Delete: Type.Optional(Type.Array(Values)),
    Loaded: Type.Optional(
      Type.Array(Values, {
        description:
          'Rows of both as they were loaded, by key: one that was changed or deleted since is a ' +
          'conflict, also where its entity keeps no RowVersion',
      }),
    ),
  }),
)
export type DetailChanges = Static<typeof DetailChanges>

export const SubmitRequest = named(
  'SubmitRequest',
  Type.Object({
    FormName: Type.String(),
    Parameters: optional(Values),
    Details: optional(Type.Record(Type.String(), DetailChanges)),
    IsNew: Type.Optional(Type.Boolean()),
    OnConflict: Type.Optional(
      oneOf(['merge'], { description: 'See the 409 of a stale RowVersion' }),
    ),
    AllCompanies: Type.Optional(Type.Boolean({ description: 'System callers only' })),
  }),
)
export type SubmitRequest = Static<typeof SubmitRequest>

export const DeleteRowRequest = named(
  'DeleteRowRequest',
  Type.Object({
    ObjectName: Type.String(),
    Parameters: optional(Values),
    RowVersion: Type.Optional(Stamp),
    AllCompanies: Type.Optional(Type.Boolean({ description: 'System callers only' })),
  }),
)
export type DeleteRowRequest = Static<typeof DeleteRowRequest>

export const ExecuteRowActionRequest = named(
  'ExecuteRowActionRequest',
  Type.Object({
    ObjectName: Type.String(),
    ActionName: Type.String(),
    Parameters: optional(Values),
    Keys: optional(Type.Array(Values)),
    RowVersion: Type.Optional(Stamp),
    AllCompanies: Type.Optional(Type.Boolean({ description: 'System callers only' })),
  }),
)
export type ExecuteRowActionRequest = Static<typeof ExecuteRowActionRequest>

export const FieldDataSetRequest = named(
  'FieldDataSetRequest',
  asking(
    Type.Object({
      FormName: Type.String({ description: 'Name or slug of the form, or of a report' }),
      FieldName: Type.String({ description: 'The field or filter whose options are requested' }),
      ActionName: Type.Optional(
        Type.Union([Type.String(), Type.Null()], {
          description: 'FieldName is a parameter of this row action',
        }),
      ),
      StepName: Type.Optional(
        Type.Union([Type.String(), Type.Null()], {
          description:
            'FieldName is a field of this step of a wizard; Parameters hold earlier ones too',
        }),
      ),
      Parameters: Type.Optional(
        Type.Union([Values, Type.Null()], {
          description: 'Present values of the record: what the options depend on, and its key',
        }),
      ),
      SearchText: optional(Type.String()),
      Page: Type.Optional(Type.Integer({ description: 'From 1' })),
      PageSize: Type.Optional(Type.Integer({ description: 'Default 50, at most 1,000' })),
      Default: Type.Optional(
        Type.Boolean({ description: 'Asks for the default that the present values give' }),
      ),
      AllCompanies: Type.Optional(Type.Boolean({ description: 'System callers only' })),
    }),
  ),
)
export type FieldDataSetRequest = Static<typeof FieldDataSetRequest>

export const FieldDataSetResult = Type.Array(
  named(
    'FieldDataSetOption',
    shownAs(
      Type.Record(Type.String(), Type.String(), {
        description: 'Value, Label and the further columns of the query',
        examples: [OPTION_EXAMPLE],
      }),
      {
        properties: { Value: Type.String(), Label: Type.String() },
        required: ['Value', 'Label'],
      },
    ),
  ),
)

export const SequenceNumberRequest = named(
  'SequenceNumberRequest',
  Type.Object({
    SequenceName: optional(Type.String()),
    FormName: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'Name or slug, with FieldName' }),
    ),
    FieldName: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'The field that draws the number' }),
    ),
    Reserve: Type.Optional(
      Type.Union([Type.Boolean(), Type.Null()], {
        description: 'Puts the number by for the caller; else it is a preview that uses nothing up',
      }),
    ),
    Parameters: Type.Optional(
      Type.Union([Values, Type.Null()], {
        description: 'Values of the fields that the format names',
      }),
    ),
  }),
)
export type SequenceNumberRequest = Static<typeof SequenceNumberRequest>

/** Limit that a caller's roles set on a field that metadata shows to all. */
export const FieldRight = named(
  'FieldRight',
  Type.Union([Type.Literal('Hidden'), Type.Literal('ReadOnly')]),
)
export type FieldRight = Static<typeof FieldRight>

const TOLD_VERBS = {
  Create: Type.Boolean(),
  Update: Type.Boolean(),
  Delete: Type.Boolean(),
  Export: Type.Boolean(),
  Import: Type.Boolean(),
} satisfies Readonly<Record<ToldVerb, TSchema>>

const Permissions = named(
  'Permissions',
  Type.Object({
    ...TOLD_VERBS,
    Capabilities: Type.Array(Type.String()),
    Fields: Type.Record(Type.String(), FieldRight, {
      description:
        'Fields that the caller’s roles narrow beyond what metadata says for all; in a form, ' +
        'of its row',
    }),
  }),
)

export const Pagination = named(
  'Pagination',
  Type.Object({
    Page: Type.Integer(),
    PageSize: Type.Integer(),
    TotalRows: Type.Union([Type.Integer(), Type.Null()]),
    TotalPages: Type.Union([Type.Integer(), Type.Null()]),
    TotalIsExact: Type.Boolean(),
    HasNext: Type.Boolean(),
    NextCursor: Type.Union([Type.String(), Type.Null()]),
  }),
)
export type Pagination = Static<typeof Pagination>

export const TableResult = named(
  'TableResult',
  Type.Object(
    {
      Rows: Type.Array(Values, {
        description:
          'Fields by name, `Permit__<Capability>` for each Permit, and `Action__<Name>` for each ' +
          'action with a `When` of its own',
      }),
      Pagination,
      Permissions,
    },
    { examples: [TABLE_EXAMPLE] },
  ),
)

export const FormResult = named(
  'FormResult',
  Type.Object(
    {
      Values: Values,
      Permissions,
      CanSubmit: Type.Boolean(),
      FormLoadTime: instant('With seven decimals'),
      IsNew: Type.Boolean(),
    },
    { examples: [FORM_EXAMPLE] },
  ),
)
export type FormResult = Static<typeof FormResult>

export const Dispatch = named(
  'DispatchEnvelope',
  Type.Object({
    Type: Type.String({ description: 'refreshTable, showAlert, …' }),
    Target: Type.Optional(Type.String()),
    Level: Type.Optional(oneOf(['info', 'success', 'warning', 'error'])),
    Message: Type.Optional(Type.String()),
  }),
)
export type Dispatch = Static<typeof Dispatch>

export const ObjectActionResult = named(
  'ObjectActionResult',
  Type.Object(
    {
      Action: Type.String({ description: 'created, updated, deleted, or the name of the action' }),
      Keys: Type.Union([Values, Type.Array(Values), Type.Null()]),
      RowVersion: Type.Optional(Type.String()),
      Values: Type.Optional(Values),
      Ignored: Type.Array(Type.String(), {
        description:
          'Members of the request that were dropped, as they were sent: unknown, computed, or ' +
          'not the caller’s to write; of details `Lines[0].Total`, of what is deleted ' +
          '`Lines.Delete[0].Total`, of selected rows `Keys[0].Total`',
      }),
      Dispatch: Type.Array(Dispatch),
      File: Type.Optional(MadeFile),
      Import: Type.Optional(ImportResult),
      Many: Type.Optional(ManyResult),
      JobId: Type.Optional(
        Type.Integer({
          description: 'Of what was asked for with Background; progress: job:<JobId>',
        }),
      ),
    },
    { examples: [ACTION_EXAMPLE] },
  ),
)
export type ObjectActionResult = Static<typeof ObjectActionResult>
