/** Filters while they are built: groups and conditions, which may still lack values. Pure. */
import {
  FILTER_CONDITIONS_MAX,
  FILTER_DEPTH_MAX,
  type FilterGroup,
  type FilterNode,
  type FilterOperator,
  type FilterScalar,
  type GridFilter,
  isGroup,
  isList,
  OPERATORS,
} from '../../state/filter-tree.ts'
import { VALUE_OPERATORS } from '../../fields/operators.ts'

/** A condition that is being built; '' for a field that is not chosen yet, null for no value. */
export interface DraftCondition {
  id: number
  field: string
  operator: FilterOperator
  /** One value, null for none. */
  value: FilterScalar | null
  /** Several values: a list, or the two of a pair. */
  values: readonly (FilterScalar | null)[]
  /** The field that it compares with, in place of a value; '' while it is not chosen. */
  valueField: string | undefined
}

/** A group that is being built. */
export interface DraftGroup {
  id: number
  logic: FilterGroup['Logic']
  nodes: readonly DraftNode[]
}

/** A part of a draft. */
export type DraftNode = DraftCondition | DraftGroup

/** True for a group of a draft. */
export const isDraftGroup = (node: DraftNode): node is DraftGroup => 'nodes' in node

let lastId = 0

/** A condition without a field. */
export const newCondition = (): DraftCondition => ({
  id: ++lastId,
  field: '',
  operator: 'eq',
  value: null,
  values: [],
  valueField: undefined,
})

/** A group with one condition to fill. */
export const newGroup = (): DraftGroup => ({ id: ++lastId, logic: 'or', nodes: [newCondition()] })

/**
 * The draft of filters: their list as a group of which all hold. A single group is the draft
 * itself, except where another condition is added.
 */
export function planDraft(filters: readonly FilterNode[], isAdding = false): DraftGroup {
  const [first, ...others] = filters
  const isSole = first !== undefined && others.length === 0 && !isAdding
  const root = isSole && isGroup(first) ? first : undefined
  const { Logic, Filters } = root ?? { Logic: 'and' as const, Filters: filters }
  return { id: ++lastId, logic: Logic, nodes: Filters.map(toDraft) }
}

function toDraft(node: FilterNode): DraftNode {
  if (isGroup(node)) return { id: ++lastId, logic: node.Logic, nodes: node.Filters.map(toDraft) }
  const { Field, Operator, Value, ValueField } = node
  return {
    id: ++lastId,
    field: Field,
    operator: Operator,
    value: isList(Value) ? null : Value,
    values: isList(Value) ? Value : [],
    valueField: ValueField,
  }
}

/** The filters of a draft, without conditions that lack a field and groups that are empty. */
export function listFilters({ logic, nodes }: DraftGroup): FilterNode[] {
  const filters = nodes.flatMap(toFilter)
  return logic === 'and' || filters.length < 2 ? filters : [{ Logic: logic, Filters: filters }]
}

function toFilter(node: DraftNode): FilterNode[] {
  if (isDraftGroup(node)) {
    const Filters = node.nodes.flatMap(toFilter)
    return Filters.length === 0 ? [] : [{ Logic: node.logic, Filters }]
  }
  return node.field === '' ? [] : [toCondition(node)]
}

function toCondition({ field, operator, value, values, valueField }: DraftCondition): GridFilter {
  const named = { Field: field, Operator: operator }
  if (valueField !== undefined) return { ...named, Value: null, ValueField: valueField }
  const { takes } = OPERATORS[operator]
  if (takes === 'nothing') return { ...named, Value: null }
  return { ...named, Value: takes === 'one' ? value : values.map((each) => each ?? '') }
}

/** The same condition by another operator: what was typed stays where it fits. */
export function withOperator(condition: DraftCondition, operator: FilterOperator): DraftCondition {
  const { value, values, valueField } = condition
  const { takes, comparesFields } = OPERATORS[operator]
  const before = OPERATORS[condition.operator].takes
  const given = before === 'one' ? (value === null ? [] : [value]) : values
  const kept = given.filter((each) => each !== null)
  return {
    ...condition,
    operator,
    value: takes === 'one' ? (kept[0] ?? null) : value,
    values: takes === 'pair' ? [kept[0] ?? null, kept[1] ?? null] : kept,
    valueField: comparesFields ? valueField : undefined,
  }
}

/** The draft with a part changed; undefined takes it out, and a group that it leaves empty. */
export function changeNode(
  group: DraftGroup,
  id: number,
  change: (node: DraftNode) => DraftNode | undefined,
): DraftGroup {
  if (group.id === id) {
    const changed = change(group)
    return changed && isDraftGroup(changed) ? changed : group
  }
  const nodes = group.nodes.flatMap((node) => {
    if (node.id === id) return change(node) ?? []
    if (!isDraftGroup(node)) return node
    const changed = changeNode(node, id, change)
    return changed.nodes.length === 0 && node.nodes.length > 0 ? [] : changed
  })
  return { ...group, nodes }
}

/** All conditions of a draft, from above to below. */
export const listConditions = ({ nodes }: DraftGroup): DraftCondition[] =>
  nodes.flatMap((node) => (isDraftGroup(node) ? listConditions(node) : [node]))

/** The first condition of a part: the part itself, or of a group. */
export const firstCondition = (node: DraftNode | undefined): DraftCondition | undefined =>
  node && (isDraftGroup(node) ? listConditions(node)[0] : node)

/** True where another condition may be added. */
export const takesCondition = (root: DraftGroup): boolean =>
  listConditions(root).length < FILTER_CONDITIONS_MAX

/** True where groups at this level, the outermost being 1, may hold another group. */
export const takesGroup = (root: DraftGroup, level: number): boolean =>
  // Of any conditions the outermost group is a level below the list that requests have.
  takesCondition(root) && level + (root.logic === 'or' ? 1 : 0) < FILTER_DEPTH_MAX

/** Values that hold beside a condition, by field: what its choices may depend on. */
export function listGiven(group: DraftGroup, id: number): Record<string, FilterScalar> {
  const path = findPath(group, id) ?? []
  const beside = path.filter(({ logic }) => logic === 'and').flatMap(({ nodes }) => nodes)
  return Object.fromEntries(
    beside.flatMap((node) =>
      isDraftGroup(node) ||
      node.id === id ||
      node.operator !== VALUE_OPERATORS.same ||
      node.value === null
        ? []
        : [[node.field, node.value]],
    ),
  )
}

/** The groups around a condition, the outermost first. */
function findPath(group: DraftGroup, id: number): DraftGroup[] | undefined {
  if (group.nodes.some((node) => node.id === id)) return [group]
  for (const node of group.nodes) {
    const below = isDraftGroup(node) ? findPath(node, id) : undefined
    if (below) return [group, ...below]
  }
  return undefined
}
