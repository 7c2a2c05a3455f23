/** Objects that a caller may list, as a tree; one object with its fields, relations and uses. */
import { renderMessage } from '../../kernel/messages.ts'
import type { Entity } from '../../model/compiled/entity.ts'
import type { Field } from '../../model/compiled/field.ts'
import { type Verb, VERBS } from '../../model/compiled/role.ts'
import { type View, VIEW_TYPES } from '../../model/compiled/view.ts'
import type { ModelText } from '../../model/model-text.ts'
import type { Model } from '../../model/model.ts'
import type { Element } from '../../model/parse/element.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import { isAggregable } from './aggregate.ts'
import { AGGREGATE_FUNCTIONS } from './schema.ts'
import { findPeriod, isServed } from '../object/read/find-view.ts'
import { describeFeatures, type DescribeScope } from '../object/read/metadata.ts'

/** An entity with its objects, or objects that belong to no entity. */
export interface ObjectNode {
  Kind: 'Entity' | 'Object' | 'Wizard' | 'Report' | 'Procedure' | 'Workflow'
  Name: string
  /** The slug; null for an entity and a procedure. */
  Slug: string | null
  Label: string
  ViewType: string | null
  /** The verbs that the caller has on it; none for an entity. */
  Verbs: Verb[]
  Capabilities: string[]
  Children: ObjectNode[]
}

/** The views that a caller may List, by their entities and labels. */
export function listObjects(model: Model, caller: Caller): ObjectNode[] {
  const views = [...model.views.values()].flatMap((view) => {
    const grant = findLister(model, caller, view)
    return grant ? [{ view, grant }] : []
  })
  return planTree(views, caller.language)
}

/** Views by their entities, in the order of the labels, beside `others`. */
export function planTree(
  views: readonly Listed[],
  language: string | undefined,
  others: readonly ObjectNode[] = [],
): ObjectNode[] {
  const byEntity = new Map<Entity, ObjectNode[]>()
  const roots = [...others]
  for (const { view, grant } of views) {
    const node = toNode(view, grant)
    if (!view.entity) roots.push(node)
    else byEntity.set(view.entity, [...(byEntity.get(view.entity) ?? []), node])
  }
  for (const [{ name, label }, children] of byEntity) {
    const Label = renderMessage(label, language)
    const entity = { Kind: 'Entity', Name: name, Slug: null, Label, ViewType: null } as const
    roots.push({ ...entity, Verbs: [], Capabilities: [], Children: children.sort(byLabel) })
  }
  return roots.sort(byLabel)
}

const byLabel = (a: ObjectNode, b: ObjectNode): number =>
  a.Label.localeCompare(b.Label) || (a.Name < b.Name ? -1 : 1)

function toNode({ name, slug, label, viewType }: View, grant: Grant): ObjectNode {
  const kind = VIEW_TYPES[viewType].hasSteps ? 'Wizard' : 'Object'
  return {
    Kind: kind,
    Name: name,
    Slug: slug,
    ViewType: viewType,
    Label: renderMessage(label, grant.caller.language),
    ...describeRights(grant),
    Children: [],
  }
}

/** Verbs and capabilities that a caller holds, in their order. */
export const describeRights = ({
  access: { verbs, capabilities },
}: Grant): Pick<ObjectNode, 'Verbs' | 'Capabilities'> => ({
  Verbs: VERBS.filter((verb) => verbs.has(verb)),
  Capabilities: [...capabilities].sort(),
})

/** The grant of a caller who may List a view; a wizard has no rows. */
function findLister(model: Model, caller: Caller, view: View): Grant | undefined {
  if (VIEW_TYPES[view.viewType].hasSteps) return undefined
  return Grant.find(caller, model, view.resource, 'List')
}

/** One object as a caller who may list it sees it. */
export function describeObject(view: View, grant: Grant) {
  const listed = listOthers(grant)
  const fields = view.listed.filter((field) => isServed(view, grant, field))
  const others = view.listed.filter((field) => !fields.includes(field))
  const unserved = new Set(others.map(({ name }) => name.toLowerCase()))
  const tells = (name: string | undefined) => !name || !unserved.has(name.toLowerCase())
  const { language } = grant.caller
  const text = (label: ModelText): string => renderMessage(label, language)
  return {
    Name: view.name,
    Slug: view.slug,
    Label: text(view.label),
    ViewType: view.viewType,
    Entity: view.entity ? { Name: view.entity.name, Label: text(view.entity.label) } : null,
    Keys: view.keys.map((field) => field.name),
    Period: findPeriod(view, grant)?.name ?? null,
    Fields: fields.map((field) => describeField(field, { isDescribed: tells, language })),
    Relations: {
      To: fields.flatMap((field) => listReferred(field, listed)),
      From: view.entity ? listed.flatMap((each) => listReferring(each, view.entity)) : [],
    },
    UsedBy: {
      Lookups: listed.flatMap((each) => listLookups(each, view)),
      Details: listed.flatMap(({ view: parent }) =>
        parent.details
          .filter((detail) => detail.view === view.name)
          .map((detail) => ({ ...describeView(parent, language), Detail: detail.name })),
      ),
      Reports: listReports(view, grant),
    },
  }
}

function describeField(field: Field, scope: DescribeScope) {
  return {
    ...describeFeatures(field, scope),
    Key: field.column?.key ?? false,
    Hidden: field.hidden,
    Multiple: field.multiple,
    Aggregates: field.link
      ? []
      : AGGREGATE_FUNCTIONS.filter((each) => isAggregable(each, field.type)),
  }
}

/** A view with the grant by which the caller has it. */
export interface Listed {
  view: View
  grant: Grant
}

function listOthers({ caller, model }: Grant): Listed[] {
  return [...model.views.values()].flatMap((view) => {
    const grant = findLister(model, caller, view)
    return grant ? [{ view, grant }] : []
  })
}

const describeView = ({ name, label }: View, language?: string) => ({
  Object: name,
  Label: renderMessage(label, language),
})

/** The objects with the records that a field refers to, if the caller may list them. */
function listReferred(field: Field, listed: readonly Listed[]) {
  const objects = listed.filter(({ view }) =>
    field.lookup ? view.name === field.lookup.view : view.entity?.name === field.references,
  )
  const isReference = field.references !== undefined || field.lookup !== undefined
  if (!isReference || objects.length === 0) return []
  const entity = field.references ?? objects[0]?.view.entity?.name ?? null
  const Objects = objects.map(({ view, grant }) => describeView(view, grant.caller.language))
  return [{ Field: field.name, Entity: entity, Objects }]
}

/** Fields of another view that refer to the entity. */
function listReferring({ view, grant }: Listed, entity: Entity | undefined) {
  return view.listed
    .filter((field) => field.references === entity?.name && isServed(view, grant, field))
    .map((field) => ({ ...describeView(view, grant.caller.language), Field: field.name }))
}

function listLookups({ view, grant }: Listed, target: View) {
  return view.listed
    .filter((field) => field.lookup?.view === target.name && isServed(view, grant, field))
    .map((field) => ({ ...describeView(view, grant.caller.language), Field: field.name }))
}

/** Reports that the caller may List and that show the view in a widget. */
function listReports(view: View, { caller, model }: Grant) {
  const keys = new Set([view.name.toLowerCase(), view.slug.toLowerCase()])
  return model.scripts
    .filter(({ type, element }) => type === 'Report' && showsView(element, keys))
    .filter(({ name }) => Grant.find(caller, model, name, 'List'))
    .map(({ name }) => ({
      Name: name,
      Label: renderMessage(model.reports.get(name)?.label ?? name, caller.language),
    }))
}

function showsView({ name, attributes, children }: Element, keys: ReadonlySet<string>): boolean {
  const shown = name === 'Widget' ? attributes.View?.toLowerCase() : undefined
  if (shown !== undefined && keys.has(shown)) return true
  return children.some((child) => showsView(child, keys))
}
