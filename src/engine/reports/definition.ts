/** A definition of a report that a designer wrote: parsed, and compiled with the whole model. */
import { invalid, type Failure } from '../../kernel/failure.ts'
import { Lru } from '../../kernel/lru.ts'
import { say } from '../../kernel/messages.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import type { CurrentModel } from '../../model/current.ts'
import { formatDiagnostic, toWireFault } from '../../model/deploy-report.ts'
import type { Diagnostic } from '../../model/element.ts'
import type { Report } from '../../model/compiled/report.ts'
import type { Script } from '../../model/compiled/script.ts'
import type { Model } from '../../model/model.ts'
import type { ReportPlans } from '../../model/query-plans.ts'
import { DEFINITION_FILE, parseDefinition } from '../documents/definition-text.ts'
import type { ReportIssues } from './schema-designer.ts'

/** @throws invalid with every fault, the first one in its sentence */
export async function requireDefinition(body: string, userId: number): Promise<Script> {
  const { script, faults } = await parseDefinition('Report', body, userId)
  if (!script) throw refuseDefinition(faults)
  return script
}

/** The 400 of a definition with faults. */
export function refuseDefinition(faults: readonly Diagnostic[]): Failure {
  const first = faults[0] ? describe(faults[0]) : ''
  const text =
    faults.length === 1
      ? say`The report has a fault: ${first}`
      : say`The report has ${faults.length} faults, the first: ${first}`
  return invalid(text, { code: 'REPORT_FAULTS', members: { faults: faults.map(toWireFault) } })
}

/** Line and column of the text itself; of another script its file, too. */
const describe = (fault: Diagnostic): string =>
  formatDiagnostic(fault).replace(`${DEFINITION_FILE}:`, '')

/** A definition in the place of a stored report, with the model that it makes. */
export interface CompiledDefinition {
  model: Model | undefined
  faults: readonly Diagnostic[]
  warnings: readonly Diagnostic[]
  plans: ReportPlans | undefined
}

/** A text that a user has written for the place of the report `name`. */
export interface PlacedText {
  body: string
  name: string
  userId: number
}

/** Compilations of drafts lately asked for: a preview asks for structure, then for data. */
const PREVIEWS_KEPT = 4
const previews = new WeakMap<Model, Lru<string, CompiledDefinition>>()
/** Whoever asks for many waits for whoever asks for few. */
const compiling = new Semaphore(1)

/**
 * Compiles the model with `script` in the place of the report `name`, under that name whatever its
 * own: row filters and grants of the stored report are held against the datasets of the draft.
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
 * The model that serves with a report of another one, and with its roles, whose row filters were
 * held against the report. All else is the same in both: a second copy of it need not be kept.
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
  const script = await requireDefinition(text.body, text.userId)
  const { model, faults } = await compileInPlace(models, script, text)
  const report = model?.reports.get(text.name)
  if (!model || !report) throw refuseDefinition(faults)
  return { model, report: { ...report, name: script.name } }
}

const toIssue =
  (Severity: 'error' | 'warning') =>
  ({ place, message }: Diagnostic) => ({
    ...{ Severity, Line: place.line, Column: place.column },
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
