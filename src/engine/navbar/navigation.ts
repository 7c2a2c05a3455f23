/** The navigation as a caller sees it: items that their rights open, and the groups left. */
import { Lru } from '../../kernel/lru.ts'
import type { NavbarItem } from '../../model/compiled/navbar.ts'
import type { Verb } from '../../model/compiled/role.ts'
import { VIEW_TYPES } from '../../model/compiled/view.ts'
import type { Model } from '../../model/model.ts'
import { Grant } from '../../access/rights/grant.ts'
import type { Extensions, LoadedExtensions } from '../extensions/extensions.ts'
import { DESIGNER_SQL } from '../floor.ts'
import { type BadgeStatement, planBadge } from './badge-statement.ts'
import type { CountReader } from './counted-rows.ts'
import { type TableSet, toTableSet } from '../object/read/table-set.ts'
import { findPrintedReport } from '../printed-reports/find-printed-report.ts'
import type { ReportCall } from '../printed-reports/printed-report.ts'
import { findReport } from '../report-pages/find-report.ts'

/** An item that is shown, with its shown items. */
export interface ShownItem {
  item: NavbarItem
  items: readonly ShownItem[]
}

/** The navigation of callers of the same roles. */
export interface Navigation {
  items: readonly ShownItem[]
  badges: readonly BadgeStatement[]
  /** The tables that the badges read. */
  tables: TableSet
}

/** The parts that the navigation is made with. */
export type NavigationEngine = ReportCall['engine'] & { readonly extensions: Extensions }

type Reports = LoadedExtensions['reports']

const NO_REPORTS: Reports = new Map()
/** Sets of roles that navigations are kept for. */
const ROLES_KEPT = 500

const kept = new WeakMap<Model, WeakMap<Reports, Lru<string, Navigation>>>()

/** Returns the navigation of the caller's roles; planned once for each set of them. */
export async function findNavigation(
  engine: NavigationEngine,
  reader: CountReader,
): Promise<Navigation> {
  const { model, caller } = reader
  const isExtended = listItems(model.navigation).some((item) => isOfExtension(model, item))
  const reports = isExtended ? (await engine.extensions.load()).reports : NO_REPORTS
  const known = kept
    .getOrInsertComputed(model, () => new WeakMap<Reports, Lru<string, Navigation>>())
    .getOrInsertComputed(reports, () => new Lru<string, Navigation>(ROLES_KEPT))
  const roles = caller.roles.join('\n')
  return known.find(roles) ?? known.keep(roles, planNavigation({ ...reader, engine, reports }))
}

/** True for a report of an extension, which the model does not know. */
const isOfExtension = (model: Model, { target }: NavbarItem): boolean =>
  target?.reportKind === 'Document' && findPrintedReport(model, target.target) === undefined

interface Rights extends CountReader {
  engine: NavigationEngine
  reports: Reports
}

function planNavigation(rights: Rights): Navigation {
  const items = listShown(rights, rights.model.navigation)
  const shown = items.flatMap(listAll)
  const isReportWhole = rights.engine.settings.get(DESIGNER_SQL) === 'All'
  const badges = shown.flatMap((item) => planBadge({ ...rights, isReportWhole }, item) ?? [])
  return { items, badges, tables: toTableSet(badges.flatMap(({ tables }) => tables)) }
}

const listAll = ({ item, items }: ShownItem): NavbarItem[] => [item, ...items.flatMap(listAll)]

const listItems = (items: readonly NavbarItem[]): NavbarItem[] =>
  items.flatMap((item) => [item, ...listItems(item.items)])

/** A link shows by its target, a group when any of its items shows. */
function listShown(rights: Rights, items: readonly NavbarItem[]): ShownItem[] {
  return items.flatMap((item): ShownItem[] => {
    const { target } = item
    if (target) return isOpen(rights, target) ? [{ item, items: [] }] : []
    const own = listShown(rights, item.items)
    return own.length > 0 ? [{ item, items: own }] : []
  })
}

/** True when the caller passes the gate of the item's target. */
function isOpen(rights: Rights, target: NonNullable<NavbarItem['target']>): boolean {
  if (target.kind === 'Url') return true
  return target.kind === 'Report' ? isReport(rights, target.target) : isView(rights, target.target)
}

/**
 * A grid opens with View, a wizard with Create. A form opens for a new record: to see it takes View
 * or Update, to submit it Create.
 */
function isView({ caller, model }: Rights, key: string): boolean {
  const view = model.viewByKey.get(key.toLowerCase())
  const may = (verb: Verb): boolean =>
    view !== undefined && Grant.find(caller, model, view.resource, verb) !== undefined
  if (!view) return false
  const { hasSteps, opensNew } = VIEW_TYPES[view.viewType]
  if (hasSteps) return may('Create')
  if (!opensNew) return may('View')
  return (may('View') || may('Update')) && (view.entity === undefined || may('Create'))
}

function isReport({ engine, caller, model, reports }: Rights, key: string): boolean {
  const mayList = (resource: string): boolean =>
    Grant.find(caller, model, resource, 'List') !== undefined
  const page = findReport(model, key)
  if (page) return mayList(page.name)
  const printed = findPrintedReport(model, key)
  if (printed) return printed.isListed({ engine, caller, model })
  const declared = reports.get(key.toLowerCase())
  return declared !== undefined && mayList(declared.part.Resource)
}
