/** A change of rights at run time: prepared beside the writer, carried out as one small write. */
import type { Reader, Tx } from '../../../store/store.ts'
import type { Script, ScriptType } from '../../compiled/script.ts'
import {
  type CatalogPlan,
  findRepeats,
  planCatalog,
  saveCatalog,
} from '../../deploy/catalog-plan.ts'
import {
  type Execution,
  loadDeployedRbac,
  loadScriptNames,
  type ScriptVersion,
} from '../../deploy/catalog.ts'
import { saveFact } from '../../deploy/facts.ts'
import { overtaken } from '../../deploy/overtaken.ts'
import type { Model } from '../../model.ts'
import type { Diagnostic } from '../../parse/element.ts'
import { type ModelFile, parseModelFiles } from '../../parse/parse.ts'
import { planRbacDeploy, replacesAlone } from '../deploy.ts'
import { compileRights, toRights, withRights } from './compile-rights.ts'
import { findBase, noteBase, RIGHTS_FACT, writeRights } from './rights-snapshot.ts'
import { unshareViews } from '../shared-views.ts'
import { readWhole } from '../../snapshot/model-snapshot.ts'

/** Rights that are ready to serve. */
export interface PreparedRights {
  kind: 'rights'
  catalog: CatalogPlan
  model: Model
  warnings: readonly Diagnostic[]
}

/**
 * Prepares files that change nothing but rights of the model that serves; undefined for others and
 * for files with faults, which a deploy of the whole model reports.
 */
export async function prepareRights(
  reader: Reader,
  served: Model,
  { files, parsed }: { files: readonly ModelFile[]; parsed: readonly Script[] | undefined },
  prune: boolean | ScriptType,
): Promise<PreparedRights | undefined> {
  const given = parsed ?? (await parseWhole(files))
  const isRbacAlone = given?.every(({ type }) => type === 'Rbac') && prune !== true
  if (!given || !isRbacAlone || findRepeats(given).length > 0) return undefined
  if (!isSameCatalog(await loadScriptNames(reader), served.scripts)) return undefined
  const catalog = await planRights(reader, served, given, prune)
  if (!catalog) return undefined
  await readWhole(served)
  const compiled = compileRights(served, catalog.scripts)
  if (!compiled) return undefined
  const model = withRights(served, toRights(compiled.roles, catalog.scripts))
  noteBase(model, findBase(served))
  return { kind: 'rights', catalog, model, warnings: compiled.warnings }
}

/** The scripts of files; undefined where one of them has a fault. */
async function parseWhole(files: readonly ModelFile[]): Promise<Script[] | undefined> {
  const parsed = await parseModelFiles(files)
  const isWhole = parsed.every(({ faults }) => faults.length === 0)
  return isWhole ? parsed.flatMap(({ scripts }) => scripts) : undefined
}

/** Plans the catalog; undefined where something is renamed or cannot be merged. */
async function planRights(
  reader: Reader,
  { scripts }: Model,
  given: readonly Script[],
  prune: boolean | ScriptType,
): Promise<CatalogPlan | undefined> {
  const planned = planCatalog(scripts, given, { prune, changedHere: [] })
  if (replacesAlone(planned, given)) return planned
  const deployed = await loadDeployedRbac(reader)
  const input = { given, deployed, isReplaced: true, isRemovedHere: true }
  const { catalog, renames, faults } = await planRbacDeploy(planned, input)
  return renames.length > 0 || faults.length > 0 ? undefined : catalog
}

/**
 * Writes the scripts and what the next start reads of them. @throws conflict (409) when the model
 * moved meanwhile
 */
export async function saveRights(
  tx: Tx,
  { catalog, model }: PreparedRights,
  execution: Execution,
): Promise<void> {
  if (!isSameCatalog(await loadScriptNames(tx), catalog.stored)) throw overtaken()
  await saveCatalog(tx, catalog, execution)
  await unshareViews(tx, model, execution)
  await saveFact(tx, RIGHTS_FACT, writeRights(model))
}

/** True when two lists have the same scripts in the same versions. */
export function isSameCatalog(
  one: readonly ScriptVersion[],
  other: readonly ScriptVersion[],
): boolean {
  const identify = ({ type, name, versionHash }: ScriptVersion): string =>
    `${type} ${name} ${versionHash}`
  const known = new Set(one.map(identify))
  return one.length === other.length && other.every((script) => known.has(identify(script)))
}
