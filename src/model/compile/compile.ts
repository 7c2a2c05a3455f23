/** From the scripts of a model to the model that the engine serves, or to all of its faults. */
import { createHash } from 'node:crypto'
import { openGate } from '../../store/gate.ts'
import { ENGINE_DDL, planTable } from '../ddl.ts'
import type { Fault } from '../element.ts'
import type { Model, Script } from '../model.ts'
import { Compilation } from './compilation.ts'
import { compileEntities } from './entity.ts'
import { planComputes } from './compute.ts'
import { compileEntitySql } from './entity-sql.ts'
import { type AskedGate, ForgottenError, recallGate, RememberingGate } from './gate-memory.ts'
import { compileNavbars } from './navbar.ts'
import { compileProcedures } from './procedure.ts'
import { declareRbac } from './rbac.ts'
import { compileReports } from './report.ts'
import { compileRoles } from './roles.ts'
import { compileRows } from './rows.ts'
import { checkScriptNames } from './script-names.ts'
import { checkTranslations, listUntranslated } from './texts.ts'
import { allowTranslation } from './translate.ts'
import type { Translation } from './translation.ts'
import { compileViewRules } from './view-rules.ts'
import { compileViews } from './view.ts'
import { compileWizards } from './wizard.ts'
import { compileWorkflows } from './workflow.ts'

/** What a compilation gives: the model when there is no fault, and all faults and warnings. */
export interface Compiled {
  model: Model | undefined
  faults: Fault[]
  warnings: Fault[]
  /** A warning for each text that one of the model's languages does not have. */
  untranslated: () => Fault[]
  /** What the gate said, as text: with it the same scripts compile again without the gate. */
  remember: () => string
}

/**
 * Compiles all scripts of a model together, those stored and those new. It tells every fault, by
 * file, line and column, and never throws for what a script holds. Pure but for a database in
 * memory, which it does without when `memory` is what an earlier compilation of these scripts
 * remembered.
 */
export async function compileModel(scripts: readonly Script[], memory?: string): Promise<Compiled> {
  const recalled = recallGate(memory, scripts)
  if (recalled) {
    try {
      const c = declareScripts(scripts)
      return finish(c, recalled, { remember: () => memory ?? '', recall: () => recalled })
    } catch (error) {
      if (!(error instanceof ForgottenError)) throw error
    }
  }
  const c = declareScripts(scripts)
  const gate = await openGate([...ENGINE_DDL, ...planTables(c)])
  try {
    const remembering = new RememberingGate(gate)
    return finish(c, remembering, {
      remember: () => remembering.remember(scripts),
      recall: () => remembering.recall(),
    })
  } finally {
    gate.close()
  }
}

/** What needs no table: names, declarations, and the entities themselves. */
function declareScripts(scripts: readonly Script[], translation?: Translation): Compilation {
  const c = new Compilation(scripts, translation)
  checkScriptNames(c)
  declareRbac(c)
  compileEntities(c)
  return c
}

/** What the gate said, once more. */
interface GateMemory {
  remember: () => string
  recall: () => AskedGate
}

function finish(c: Compilation, gate: AskedGate, { remember, recall }: GateMemory): Compiled {
  c.useGate(gate)
  const model = compileStatements(c)
  const faults = c.faults.faults()
  const warnings = c.faults.warnings()
  const untranslated = () => listUntranslated(c)
  if (faults.length > 0) return { model: undefined, faults, warnings, untranslated, remember }
  const recalled = recall()
  allowTranslation(model, (scripts, translation) => {
    const translated = declareScripts(scripts, translation)
    translated.useGate(recalled)
    const made = compileStatements(translated)
    return translated.faults.faults().length === 0 ? made : undefined
  })
  return { model, faults, warnings, untranslated, remember }
}

/** The model without a script, which is served until the first deploy. */
export function emptyModel(): Model {
  const c = new Compilation([])
  compileEntities(c)
  return toModel(c, { roles: new Map(), rows: [], computes: [] })
}

function planTables(c: Compilation): string[] {
  const entities = [...c.entities.values()].filter((entity) => !entity.builtIn)
  return entities.map((entity) => planTable(entity, c).create)
}

/** All that names tables, in the order in which one part needs the other. */
function compileStatements(c: Compilation): Model {
  compileEntitySql(c)
  const computes = planComputes(c)
  compileViews(c)
  compileViewRules(c)
  compileWizards(c)
  c.finishViews()
  compileProcedures(c)
  compileNavbars(c)
  compileReports(c)
  compileWorkflows(c)
  if (!c.translation) checkTranslations(c)
  return toModel(c, { roles: compileRoles(c), rows: compileRows(c), computes })
}

function toModel(
  c: Compilation,
  { roles, rows, computes }: Pick<Model, 'roles' | 'rows' | 'computes'>,
): Model {
  for (const entity of c.entities.values()) Object.freeze(entity)
  for (const view of c.views.values()) Object.freeze(view)
  return Object.freeze({
    hash: hashScripts(c.scripts),
    scripts: c.scripts,
    entities: c.entities,
    entityByTable: c.entityByTable,
    views: c.views,
    viewByKey: c.viewByKey,
    roles,
    capabilities: c.capabilities,
    attributes: c.attributes,
    sequences: c.sequences,
    computes,
    rows,
    languages: c.scriptsOf('Texts').map((script) => script.name),
  })
}

/** MD5 over the hashes of all scripts, whatever their order. */
function hashScripts(scripts: readonly Script[]): string {
  const hashes = scripts.map((script) => script.versionHash).sort()
  return createHash('md5').update(hashes.join('\n')).digest('hex')
}
