/** Fields of a wizard's step: declared, or those of an entity that a form would write. */
import { listChildren, placeOf, readFlag, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { compileFeatures } from './features.ts'
import { compileFieldConditions } from './field-condition.ts'
import { findReserved } from './parameters.ts'
import type { Column, Entity } from '../compiled/entity.ts'
import type { FieldFeatures } from '../compiled/field-features.ts'
import { type Step, STEP_KINDS, type StepField, type StepKind } from '../compiled/wizard.ts'
import type { Element } from '../parse/element.ts'

/** The names that the steps so far bind. */
export class GivenNames {
  /** Names of every step, by lower-case name, with the step that has them. */
  readonly taken = new Map<string, string>()
  /** Fields whose values are bound one by one. */
  readonly fields = new Map<string, StepField>()
  readonly #whole: string[] = []

  add({ name, kind, fields }: Step): void {
    for (const field of fields) {
      this.taken.set(field.name.toLowerCase(), name)
      if (STEP_KINDS[kind].binds === 'fields') this.fields.set(field.name.toLowerCase(), field)
    }
    if (STEP_KINDS[kind].binds !== 'whole') return
    this.taken.set(name.toLowerCase(), name)
    this.#whole.push(name)
  }

  names(): string[] {
    return [...[...this.fields.values()].map(({ name }) => name), ...this.#whole]
  }
}

/** The wizard and step that the fields belong to. */
interface StepScope {
  /** The entity of the wizard. */
  entity: Entity | undefined
  element: Element
  kind: StepKind
  /** Names that earlier steps bind. */
  given: GivenNames
}

/** Attributes of a Field about grids, lists of keys and search, which no step has. */
const NOT_OF_STEPS = ['Searchable', 'In', 'Through']

/** Declared fields first, in their order; with an Entity the rest of its columns, unless Only. */
export function compileStepFields(c: Compilation, scope: StepScope): StepField[] {
  const { entity, element, kind, given } = scope
  if (STEP_KINDS[kind].asksByQuery || STEP_KINDS[kind].isSummary) return []
  const named = readText(element, 'Entity')
  const generated = named === undefined ? undefined : c.findEntity(named, element, 'Entity')
  const base = generated ?? entity
  const children = listFieldElements(element, generated)
  checkNames(c, children, scope)
  const own = children.map((child) => readText(child, 'Name') ?? '')
  const names = () => [...given.names(), ...own]
  const fields = new Map<string, FieldFeatures>(given.fields)
  const features = children.map((child) => {
    const column = base?.columnByName.get((readText(child, 'Name') ?? '').toLowerCase())
    const made = compileFeatures(c, child, { ...(column && { base: column }), names })
    fields.set(made.name.toLowerCase(), made)
    return made
  })
  return features.map((feature, at) => {
    const child = children[at] ?? element
    return {
      ...feature,
      ...compileFieldConditions(c, child, { owner: 'The wizard', fields }),
      multiple: readFlag(child, 'Multiple') ?? false,
      readOnly: readFlag(child, 'ReadOnly') ?? false,
    }
  })
}

/** Lists the elements of the fields; for undeclared columns an element with the name only. */
function listFieldElements(element: Element, generated: Entity | undefined): Element[] {
  const declared = listChildren(element, 'Field')
  if (!generated || readFlag(element, 'Only')) return declared
  const taken = new Set(declared.map((child) => readText(child, 'Name')?.toLowerCase()))
  const rest = generated.columns.filter(
    (column) => isAsked(column, generated) && !taken.has(column.name.toLowerCase()),
  )
  const { place } = element
  const plain = { name: 'Field', children: [], text: '', place }
  return [...declared, ...rest.map(({ name }) => ({ ...plain, attributes: { Name: name } }))]
}

/** A column that a form asks for in a new record, unlike those that the engine fills itself. */
function isAsked(column: Column, { company }: Entity): boolean {
  const { kind, name, identity, compute, sequence } = column
  if (kind !== 'declared' || name === company || identity) return false
  return compute === undefined && sequence === undefined
}

function checkNames(c: Compilation, children: readonly Element[], scope: StepScope): void {
  const { element, given, kind } = scope
  const step = readText(element, 'Name') ?? ''
  const bound = STEP_KINDS[kind].hasRows ? step.toLowerCase() : undefined
  if (bound !== undefined && given.taken.has(bound)) {
    const message = `${step} is a field of an earlier step: a step with Repeat binds its own name`
    c.faults.add(placeOf(element, 'Name'), message)
  }
  for (const child of children) {
    const name = readText(child, 'Name') ?? ''
    const key = name.toLowerCase()
    const refuse = (message: string) => c.faults.add(placeOf(child, 'Name'), message)
    if (given.taken.has(key)) refuse(`An earlier step has the field ${name} already`)
    else if (key === bound) refuse(`${name} is the name of the step, which binds its rows`)
    const reserved = findReserved(name, c)
    if (reserved !== undefined) refuse(`@${name} is ${reserved}: choose another name`)
    for (const attribute of NOT_OF_STEPS)
      if (readText(child, attribute) !== undefined)
        c.faults.add(placeOf(child, attribute), `${attribute} does not belong to a wizard’s step`)
  }
}
