/**
 * The version of a workflow that an instance is pinned to. The current one is part of the model; an
 * earlier one is compiled with the present model when it is first needed.
 */
import { conflict } from '../../kernel/failure.ts'
import { Lru } from '../../kernel/lru.ts'
import { say } from '../../kernel/messages.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import type { View } from '../../model/compiled/view.ts'
import type { Workflow } from '../../model/compiled/workflow.ts'
import { readPinnedScript } from '../../model/deploy/pinned-script.ts'
import type { Model } from '../../model/model.ts'
import type { ObjectEngine } from '../object/mutation.ts'
import { type InstanceRow, missingInstance } from './instance-rows.ts'

/** Earlier versions kept at the same time; any other is compiled again. */
const VERSIONS_KEPT = 100

const compiled = new WeakMap<Model, Lru<string, Workflow | null>>()
/** One compilation at a time: each takes a core for a while. */
const compiling = new Semaphore(1)

/** An instance with the version of its workflow. */
export interface PinnedInstance {
  instance: InstanceRow
  workflow: Workflow
  view: View
  /**
   * True if the version no longer fits the model, and the published one replaces it: to show,
   * cancel and migrate the instance, but not to move it.
   */
  isOutdated?: true
}

/** A workflow of some version. */
type WorkflowVersion = Pick<InstanceRow, 'Workflow' | 'VersionHash'>

/**
 * Finds the version; undefined where nothing of it is left.
 * @throws conflict (409) for one that no longer fits the model: instances of it are migrated
 */
export async function findVersion(
  engine: Pick<ObjectEngine, 'store' | 'models'>,
  model: Model,
  version: WorkflowVersion,
): Promise<Workflow | undefined> {
  const found = await loadVersion(engine, model, version)
  if (found === null) throw outdated()
  return found
}

const outdated = () =>
  conflict(say`This version of the workflow no longer matches the application`, {
    code: 'WORKFLOW_OUTDATED',
  })

/** @throws conflict (409) for an instance that its version can no longer move */
export function requireMovable({ isOutdated }: PinnedInstance): void {
  if (isOutdated) throw outdated()
}

/** The version; null for one that no longer fits the model. */
async function loadVersion(
  { store, models }: Pick<ObjectEngine, 'store' | 'models'>,
  model: Model,
  { Workflow: name, VersionHash: hash }: WorkflowVersion,
): Promise<Workflow | null | undefined> {
  const current = model.workflows.get(name)
  if (current?.versionHash === hash) return current
  const kept = compiled.getOrInsertComputed(
    model,
    () => new Lru<string, Workflow | null>(VERSIONS_KEPT),
  )
  const key = `${name} ${hash}`
  const work = async (): Promise<Workflow | null | undefined> => {
    const known = kept.find(key)
    if (known !== undefined) return known
    const script = await readPinnedScript(store, { name, hash })
    if (!script) return undefined
    const others = model.scripts.filter((each) => each.type !== 'Workflow' || each.name !== name)
    const { model: whole } = await models.compiler.compile([...others, script], [])
    return kept.keep(key, whole?.workflows.get(name) ?? null)
  }
  const known = kept.find(key)
  return known === undefined ? compiling.run(work, key) : known
}

/** An instance with its version and its view. @throws missingInstance, and as `findVersion` */
export async function pin(
  engine: Pick<ObjectEngine, 'store' | 'models'>,
  model: Model,
  instance: InstanceRow,
): Promise<PinnedInstance> {
  const pinned = await findPinned(engine, model, instance)
  if (!pinned) throw missingInstance()
  requireMovable(pinned)
  return pinned
}

/**
 * Finds the same, by the published version where its own no longer fits; undefined for an instance
 * of which nothing is known.
 */
export async function findPinned(
  engine: Pick<ObjectEngine, 'store' | 'models'>,
  model: Model,
  instance: InstanceRow,
): Promise<PinnedInstance | undefined> {
  const version = await loadVersion(engine, model, instance)
  const workflow = version === null ? model.workflows.get(instance.Workflow) : version
  const view = model.views.get(workflow?.view ?? '')
  if (!workflow || view?.entity?.name !== instance.Entity) return undefined
  return { instance, workflow, view, ...(version === null && { isOutdated: true }) }
}
