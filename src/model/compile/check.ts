/** Checks model files without a database: parse, compile, gate, each grid's query plan. */
import { openGate, type SqlGate } from '../../store/gate/gate.ts'
import { listZoneAliases } from '../../store/read/zone-table.ts'
import { compileModel } from './compile.ts'
import { sortFaults } from './fault-list.ts'
import type { Untranslated } from './texts.ts'
import { findWide } from './wide-entities.ts'
import { type View, VIEW_TYPES } from '../compiled/view.ts'
import { findRepeats } from '../deploy/catalog-plan.ts'
import { planRows } from '../deploy/rows-plan.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import type { Model } from '../model.ts'
import type { Diagnostic } from '../parse/element.ts'
import { type ModelFile, parseModelFiles } from '../parse/parse.ts'
import { composeTable, ENGINE_DDL } from '../sql/ddl.ts'
import { quote } from '../sql/quote.ts'
import { planShadows, withShadows } from '../sql/shadow.ts'
import { composeTextOrder, isColumnOrdered, isLongText } from '../sql/text-order.ts'

/** A grid's query plan as SQLite gives it, a line a step, nested steps indented. */
interface GridPlan {
  view: string
  plan: readonly string[]
}

interface CheckResult {
  faults: readonly Diagnostic[]
  /** Warnings of all but missing texts. */
  warnings: readonly Diagnostic[]
  untranslated: readonly Untranslated[]
  plans: readonly GridPlan[]
}

const NOTHING_ELSE: Omit<CheckResult, 'faults'> = { warnings: [], untranslated: [], plans: [] }

/** Checks files by themselves, as a first deploy of them would; touches nothing. */
export async function checkModel(files: readonly ModelFile[]): Promise<CheckResult> {
  const parsed = await parseModelFiles(files)
  const faults = parsed.flatMap((file) => file.faults)
  const faulty = parsed.flatMap((file) => file.faulty)
  const scripts = parsed.flatMap((file) => file.scripts)
  const { model, ...compiled } = await compileModel(scripts, faulty)
  // Warnings beside scripts that were not compiled would be guesses.
  if (faults.length > 0) {
    const all = [...faults, ...compiled.faults, ...findRepeats(scripts)]
    return { ...NOTHING_ELSE, faults: sortFaults(all) }
  }
  const rows = model ? planRows(model).faults : []
  const wide = model ? findWide(model) : []
  const all = [...compiled.faults, ...findRepeats(scripts), ...rows, ...wide]
  if (model === undefined || all.length > 0) {
    return { ...NOTHING_ELSE, faults: all, warnings: compiled.warnings }
  }
  const gate = await openGate(planTables(model))
  try {
    const plans = listGrids(model).map((view) => explainGrid(view, model, gate))
    const scans = plans.flatMap(({ view, plan }) => findScans(view, plan))
    return {
      faults: [],
      warnings: [...compiled.warnings, ...findTellingKeys(model), ...scans],
      untranslated: compiled.untranslated(),
      plans: plans.map(({ view, plan }) => ({ view: view.name, plan })),
    }
  } finally {
    gate.close()
  }
}

/**
 * Finds keys that reveal other companies' records: keys are shared by all companies, so that a
 * refused key shows that another company has it. Keys from the engine, or of a reference to a
 * company's record, reveal nothing.
 */
function findTellingKeys({ entities }: Model): Diagnostic[] {
  return [...entities.values()].flatMap(({ name, company, keys }) => {
    const isQuiet = keys.some(({ name: key, identity, type, references }) => {
      const isOwn = references !== undefined && entities.get(references)?.company !== undefined
      return identity || FIELD_KINDS[type].key === 'generated' || isOwn || key === company
    })
    const [key] = keys
    if (company === undefined || isQuiet || !key) return []
    const message =
      `The key of ${name} does not include ${company}: a key that another company uses is ` +
      `refused, which reveals it. Make ${company} a Key too, or give ${name} an Identity key and ` +
      `make ${key.name} Unique`
    return [{ place: key.place, message }]
  })
}

/** Returns the SQL that makes the tables of a model and those of the engine, without rows. */
export function planTables(model: Model): string[] {
  const entities = [...model.entities.values()].filter((entity) => !entity.builtIn)
  const tables = entities.map((entity) => composeTable(entity, model))
  return [
    ...ENGINE_DDL,
    ...tables.flatMap(({ create, indexes }) => [create, ...indexes.map(({ sql }) => sql)]),
  ]
}

/** Views whose rows are listed: all but wizards, which have none. */
const listGrids = (model: Model): View[] =>
  [...model.views.values()].filter((view) => !VIEW_TYPES[view.viewType].hasSteps)

function explainGrid(view: View, model: Model, gate: SqlGate): { view: View; plan: string[] } {
  const order = planOrder(view)
  const sorted = order.length === 0 ? '' : ` ORDER BY ${order.join(', ')}`
  const page = `SELECT * FROM (\n${view.query.text}\n)`
  const shadow = (tables: readonly string[]): string =>
    withShadows(planShadows(model, tables, 'company'))
  return { view, plan: gate.explain(page, shadow, `${sorted} LIMIT 50`) }
}

/** Plans the order of a served grid: its sort, then its key in the direction of the last column. */
function planOrder(view: View): string[] {
  const direction = view.sort.at(-1)?.direction ?? 'asc'
  const names = new Set(view.sort.map(({ field }) => field.toLowerCase()))
  const keys = view.keys.filter((key) => !names.has(key.name.toLowerCase()))
  const isTie = (name: string): boolean =>
    !names.has(name.toLowerCase()) && name !== items[0]?.field
  const items = [...view.sort, ...keys.map((key) => ({ field: key.name, direction }))]
  return items.map((item) => {
    const field = view.fieldByName.get(item.field.toLowerCase())
    // No index gives the order of labels, as none gives that of an expression.
    if (field?.labelOf !== undefined) return `(${quote(field.labelOf)} || '') ${item.direction}`
    const { column } = field ?? {}
    const sql =
      column && isColumnOrdered(column) && !isTie(item.field)
        ? composeTextOrder(quote(item.field), isLongText(column))
        : quote(item.field)
    return `${sql} ${item.direction}`
  })
}

/**
 * A table that is read from end to end for each page: one that is scanned within a join, or whose
 * rows are all sorted. The outermost table in the order of an index stops at the page's end.
 */
function findScans(view: View, plan: readonly string[]): Diagnostic[] {
  const isSorted = plan.some((step) => /USE TEMP B-TREE FOR ORDER BY/.test(step))
  const zones = listZoneAliases(view.query.text)
  const steps = plan.filter((step) => /^\s*(SCAN|SEARCH) /.test(step))
  return steps.flatMap((step, at) => {
    const [, table] = /^\s*SCAN (\S+)(?! CONSTANT ROW)/.exec(step) ?? []
    if (
      table === undefined ||
      zones.has(table) ||
      (at === 0 && !isSorted) ||
      /VIRTUAL TABLE/.test(step)
    )
      return []
    const message = `${view.name} reads all of ${table} for each page: an Index would avoid that`
    const place = view.isGenerated ? view.place : view.query.place
    return [{ place, message: `${message} (${step.trim()})` }]
  })
}
