/** Listeners of extensions: their events, and the jobs that call them. */
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Failure, invalid } from '../../kernel/failure.ts'
import type { Log } from '../../kernel/log.ts'
import { say } from '../../kernel/messages.ts'
import { systemScope } from '../../store/store.ts'
import type { Entity } from '../../model/compiled/entity.ts'
import type { View } from '../../model/compiled/view.ts'
import type { Model } from '../../model/model.ts'
import { Grant } from '../../access/rights/grant.ts'
import type { ListenerContext } from './authoring.ts'
import type { CallerApi } from './caller-api.ts'
import { type ExtensionJobParts, openJobApi, runJobOrder } from './extension-jobs.ts'
import type { Declared, Extensions, LoadedExtensions } from './extensions.ts'
import { JOBS_QUEUE } from './part-names.ts'
import type { ListenerPart } from './parts.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import type { FindJobKind, JobKind, JobRun } from '../jobs/job.ts'
import { planRun } from '../jobs/plan-run.ts'
import type { EventListener, FindListeners } from '../object/after-write/event-listeners.ts'
import { newContext } from '../object/context.ts'
import { visibleFields } from '../object/read/projection.ts'
import { loadSaved, toRecordKey } from '../object/record/record.ts'

const PREFIX = 'on:'

/** The job that is written down for all listeners before they are known. */
const EVENTS_JOB = 'extension-events'

const UNKNOWN: readonly EventListener[] = [
  { job: EVENTS_JOB, queue: JOBS_QUEUE, attempts: undefined, view: undefined, event: '*' },
]

/** See `FindListeners`: without listeners it is a look into a map. */
export function openListeners(extensions: Extensions, log: Log): FindListeners {
  const planned = new WeakMap<LoadedExtensions, WeakMap<Model, Map<Entity, EventListener[]>>>()
  return (model, entity) => {
    const { loaded } = extensions
    if (!loaded) return extensions.mayCome ? UNKNOWN : []
    if (loaded.listeners.size === 0) return []
    return (
      planned
        .getOrInsertComputed(loaded, () => new WeakMap())
        .getOrInsertComputed(model, () => planListeners(loaded, model, log))
        .get(entity) ?? []
    )
  }
}

function planListeners(
  { listeners }: LoadedExtensions,
  model: Model,
  log: Log,
): Map<Entity, EventListener[]> {
  const planned = new Map<Entity, EventListener[]>()
  for (const { part } of listeners.values()) {
    const [object = '', event = ''] = part.Event.toLowerCase().split('.')
    const view = model.viewByKey.get(object)
    if (!view?.entity) {
      log.warn('a listener of an extension is of no object', { listener: part.Name })
      continue
    }
    const own = planned.getOrInsertComputed(view.entity, () => [])
    const { Name, Queue: queue, Attempts } = part
    own.push({ job: `${PREFIX}${Name}`, queue, attempts: Attempts ?? undefined, view, event })
  }
  return planned
}

const Heard = Type.Object({
  Entity: Type.String(),
  Object: Type.Union([Type.String(), Type.Null()]),
  Action: Type.String(),
  Keys: Type.Array(Type.Array(Type.Union([Type.String(), Type.Number(), Type.Null()]))),
  Values: Type.Union([
    Type.Array(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
    Type.Null(),
  ]),
  Depth: Type.Integer(),
})
type Heard = Static<typeof Heard>

function requireHeard({ arguments: given }: JobRun): Heard {
  if (Value.Check(Heard, given)) return given
  throw invalid(say`The arguments are not those of an event`)
}

/** Finds the kinds of listeners' jobs; before extensions are loaded, each job may be one. */
export const findListenerJobs =
  (parts: ExtensionJobParts): FindJobKind =>
  (name) => {
    if (!name.startsWith(PREFIX)) return undefined
    const { loaded } = parts.extensions
    if (loaded && !findListener(loaded, name)) return undefined
    return { name, run: (run) => runListener(parts, run) }
  }

const findListener = (
  { listeners }: LoadedExtensions,
  job: string,
): Declared<ListenerPart> | undefined => listeners.get(job.slice(PREFIX.length).toLowerCase())

async function runListener(parts: ExtensionJobParts, run: JobRun): Promise<unknown> {
  const { engine, extensions } = parts
  const { job } = run
  const found = findListener(await extensions.load(), job.Name)
  if (!found) throw new Failure('internal', say`There is no job named ${job.Name}`)
  const heard = requireHeard(run)
  // Among several records one may be to blame: from now on each is on its own.
  if (job.Attempts > 1 && heard.Keys.length > 1) return splitUp(parts, run, heard)
  const api = await openJobApi(parts, run, heard.Depth)
  const { part, file } = found
  const events = await planRun(engine, run, async (model) => {
    const view = model.viewByKey.get((heard.Object ?? '').toLowerCase())
    return view ? loadEvents(api && { ...api, model }, view, heard) : []
  })
  const order = { do: 'on', folder: extensions.folder, file, name: part.Name, events } as const
  return runJobOrder(parts, run, order, api)
}

/** Enqueues a job for each record. */
async function splitUp(
  { engine }: ExtensionJobParts,
  { job }: JobRun,
  heard: Heard,
): Promise<unknown> {
  await engine.store.write(async (tx) => {
    for (const [at, key] of heard.Keys.entries())
      await enqueueJob(tx, {
        ...ownedAs(job, engine.clock.now()),
        name: job.Name,
        arguments: { ...heard, Keys: [key], Values: heard.Values && [heard.Values[at] ?? null] },
      })
  }, systemScope('jobs belong to every company'))
  return { Split: heard.Keys.length }
}

const ownedAs = (job: JobRun['job'], now: Date) => ({
  owner: {
    userId: job.UserId,
    companyId: job.CompanyId,
    impersonatorId: job.ImpersonatorId ?? undefined,
    apiKeyId: job.ApiKeyId ?? undefined,
    language: job.Language ?? undefined,
  },
  source: job.Source,
  queue: job.Queue,
  attemptsMax: job.AttemptsMax,
  now,
})

type TellableEvent = Pick<ListenerContext, 'Object' | 'Action' | 'Keys' | 'Values'>

async function loadEvents(
  api: CallerApi | undefined,
  view: View,
  heard: Heard,
): Promise<TellableEvent[]> {
  const events: TellableEvent[] = []
  for (const [at, key] of heard.Keys.entries()) {
    const before = heard.Values?.[at] ?? null
    const Values = api && (heard.Values ? seenStill(api, view, before) : await load(api, view, key))
    const Keys = Object.fromEntries(
      (view.entity?.keys ?? []).map(({ name }, place) => [name, key[place] ?? null]),
    )
    events.push({ Object: view.name, Action: heard.Action, Keys, Values: Values ?? null })
  }
  return events
}

/** The parts of a deleted record that its user may still see. */
function seenStill(
  { caller, model }: CallerApi,
  view: View,
  before: Record<string, unknown> | null,
): Record<string, unknown> | null {
  const grant = Grant.find(caller, model, view.resource, 'View')
  if (!grant || !before) return null
  const shown = new Set(visibleFields(view, grant, 'Form').map(({ name }) => name))
  return Object.fromEntries(Object.entries(before).filter(([name]) => shown.has(name)))
}

/** The record as the user sees it now; null for one that they do not see. */
async function load(
  { engine, caller, model }: CallerApi,
  view: View,
  key: Heard['Keys'][number],
): Promise<Record<string, unknown> | null> {
  const grant = Grant.find(caller, model, view.resource, 'View')
  if (!grant || !view.entity) return null
  const context = newContext(engine, caller, model)
  const access = { view, grant, context, entity: view.entity, reader: engine.store }
  return (await loadSaved(access, toRecordKey(access, key), 'read')) ?? null
}

/** Hands events that came before extensions were loaded to their listeners. */
export const planEventsJob = (parts: ExtensionJobParts): JobKind => ({
  name: EVENTS_JOB,
  queue: JOBS_QUEUE,
  run: async (run) => {
    const { engine, extensions, log } = parts
    await extensions.load()
    const heard = requireHeard(run)
    const model = engine.models.get()
    const entity = model.entities.get(heard.Entity)
    if (!entity) return
    const listeners = openListeners(extensions, log)(model, entity).filter(
      ({ event }) => event === heard.Action.toLowerCase(),
    )
    if (listeners.length === 0) return
    await engine.store.write(async (tx) => {
      for (const { job, queue, attempts, view } of listeners)
        await enqueueJob(tx, {
          ...ownedAs(run.job, engine.clock.now()),
          name: job,
          queue,
          attemptsMax: attempts,
          arguments: { ...heard, Object: view?.name ?? null },
        })
    }, systemScope('jobs belong to every company'))
  },
})
