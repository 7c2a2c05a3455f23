/** A definition of a report that a designer wrote: parsed, and compiled with the whole model. */
import { invalid } from '../../kernel/failure.ts'
import { Lru } from '../../kernel/lru.ts'
import { say } from '../../kernel/messages.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import { compileHere } from '../../model/compile-scripts.ts'
import type { CurrentModel } from '../../model/current.ts'
import { formatDiagnostic, toWireFault } from '../../model/deploy-report.ts'
import type { Diagnostic } from '../../model/element.ts'
import type { Model, Report, Script } from '../../model/model.ts'
import { parseModelFile } from '../../model/parse.ts'

/** The name by which faults call the text itself. */
const DEFINITION_FILE = 'definition.xml'

/** A definition as it was parsed: one script, or faults. */
export interface ParsedDefinition {
  script: Script | undefined
  faults: readonly Diagnostic[]
}

/** Parses a definition, which is one Report and nothing else. */
export async function parseDefinition(body: string): Promise<ParsedDefinition> {
  const { scripts, faults, faulty } = await parseModelFile({ name: DEFINITION_FILE, body })
  const [script] = scripts
  if (faults.length > 0) return { script: undefined, faults }
  const isOne = script?.type === 'Report' && script.body === body && scripts.length === 1
  if (isOne && faulty.length === 0) return { script, faults: [] }
  const place = { file: DEFINITION_FILE, line: 1, column: 1 }
  return { script: undefined, faults: [{ place, message: 'A definition is one Report' }] }
}

/** @throws invalid with every fault, the first one in its sentence */
export async function requireDefinition(body: string): Promise<Script> {
  const { script, faults } = await parseDefinition(body)
  if (!script) throw refuseDefinition(faults)
  return script
}

/** The 400 of a definition with faults. */
export const refuseDefinition = (faults: readonly Diagnostic[]) =>
  invalid(
    say`The report has ${faults.length} faults, the first: ${faults[0] ? describe(faults[0]) : ''}`,
    { code: 'REPORT_FAULTS', members: { faults: faults.map(toWireFault) } },
  )

/** Line and column of the text itself; of another script its file, too. */
const describe = (fault: Diagnostic): string =>
  formatDiagnostic(fault).replace(`${DEFINITION_FILE}:`, '')

/** A definition in the place of a stored report, with the model that it makes. */
export interface CompiledDefinition {
  model: Model | undefined
  faults: readonly Diagnostic[]
  warnings: readonly Diagnostic[]
}

/** Compilations of drafts lately asked for: a preview asks for structure, then for data. */
const PREVIEWS_KEPT = 4
const previews = new WeakMap<Model, Lru<string, CompiledDefinition>>()
const compiling = new Semaphore(1)

/**
 * Compiles the model with `script` in the place of the report `name`, under that name whatever its
 * own: row filters and grants of the stored report are held against the datasets of the draft.
 */
export async function compileInPlace(
  models: CurrentModel,
  script: Script,
  name: string,
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
  const compile = models.compile ?? compileHere
  return kept.keep(key, await compiling.run(async () => compile(scripts, [])))
}

/** The report of a definition as a preview shows it: under its own name, by the stored grants. */
export async function requirePreview(
  models: CurrentModel,
  body: string,
  name: string,
): Promise<{ model: Model; report: Report }> {
  const script = await requireDefinition(body)
  const { model, faults } = await compileInPlace(models, script, name)
  const report = model?.reports.get(name)
  if (!model || !report) throw refuseDefinition(faults)
  return { model, report: { ...report, name: script.name } }
}

const toIssue =
  (Severity: 'error' | 'warning') =>
  ({ place, message }: Diagnostic) => ({
    ...{ Severity, Line: place.line, Column: place.column },
    Message: place.file === DEFINITION_FILE ? message : `${place.file}: ${message}`,
  })

/** Every fault and warning of a text in the place of a report. */
export async function listIssues(models: CurrentModel, body: string, name: string) {
  const { script, faults } = await parseDefinition(body)
  if (!script) return faults.map(toIssue('error'))
  const compiled = await compileInPlace(models, script, name)
  const warnings = compiled.warnings.filter(({ place }) => place.file === DEFINITION_FILE)
  return [...compiled.faults.map(toIssue('error')), ...warnings.map(toIssue('warning'))]
}
