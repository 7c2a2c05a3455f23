/**
 * The definition of an object with all SQL stripped: the same for every caller, made without SQL.
 */
import { renderMessage } from '../../../kernel/messages.ts'
import type { ActionParameter, RowAction } from '../../../model/compiled/action.ts'
import {
  type FieldCondition,
  listConditionFields,
} from '../../../model/compiled/field-condition.ts'
import type { Default, FieldFeatures } from '../../../model/compiled/field-features.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { Validate } from '../../../model/compiled/validate.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { StepField } from '../../../model/compiled/wizard.ts'
import type { ModelText } from '../../../model/model-text.ts'
import { isOnSurface, takesComments } from '../../../model/view-index.ts'
import type {
  ActionParameterMetadata as WireParameter,
  FieldConditionMetadata as ShownCondition,
  FieldMetadata as WireFeatures,
  MetadataField,
  MetadataResult,
  RowActionMetadata as WireAction,
  StepFieldMetadata as WireStepField,
  ValidateRule,
  WizardStep,
} from '../metadata-schema.ts'
import { findLabel } from './labels.ts'
import { BUILT_IN_FORMATS, IMPORT_FORMATS } from '../../sheets/format.ts'

/** Metadata as JSON text with the tag that `If-None-Match` is held against. */
export interface Metadata {
  json: string
  etag: string
}

const known = new WeakMap<View, Map<string, Metadata>>()

/**
 * Plans metadata once for a view, which a deploy makes again, in each requested language; files of
 * an import have at most `importBytesMax`.
 */
export function findMetadata(view: View, language: string, importBytesMax: number): Metadata {
  return known
    .getOrInsertComputed(view, () => new Map<string, Metadata>())
    .getOrInsertComputed(language, () => {
      const json = JSON.stringify(planMetadata(view, language, importBytesMax))
      return { json, etag: `"${Bun.hash(json).toString(36)}-${language}"` }
    })
}

/**
 * A MetadataResult. Server-only rules, queries and conditions in SQL are left out, and so is
 * all that names an unserved field; but a Detail names the field that it narrows by.
 */
function planMetadata(view: View, language: string, importBytesMax: number): MetadataResult {
  const isDescribed = planDescribed(view)
  const scope: DescribeScope = { isDescribed, language }
  const text = (of: ModelText): string => renderMessage(of, language)
  return {
    Name: view.name,
    Slug: view.slug,
    Label: text(view.label),
    ViewType: view.viewType,
    VersionHash: view.versionHash,
    Keys: view.keys.map((key) => key.name),
    Display: [...(view.entity?.display ?? [])].filter(isDescribed),
    Fields: view.listed
      .filter((field) => isOnSurface(view, field))
      .map((field) => describeField(field, view, scope)),
    Parameters: [...view.parameters.values()].map((each) => describeFeatures(each, scope)),
    Sections: view.sections.map((section) => ({
      Label: text(section.label),
      Tab: section.tab === undefined ? null : text(section.tab),
      Columns: section.columns,
      Fields: section.fields.filter(isDescribed),
    })),
    Presets: view.presets.map((preset) => ({
      Name: preset.name,
      Label: text(preset.label),
      Default: preset.isDefault,
    })),
    Details: view.details.map((detail) => ({
      Name: detail.name,
      Label: text(detail.label),
      View: detail.view,
      Parent: detail.parent.map((link) => ({ Field: link.child, ParentField: link.parent })),
    })),
    RowActions: view.rowActions.map((action) => describeAction(action, scope)),
    Validates: describeValidates(view.validates.concat(view.entity?.validates ?? []), scope),
    Search: view.search ? { Title: view.search.title ?? null, Text: [...view.search.text] } : null,
    Sort: view.sort
      .filter(({ field }) => isDescribed(field))
      .map((item) => ({ Field: item.field, Direction: item.direction })),
    Export: { Formats: [...BUILT_IN_FORMATS] },
    Import: { Formats: view.entity ? [...IMPORT_FORMATS] : [], MaxBytes: importBytesMax },
    Steps: describeSteps(view, language),
    Comments: takesComments(view),
    Tree: findTreeField(view, isDescribed) ?? null,
    ...describeHints(view),
  }
}

/** The field of a view by which its rows stand in a tree: the parent of its entity. */
function findTreeField(
  { entity, keys, listed }: View,
  isDescribed: IsDescribed,
): string | undefined {
  const { parent } = entity ?? {}
  if (parent === undefined || keys.length !== 1) return undefined
  return listed.find(({ name }) => name === parent && isDescribed(name))?.name
}

/** The hints of a view: the compiler has seen to it that their fields are served. */
function describeHints({ hints }: View) {
  const { board, calendar, gallery, header } = hints
  return {
    Board: board
      ? { GroupBy: board.groupBy, Title: board.title, Order: board.order ?? null }
      : null,
    Calendar: calendar
      ? {
          From: calendar.from,
          To: calendar.to ?? null,
          Title: calendar.title,
          Tone: calendar.tone ?? null,
        }
      : null,
    Gallery: gallery ? { Image: gallery.image, Title: gallery.title } : null,
    Header: header ? { Fields: [...header] } : null,
  }
}

/** Tells whether an answer may have a name: of a field that the view serves to some caller. */
type IsDescribed = (name: string | undefined) => boolean

/** Names that may be described, and the language to describe them in. */
export interface DescribeScope {
  isDescribed: IsDescribed
  language: string | undefined
}

const renderOr = (text: ModelText | undefined, language: string | undefined): string | null =>
  text === undefined ? null : renderMessage(text, language)

function planDescribed(view: View): IsDescribed {
  const unserved = view.listed.filter((field) => !isOnSurface(view, field))
  const names = new Set(unserved.map(({ name }) => name.toLowerCase()))
  return (name) => name === undefined || !names.has(name.toLowerCase())
}

function describeField(field: Field, view: View, scope: DescribeScope): MetadataField {
  const column = field.column
  const { isDescribed } = scope
  return {
    ...describeFeatures(field, scope),
    // The next number of a sequence is a value that the server computes.
    ...(column?.sequence !== undefined && { Default: { Computed: true, DependsOn: [] } }),
    Key: column?.key ?? false,
    ReadOnly: field.readOnly,
    Hidden: field.hidden,
    Searchable: field.searchable,
    In: [...field.in],
    Stamp: column?.kind === 'stamp',
    LabelField: findLabel(view, field)?.name ?? null,
    Through: field.through ?? null,
    RequiredWhen: describeWhen(field.requiredWhen, isDescribed),
    VisibleWhen: describeWhen(field.visibleWhen, isDescribed),
    ReadOnlyWhen: describeWhen(field.readOnlyWhen, isDescribed),
    Multiple: field.multiple,
  }
}

/** Describes the features that fields, steps and parameters share. */
export function describeFeatures(
  field: FieldFeatures,
  { isDescribed, language }: DescribeScope,
): WireFeatures {
  return {
    Name: field.name,
    Label: renderMessage(field.label, language),
    Type: field.type,
    Required: field.required,
    MaxLength: field.maxLength ?? null,
    Scale: field.scale ?? null,
    Min: field.min ?? null,
    Max: field.max ?? null,
    Pattern: field.pattern?.source ?? null,
    PatternMessage: renderOr(field.pattern?.message, language),
    Options: field.options.map(({ value, label }) => ({
      Value: value,
      Label: renderMessage(label, language),
    })),
    Format: field.format ?? null,
    Unit: renderOr(field.unit, language),
    Help: renderOr(field.help, language),
    Default: describeDefault(field.default, isDescribed),
    References: field.references ?? null,
    Lookup: describeLookup(field, isDescribed),
    DataSet: field.dataSet ? { DependsOn: field.dataSet.dependsOn.filter(isDescribed) } : null,
    MaxCount: field.maxCount ?? null,
    MaxBytes: field.maxBytes ?? null,
    Accept: [...field.accept],
  }
}

/** A literal is sent; a value that the server computes is only named. */
function describeDefault(
  preset: Default | undefined,
  isDescribed: IsDescribed,
): WireFeatures['Default'] {
  if (!preset) return null
  if (preset.kind === 'literal') return { Value: preset.value }
  if (preset.kind === 'context') return { Computed: true, DependsOn: [] }
  return { Computed: true, DependsOn: preset.dependsOn.filter(isDescribed) }
}

/**
 * A reference is a lookup by itself: without a View it looks up in the first view of the entity
 * that the caller may List. Its options are requested again when a value they depend on changes.
 */
function describeLookup(
  { lookup, references }: FieldFeatures,
  isDescribed: IsDescribed,
): WireFeatures['Lookup'] {
  if (!lookup && references === undefined) return null
  return {
    View: lookup?.view ?? null,
    Search: [...(lookup?.search ?? [])],
    Label: [...(lookup?.label ?? [])],
    Fill: lookup?.fill.map((item) => ({ Field: item.field, From: item.from })) ?? [],
    DependsOn: lookup?.dependsOn.filter(isDescribed) ?? [],
  }
}

/** Describes a condition; one that names an unserved field is evaluated on the server alone. */
function describeWhen(
  condition: FieldCondition | undefined,
  isDescribed: IsDescribed,
): MetadataField['RequiredWhen'] {
  if (!condition || !listConditionFields(condition).every(isDescribed)) return null
  return describeCondition(condition)
}

const describeCondition = (condition: FieldCondition): ShownCondition =>
  'logic' in condition
    ? { Logic: condition.logic, Filters: condition.conditions.map(describeCondition) }
    : { Field: condition.field, Operator: condition.operator, Value: condition.value ?? null }

function describeAction(action: RowAction, scope: DescribeScope): WireAction {
  return {
    Name: action.name,
    Label: renderMessage(action.label, scope.language),
    Capability: action.capability ?? null,
    For: action.for,
    Confirm: renderOr(action.confirm, scope.language),
    Parameters: action.parameters.map((each) => describeParameter(each, scope)),
    ...(action.opens && {
      [action.opens.kind]: action.opens.target,
      With: action.opens.with ?? null,
      ...(action.opens.reportKind && { ReportKind: action.opens.reportKind }),
    }),
  }
}

/** A parameter of an action or procedure, with the checks of the client. */
export function describeParameter(parameter: ActionParameter, scope: DescribeScope): WireParameter {
  const { isDescribed } = scope
  return {
    ...describeFeatures(parameter, scope),
    RequiredWhen: describeWhen(parameter.requiredWhen, isDescribed),
    VisibleWhen: describeWhen(parameter.visibleWhen, isDescribed),
    ReadOnlyWhen: describeWhen(parameter.readOnlyWhen, isDescribed),
    Multiple: parameter.multiple,
  }
}

/** Rules that compare, the only ones that clients check; none with an undescribed field. */
export const describeValidates = (
  rules: readonly Validate[],
  { isDescribed, language }: DescribeScope,
): ValidateRule[] =>
  rules.flatMap((rule) =>
    rule.kind === 'compare' && isDescribed(rule.field) && isDescribed(rule.compare)
      ? [
          {
            Field: rule.field ?? null,
            Operator: rule.operator,
            Compare: rule.compare ?? null,
            Value: rule.value ?? null,
            Message: renderMessage(rule.message, language),
          },
        ]
      : [],
  )

/** The steps of a wizard, the same for every caller; the fields of a query are not known here. */
export function describeSteps(
  { wizard }: Pick<View, 'wizard'>,
  language: string | undefined,
): WizardStep[] {
  const scope: DescribeScope = { isDescribed: () => true, language }
  return (wizard?.steps ?? []).map((step) => ({
    Name: step.name,
    Label: renderMessage(step.label, language),
    Kind: step.kind,
    IsConditional: step.when !== undefined,
    Fields: step.fields.map((field) => describeStepField(field, scope)),
    Validates: describeValidates(step.validates, scope),
    Min: step.min,
    Max: step.max ?? null,
  }))
}

/** A field of a step: whether a request may set it, and under which name its label comes. */
export function describeStepField(field: StepField, scope: DescribeScope): WireStepField {
  const isReference = field.references !== undefined || field.lookup !== undefined
  return {
    ...describeParameter(field, scope),
    ReadOnly: field.readOnly,
    LabelField: isReference ? `${field.name}__Label` : null,
  }
}
