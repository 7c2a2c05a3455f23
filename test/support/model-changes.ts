/** Models that come between what is planned and what is done. */
import { spyOn } from 'bun:test'
import { newId } from '../../src/kernel/ids.ts'
import { Lanes } from '../../src/store/read/lanes.ts'
import { executeDeploy } from '../../src/model/deploy/deploy.ts'
import type { DeployPlan } from '../../src/model/deploy/plan.ts'
import { prepareDeploy } from '../../src/model/deploy/prepare.ts'
import type { Model } from '../../src/model/model.ts'
import type { TestApp } from './app.ts'
import { until } from './until.ts'

/** A deploy that is ready: what it reads beside the writer has been read. */
export interface ReadyDeploy {
  run: () => Promise<void>
  /** Resolves when it has the writer, which it keeps until what is given resolves. */
  begin: (until?: Promise<void>) => Promise<void>
  /** Resolves when it is over. */
  ended: () => Promise<void>
  /** The result of the change, once it has ended. */
  plan: () => DeployPlan
}

export async function readyDeploy(app: TestApp, body: string): Promise<ReadyDeploy> {
  const preparation = await prepareDeploy(app.store, [{ name: 'model.xml', body }], {})
  const { faults } = preparation.plan
  if (faults.length > 0) throw new Error(faults.map(({ message }) => message).join('\n'))
  // It is made once, and the deploy would wait for it.
  if (preparation.ready?.kind !== 'rights') await preparation.ready?.snapshot()
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  let running: Promise<void> | undefined
  let plan = preparation.plan
  const run = async (until?: Promise<void>): Promise<void> => {
    const options = { allowDataLoss: true }
    const done = await executeDeploy(app.context, preparation, options, () => {
      resolve()
      return until ?? Promise.resolve()
    })
    plan = done.plan
    if (!done.isDone) throw new Error('The deploy is not done')
  }
  return {
    run: () => (running ??= run()),
    begin: (until) => Promise.race([begun, (running ??= run(until))]),
    ended: () => running ?? Promise.resolve(),
    plan: () => plan,
  }
}

/** The only lane, kept from all others. */
export interface HeldLane {
  /** Resolves when so many reads have asked for a lane since it was taken, or it is free again. */
  isWanted: (reads: number) => Promise<void>
  free: () => void
}

/**
 * Keeps the only lane until it is freed; resolves when it has it. Reads at once, which a server at
 * rest makes too, ask for none: so what asks was planned before.
 */
export async function holdLane(app: TestApp): Promise<HeldLane> {
  const held = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  void app.store.snapshot('hold', () => {
    held.resolve()
    return over.promise
  })
  await held.promise
  const asked = spyOn(Lanes.prototype, 'run')
  let isFree = false
  return {
    isWanted: (reads) => until(() => isFree || asked.mock.calls.length >= reads),
    free: () => {
      isFree = true
      asked.mockRestore()
      over.resolve()
    },
  }
}

/** How many models are still to come, and what takes the last ones back. */
export interface Replacing extends Disposable {
  left: number
}

/** The same model but for the versions that its scripts say they have. */
function planAnother(served: Model): Model {
  const recordHash = newId()
  const scripts = served.scripts.map((each) => ({ ...each, versionHash: recordHash }))
  const others = Object.getOwnPropertyDescriptors({ recordHash, scripts })
  const properties = { ...Object.getOwnPropertyDescriptors(served), ...others }
  return Object.freeze(Object.defineProperties({}, properties)) as Model
}

/** Has another model serve. */
export const replaceModel = ({ context: { models } }: TestApp): void =>
  models.replace(planAnother(models.get()))

/** Has another model serve as soon as the next commit to a table is over. */
export function replaceAfter(app: TestApp, table: string): void {
  let isDone = false
  app.store.follow({
    follows: () => false,
    begin: () => {},
    end: (changes) => {
      if (isDone || changes === 'all' || !changes.has(table)) return
      isDone = true
      replaceModel(app)
    },
  })
}

/**
 * Has another model serve behind each that is taken, so many times: whoever planned with it meets
 * the next one. Each is the same but for the versions that its scripts say they have.
 */
export function replaceBehind({ context: { models } }: TestApp, times: number): Replacing {
  const get = models.get.bind(models)
  const replacing: Replacing = {
    left: times,
    [Symbol.dispose]: () => {
      models.get = get
    },
  }
  models.get = () => {
    const served = get()
    if (replacing.left > 0) {
      replacing.left--
      models.replace(planAnother(served))
    }
    return served
  }
  return replacing
}
