/** Navbars: their items, joined to one navigation. */
import { findChild, listChildren, placeOf, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { CONTEXT_ONLY } from './parameters.ts'
import { compileScalar, textSource } from './sql.ts'
import { compileTarget } from './targets.ts'
import type { AuthoredSql } from '../compiled/authored-sql.ts'
import type { Badge, NavbarItem } from '../compiled/navbar.ts'
import type { Script } from '../compiled/script.ts'
import { VIEW_TYPES } from '../compiled/view.ts'
import type { ModelText } from '../model-text.ts'
import type { Model } from '../model.ts'
import { toWords } from '../names.ts'
import type { Element } from '../parse/element.ts'
import { isFieldOf, isOnSurface } from '../view-index.ts'

/** The model's parts that label items without a label: reports, beside the views. */
type Labelled = Pick<Model, 'reports'>

/** An item that further Navbars may still add to. */
interface OpenItem extends NavbarItem {
  items: OpenItem[]
}

/** Place of a named item: its siblings, and the Navbar that had it first. */
interface Seat {
  beside: OpenItem[]
  item: OpenItem
  navbar: string
}

/**
 * Joins the items of all Navbars in the order of the Navbars' names. Groups of the same name at the
 * same place are one: its label and icon are those of the first, its items follow each other.
 */
export function compileNavbars(c: Compilation, labelled: Labelled): NavbarItem[] {
  const items: OpenItem[] = []
  const navbars = new Navbars(c, labelled)
  for (const script of c.scriptsOf('Navbar')) navbars.add(script, script.element, items)
  return items
}

class Navbars {
  readonly #c: Compilation
  readonly #labelled: Labelled
  readonly #seats = new Map<string, Seat>()

  constructor(c: Compilation, labelled: Labelled) {
    this.#c = c
    this.#labelled = labelled
  }

  /** Adds the items of an element of a Navbar behind the existing ones. */
  add(navbar: Script, element: Element, to: OpenItem[]): void {
    for (const child of listChildren(element, 'Item')) {
      const item = this.#compile(child)
      const seat = this.#seats.get(item.name)
      if (!seat) {
        this.#seats.set(item.name, { beside: to, item, navbar: navbar.name })
        to.push(item)
        this.add(navbar, child, item.items)
      } else {
        this.#requireContinued(seat, child, item, to)
        this.add(navbar, child, seat.item.items)
      }
    }
  }

  /** A name is one item's; a further Navbar may go on with a group. */
  #requireContinued(seat: Seat, child: Element, { target, badge }: OpenItem, to: OpenItem[]): void {
    const isGroup = target === undefined && seat.item.target === undefined
    const { name } = seat.item
    if (!isGroup || seat.beside !== to) {
      const message = `Navbar ${seat.navbar} already has an Item ${name}, which names its badge`
      this.#c.faults.add(placeOf(child, 'Name'), message)
    } else if (badge) {
      const message = `The Badge of the group ${name} belongs in Navbar ${seat.navbar}, its first`
      this.#c.faults.add(findChild(child, 'Badge')?.place ?? child.place, message)
    }
  }

  #compile(element: Element): OpenItem {
    const c = this.#c
    const name = readText(element, 'Name') ?? ''
    const target = compileTarget(c, element)
    const isGroup = findChild(element, 'Item') !== undefined
    if (target && isGroup)
      c.faults.add(element.place, 'An Item is either a group or a link, not both')
    if (!target && !isGroup)
      c.faults.add(
        element.place,
        'An Item needs a target (Object, Report, Wizard or Url) or Items in it',
      )
    const base = (target && this.#findLabel(target)) ?? toWords(name)
    const parts = { label: c.labelOf(element, base), icon: readText(element, 'Icon') }
    return { name, ...parts, target, badge: compileBadge(c, element), items: [] }
  }

  /** Returns the label of the target; undefined where only an extension knows. */
  #findLabel({ kind, target }: NonNullable<NavbarItem['target']>): ModelText | undefined {
    if (kind === 'Url') return undefined
    const key = target.toLowerCase()
    if (kind !== 'Report') return this.#c.viewByKey.get(key)?.label
    const script = this.#c.reportByKey.get(key)
    return script && this.#labelled.reports.get(script.name)?.label
  }
}

function compileBadge(c: Compilation, element: Element): Badge | undefined {
  const badge = findChild(element, 'Badge')
  const sql = badge && compileScalar(c, textSource(c, badge), CONTEXT_ONLY)
  if (!sql) return undefined
  warnOfUnserved(c, badge, sql)
  return { kind: readText(badge, 'Kind') === 'Dot' ? 'Dot' : 'Count', sql }
}

/** Warns of a column that no view of its entity serves: only System has the badge then. */
function warnOfUnserved(c: Compilation, badge: Element, { cells }: AuthoredSql): void {
  const views = [...c.views.values()].filter(({ viewType }) => !VIEW_TYPES[viewType].hasSteps)
  for (const entity of c.entities.values())
    for (const column of entity.builtIn ? [] : entity.columns) {
      const cell = `${entity.table}.${column.name}`.toLowerCase()
      const isOfEach = column.key || column.kind === 'stamp' || column.name === entity.company
      if (isOfEach || !cells.some((each) => each.toLowerCase() === cell)) continue
      const own = views.filter((view) => view.entity === entity)
      if (own.length === 0 && column.references !== undefined) continue
      const isServed = own.some((view) =>
        view.fields.some(
          (field) => isFieldOf(view, field, { entity, column }) && isOnSurface(view, field),
        ),
      )
      if (!isServed)
        c.faults.warn(
          badge.place,
          `No view serves ${entity.name}.${column.name}: only System sees a badge that reads it`,
        )
    }
}
