/** A definition of a report that a designer wrote: parsed, and compiled with the whole model. */
import { Lru } from '../../kernel/lru.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import type { ReportPlans } from '../../model/compile/query-plans.ts'
import type { Report } from '../../model/compiled/report.ts'
import type { Script } from '../../model/compiled/script.ts'
import type { CurrentModel } from '../../model/current.ts'
import type { Model } from '../../model/model.ts'
import type { Diagnostic } from '../../model/parse/element.ts'
import { refuseDefinition } from './report-kind.ts'
import type { ReportIssues } from './schema-designer.ts'
import { DEFINITION_FILE, parseDefinition } from '../versioned-documents/definition-text.ts'

/** A definition in the place of a stored report, with the model that it makes. */
interface CompiledDefinition {
  model: Model | undefined
  faults: readonly Diagnostic[]
  warnings: readonly Diagnostic[]
  plans: ReportPlans | undefined
}

/** A text that a user has written in place of the report `name`. */
interface PlacedText {
  body: string
  name: string
  userId: number
}

/** Recent compilations of drafts: a preview asks for structure, then for data. */
const PREVIEWS_KEPT = 4
const previews = new WeakMap<Model, Lru<string, CompiledDefinition>>()
/** One compilation at a time: callers with many wait for callers with few. */
const compiling = new Semaphore(1)

/**
 * Compiles the model with `script` in place of the report `name`, under that name whatever its own:
 * row filters and grants of the stored report are held against the datasets of the draft.
 */
async function compileInPlace(
  models: CurrentModel,
  script: Script,
  { name, userId }: PlacedText,
): Promise<CompiledDefinition> {
  const model = models.get()
  const kept = previews.getOrInsertComputed(
    model,
    () => new Lru<string, CompiledDefinition>(PREVIEWS_KEPT),
  )
  const key = `${name} ${script.versionHash}`
  const known = kept.find(key)
  if (known) return known
  const attributes = { ...script.element.attributes, Name: name }
  const placed = { ...script, name, element: { ...script.element, attributes } }
  const isPlace = ({ type, name: other }: Script): boolean => type === 'Report' && other === name
  const scripts = model.scripts.map((each) => (isPlace(each) ? placed : each))
  const work = async (): Promise<CompiledDefinition> => {
    const found = kept.find(key)
    if (found) return found
    const {
      model: whole,
      faults,
      warnings,
      plans,
    } = await models.compiler.compile(scripts, [], name)
    const own = whole && withReport(model, whole, name)
    return kept.keep(key, { model: own, faults, warnings, plans })
  }
  return compiling.run(work, String(userId))
}

/**
 * The serving model with another report in place, and with its roles, whose row filters were held
 * against that report. All else is shared: a second copy need not be kept.
 */
function withReport(served: Model, compiled: Model, name: string): Model {
  const reports = new Map(served.reports)
  const report = compiled.reports.get(name)
  if (report) reports.set(name, report)
  const properties = {
    ...Object.getOwnPropertyDescriptors(served),
    ...Object.getOwnPropertyDescriptors({ reports, roles: compiled.roles }),
  }
  return Object.freeze(Object.defineProperties({}, properties)) as Model
}

/** The report of a definition as a preview shows it: under its own name, by the stored grants. */
export async function requirePreview(
  models: CurrentModel,
  text: PlacedText,
): Promise<{ model: Model; report: Report }> {
  const { script, faults: parsed } = await parseDefinition('Report', text.body, text.userId)
  if (!script) throw refuseDefinition(parsed)
  const { model, faults } = await compileInPlace(models, script, text)
  const report = model?.reports.get(text.name)
  if (!model || !report) throw refuseDefinition(faults)
  return { model, report: { ...report, name: script.name } }
}

const toIssue =
  (Severity: 'error' | 'warning') =>
  ({ place, message }: Diagnostic) => ({
    Severity,
    Line: place.line,
    Column: place.column,
    Message: place.file === DEFINITION_FILE ? message : `${place.file}: ${message}`,
  })

/** Every fault and warning of a text in the place of a report, and the plan of each dataset. */
export async function validateDefinition(
  models: CurrentModel,
  text: PlacedText,
): Promise<ReportIssues> {
  const { script, faults } = await parseDefinition('Report', text.body, text.userId)
  if (!script) return { Issues: faults.map(toIssue('error')), Plans: [] }
  const compiled = await compileInPlace(models, script, text)
  const { plans = [], scans = [] } = compiled.plans ?? {}
  const warnings = [...compiled.warnings, ...scans].filter(
    ({ place }) => place.file === DEFINITION_FILE,
  )
  return {
    Issues: [...compiled.faults.map(toIssue('error')), ...warnings.map(toIssue('warning'))],
    Plans: plans.map(({ dataSet, steps }) => ({ DataSet: dataSet, Steps: [...steps] })),
  }
}
