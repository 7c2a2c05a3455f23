/** From the scripts of a model to the model that the engine serves, or to all of its faults. */
import { createHash } from 'node:crypto'
import { openGate } from '../../store/gate/gate.ts'
import { listChildren } from './attributes.ts'
import { Compilation } from './compilation.ts'
import { planComputes } from './compute.ts'
import { compileEntitySql } from './entity-sql.ts'
import { compileEntities } from './entity.ts'
import type { FaultyScript } from './faulty-scripts.ts'
import { compileNavbars } from './navbar.ts'
import { compilePrints } from './print.ts'
import { compileProcedures } from './procedure.ts'
import { declareRbac } from './rbac.ts'
import { compileReports } from './report.ts'
import { compileRoles } from './roles.ts'
import { compileRows } from './rows.ts'
import { checkScriptNames } from './script-names.ts'
import { compileTexts, listUntranslated, type Untranslated } from './texts.ts'
import { compileViewEvents, compileViewRules } from './view-rules.ts'
import { compileViews } from './view.ts'
import { compileWizards } from './wizard.ts'
import { warnUngranted } from './workflow-graph.ts'
import { compileWorkflows } from './workflow.ts'
import type { Script } from '../compiled/script.ts'
import { listDocumentVersions, listRecordScripts } from '../deploy/document-versions.ts'
import type { Model } from '../model.ts'
import type { Diagnostic } from '../parse/element.ts'
import { composeTable, ENGINE_DDL } from '../sql/ddl.ts'
import { planViewIndex } from '../view-index.ts'

/** The result of a compilation: the model if there are no faults, and all faults and warnings. */
export interface Compiled {
  model: Model | undefined
  faults: Diagnostic[]
  warnings: Diagnostic[]
  /** A warning for each text that one of the model's languages does not have. */
  untranslated: () => Untranslated[]
}

/**
 * Compiles all scripts of a model together, stored and new. It reports every fault, by file, line
 * and column, and never throws for the content of a script. Scripts with faults of their own, which
 * the caller reports, cause no faults by their absence. Pure but for a database in memory. It goes
 * on in turns of the event loop.
 */
export async function compileModel(
  scripts: readonly Script[],
  faulty: readonly FaultyScript[] = [],
): Promise<Compiled> {
  const c = declareScripts(scripts, faulty)
  const gate = await openGate([...ENGINE_DDL, ...planTables(c)])
  try {
    c.useGate(gate)
    const model = compileStatements(c)
    const faults = c.faults.faults()
    return {
      model: faults.length > 0 ? undefined : model,
      faults,
      warnings: c.faults.warnings(),
      untranslated: () => listUntranslated(c),
    }
  } finally {
    gate.close()
  }
}

/** Declares the scripts' names and entities; this needs no table. */
function declareScripts(scripts: readonly Script[], faulty: readonly FaultyScript[]): Compilation {
  const c = new Compilation(scripts, faulty)
  checkScriptNames(c)
  declareRbac(c)
  compileEntities(c)
  return c
}

/** The model without a script, which is served until the first deploy. */
export function emptyModel(): Model {
  const c = new Compilation([])
  compileEntities(c)
  const none = {
    rows: [],
    computes: [],
    procedures: new Map(),
    reports: new Map(),
    prints: new Map(),
    workflows: new Map(),
    navigation: [],
  }
  return toModel(c, { ...none, roles: new Map() })
}

function planTables(c: Compilation): string[] {
  const statements: string[] = []
  for (const entity of c.entities.values()) {
    if (!entity.builtIn) statements.push(composeTable(entity, c).create)
  }
  return statements
}

/** All that names tables, in the order in which one part needs the other. */
function compileStatements(c: Compilation): Model {
  compileEntitySql(c)
  const computes = planComputes(c)
  compileViews(c)
  compileViewRules(c)
  const workflows = compileWorkflows(c)
  compileViewEvents(c, workflows)
  compileWizards(c)
  c.finishViews()
  const procedures = compileProcedures(c)
  const reports = compileReports(c)
  const navigation = compileNavbars(c, { reports })
  const prints = compilePrints(c, reports)
  const roles = compileRoles(c)
  warnUngranted(c, workflows, roles)
  compileTexts(c)
  const rows = compileRows(c)
  checkMigrations(c)
  return toModel(c, {
    roles,
    rows,
    computes,
    procedures,
    reports,
    prints,
    workflows,
    navigation,
  })
}

/** Checks migrations but for their SQL, which the gate checks at their deploy, on stored tables. */
function checkMigrations(c: Compilation): void {
  for (const { element } of c.scriptsOf('Migration'))
    if (listChildren(element, 'Sql').length === 0)
      c.faults.add(element.place, 'A Migration needs a Sql')
}

/** Parts of a model beside entities and views. */
type CompiledParts =
  'roles' | 'rows' | 'computes' | 'procedures' | 'reports' | 'prints' | 'workflows' | 'navigation'

function toModel(c: Compilation, parts: Pick<Model, CompiledParts>): Model {
  for (const entity of c.entities.values()) Object.freeze(entity)
  for (const view of c.views.values()) Object.freeze(view)
  return Object.freeze({
    hash: hashScripts(c.scripts),
    recordHash: hashScripts(listRecordScripts(c.scripts)),
    documents: listDocumentVersions(c.scripts),
    scripts: c.scripts,
    entities: c.entities,
    entityByTable: c.entityByTable,
    views: c.views,
    viewByKey: c.viewByKey,
    viewIndex: planViewIndex(c.views.values()),
    capabilities: c.capabilities,
    attributes: c.attributes,
    sequences: c.sequences,
    ...parts,
    languages: c.scriptsOf('Texts').map((script) => script.name),
  })
}

/** MD5 over the hashes of scripts, whatever their order. */
export function hashScripts(scripts: readonly Script[]): string {
  const hashes = scripts.map((script) => script.versionHash).sort()
  return createHash('md5').update(hashes.join('\n')).digest('hex')
}
