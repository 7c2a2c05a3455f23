/** The state of the dialog that builds filters: a draft, its faults, and where the focus goes. */
import { signal } from '@preact/signals'
import type { Schemas } from '../../api/wire.ts'
import { checkFilters } from '../../state/filter-check.ts'
import { gridQuery, setFilters } from '../../state/grid-query.ts'
import { gridPermissions } from '../../state/grid-rows.ts'
import type { MetadataField } from '../../fields/field-kind.ts'
import { findFilterField, listFilterFields } from '../../fields/filter-fields.ts'
import {
  changeNode,
  type DraftCondition,
  type DraftGroup,
  type DraftNode,
  firstCondition,
  isDraftGroup,
  listConditions,
  listFilters,
  newCondition,
  newGroup,
  planDraft,
} from './filter-draft.ts'
import { findFault } from './filter-faults.ts'

/** Properties of the editors of a condition's value. */
export interface ValueProps {
  builder: Builder
  condition: DraftCondition
  field: MetadataField
  fault: string | undefined
}

/** The part of a condition that is focused. */
type Part = 'field' | 'value'

/** The draft of the filters of a grid. */
export class Builder {
  readonly metadata: Schemas['MetadataResult']
  /** Fields that the caller sees. */
  readonly fields: readonly MetadataField[]
  readonly root = signal<DraftGroup>(planDraft([]))
  /** Faults by the conditions that have them. */
  readonly faults = signal<ReadonlyMap<number, string>>(new Map())
  /** The refusal of the server, once it was asked. */
  readonly refusal = signal<unknown>(undefined)
  /** The dialog, in which the focus moves. */
  #place: HTMLElement | null = null
  readonly #begun: [id: number, part: Part]

  /** Begins with the filters of the address; behind their end with another condition. */
  constructor(metadata: Schemas['MetadataResult'], at: number) {
    this.metadata = metadata
    const rights = gridPermissions.peek()?.Fields ?? {}
    this.fields = listFilterFields(metadata).filter(({ Name }) => rights[Name] !== 'Hidden')
    const { filters } = gridQuery.peek()
    const isAdding = at >= filters.length
    const root = planDraft(filters, isAdding)
    const added = newCondition()
    this.root.value = isAdding ? { ...root, nodes: [...root.nodes, added] } : root
    // A single group is the draft itself.
    const begun = isAdding ? added : firstCondition(root.nodes[filters.length > 1 ? at : 0])
    this.#begun = [begun?.id ?? added.id, isAdding ? 'field' : 'value']
  }

  /** Puts the focus where the building begins, once the dialog is drawn. */
  begin(place: HTMLElement | null): void {
    this.#place = place
    this.#focus(...this.#begun)
  }

  /** Changes a condition; what was wrong with it is forgotten until it is tried again. */
  set(id: number, change: (condition: DraftCondition) => DraftCondition): void {
    this.#change(id, (node) => (isDraftGroup(node) ? node : change(node)))
    if (!this.faults.peek().has(id)) return
    this.faults.value = new Map([...this.faults.peek()].filter(([other]) => other !== id))
  }

  /** Has all conditions of a group hold, or any. */
  join(id: number, logic: DraftGroup['logic']): void {
    this.#change(id, (node) => (isDraftGroup(node) ? { ...node, logic } : node))
  }

  /** Adds a condition to a group. */
  addCondition(id: number): void {
    this.#add(id, newCondition())
  }

  /** Adds a group with a condition to a group. */
  addGroup(id: number): void {
    this.#add(id, newGroup())
  }

  /** Takes a part out; the focus goes to the condition that took its place. */
  remove(id: number): void {
    const before = listConditions(this.root.peek())
    const gone = before.findIndex((each) => each.id === id || this.#isIn(each, id))
    this.#change(id, () => undefined)
    const left = listConditions(this.root.peek())
    const next = left[Math.min(Math.max(gone, 0), left.length - 1)]
    this.#focus(next?.id ?? this.root.peek().id, 'field')
  }

  /** Shows what was built; false where something is wrong, which is told then. */
  async apply(): Promise<boolean> {
    this.refusal.value = undefined
    const root = this.root.peek()
    const faults = listConditions(root).flatMap((condition): [number, string][] => {
      const field = findFilterField(this.metadata, condition.field)
      const fault = field && findFault(field, condition)
      return fault === undefined ? [] : [[condition.id, fault]]
    })
    this.faults.value = new Map(faults)
    const [first] = faults
    if (first) {
      this.#focus(first[0], 'value')
      return false
    }
    const filters = listFilters(root)
    this.refusal.value = await checkFilters(this.metadata.Slug, filters)
    if (this.refusal.value !== undefined) return false
    setFilters(filters)
    return true
  }

  #change(id: number, change: (node: DraftNode) => DraftNode | undefined): void {
    this.root.value = changeNode(this.root.peek(), id, change)
  }

  #add(id: number, node: DraftNode): void {
    this.#change(id, (group) =>
      isDraftGroup(group) ? { ...group, nodes: [...group.nodes, node] } : group,
    )
    this.#focus(firstCondition(node)?.id ?? node.id, 'field')
  }

  /** True for a condition of the group with this id. */
  #isIn(condition: DraftCondition, id: number): boolean {
    const holds = (group: DraftGroup, isInside: boolean): boolean =>
      group.nodes.some((node) =>
        isDraftGroup(node)
          ? holds(node, isInside || node.id === id)
          : isInside && node === condition,
      )
    return holds(this.root.peek(), false)
  }

  /** Focuses a control of a part once it is drawn. */
  #focus(id: number, part: Part): void {
    requestAnimationFrame(() => {
      const node = this.#place?.querySelector(`[data-node="${id}"]`)
      const wanted = part === 'value' ? '[data-part=value] :is(' : ':is('
      const control =
        node?.querySelector<HTMLElement>(`${wanted}${CONTROLS})`) ??
        node?.querySelector<HTMLElement>(CONTROLS)
      control?.focus()
    })
  }
}

const CONTROLS =
  'vaadin-combo-box, vaadin-multi-select-combo-box, vaadin-text-field, vaadin-text-area, ' +
  'vaadin-date-picker, vaadin-date-time-picker, vaadin-time-picker, select, button'
