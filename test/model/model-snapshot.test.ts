/** The model snapshot: it reads as it was compiled, or it is not read at all. */
import { describe, expect, test } from 'bun:test'
import { renderMessage } from '../../src/kernel/messages.ts'
import { compileModel } from '../../src/model/compile/compile.ts'
import { saveFact } from '../../src/model/deploy/facts.ts'
import { MODEL_FACT, openModel } from '../../src/model/load.ts'
import type { Model } from '../../src/model/model.ts'
import type { ModelFile } from '../../src/model/parse/parse.ts'
import { planKey, readModel, writeModel } from '../../src/model/snapshot/model-snapshot.ts'
import { watchedTables } from '../../src/model/watched-tables.ts'
import { demoFiles } from '../../data/demo/demo.ts'
import { LEAVE } from '../models/leave/leave.ts'
import { MUSIC } from '../models/music/music.ts'
import { WAREHOUSE } from '../models/warehouse/warehouse.ts'
import { WORKSHOP } from '../models/workshop/workshop.ts'
import { startApp } from '../support/app.ts'
import { compileSound, parseScripts, requireView } from '../support/compile-text.ts'
import { DeployTarget } from '../support/deploy.ts'
import { SHOP } from '../support/shop-model.ts'
import { WHOLE } from '../support/whole-model.ts'
import { planLargeModel } from '../../scripts/bench/large-model.ts'

const bodies = (files: readonly ModelFile[]): Record<string, string> =>
  Object.fromEntries(files.map(({ name, body }) => [name, body]))

const MODELS: Record<string, Record<string, string>> = {
  demo: bodies(demoFiles),
  leave: bodies(LEAVE.files),
  music: bodies(MUSIC.files),
  warehouse: bodies(WAREHOUSE.files),
  workshop: bodies(WORKSHOP.files),
  whole: { 'shop.xml': SHOP, 'whole.xml': WHOLE },
  large: bodies(planLargeModel({ entities: 30, views: 60 })),
}

interface Both {
  model: Model
  snapshot: Model
}

/** A model as it was compiled, and as it is read. */
async function keep(files: Record<string, string>): Promise<Both> {
  const { model } = await compileModel(await parseScripts(files))
  if (!model) throw new Error('It does not compile')
  const watched = watchedTables(model)
  const text = await writeModel({ model, watched })
  const snapshot = await readModel(text, planKey(model.scripts))
  if (!snapshot) throw new Error('It is not read')
  expect(snapshot.watched).toEqual(watched)
  return { model, snapshot: snapshot.model }
}

const isMap = (value: unknown): value is ReadonlyMap<string, unknown> =>
  typeof value === 'object' && value !== null && 'size' in value && 'entries' in value

/** Every property of a model, its maps as lists. */
const unfold = (model: Model): [string, unknown][] =>
  Object.entries(model).map(([name, value]) => [name, isMap(value) ? [...value] : value])

describe.each(Object.keys(MODELS))('the model %s', (name) => {
  test('reads as it was compiled', async () => {
    const { model, snapshot } = await keep(MODELS[name] ?? {})
    expect(unfold(snapshot)).toEqual(unfold(model))
    expect(JSON.stringify(unfold(snapshot))).toBe(JSON.stringify(unfold(model)))
  })

  test('has each thing once', async () => {
    const { snapshot } = await keep(MODELS[name] ?? {})
    for (const view of snapshot.views.values()) {
      const entity = view.entity && snapshot.entities.get(view.entity.name)
      expect(snapshot.viewByKey.get(view.slug)).toBe(view)
      expect(view.entity).toBe(entity)
      for (const { column } of view.fields) {
        if (column && entity) expect(entity.columns).toContain(column)
      }
    }
    for (const { entity, column } of snapshot.computes) {
      expect(snapshot.entities.get(entity.name)?.columnByName.get(column.name.toLowerCase())).toBe(
        column,
      )
    }
  })

  test('is the same in another language', async () => {
    const { model, snapshot } = await keep(MODELS[name] ?? {})
    const listLabels = ({ views }: Model): string[] =>
      [...views.values()].flatMap(({ label, fieldByName }) => [
        renderMessage(label, 'de'),
        ...[...fieldByName.values()].map((field) => renderMessage(field.label, 'de')),
      ])
    expect(listLabels(snapshot)).toEqual(listLabels(model))
  })
})

describe('what is read', () => {
  test('answers as a map does', async () => {
    const { model, snapshot } = await keep(MODELS.demo ?? {})
    expect(snapshot.views.size).toBe(model.views.size)
    expect([...snapshot.views.keys()]).toEqual([...model.views.keys()])
    expect(snapshot.views.has('Orders')).toBe(true)
    expect(snapshot.views.has('Nothing')).toBe(false)
    expect(snapshot.views.get('Nothing')).toBeUndefined()
    const seen: string[] = []
    snapshot.views.forEach((view, key) => seen.push(`${key} ${view.name}`))
    expect(seen).toEqual([...model.views.keys()].map((key) => `${key} ${key}`))
  })

  test('cannot be changed', async () => {
    const { snapshot } = await keep(MODELS.demo ?? {})
    expect(Object.isFrozen(requireView(snapshot, 'Orders'))).toBe(true)
    expect(Object.isFrozen(snapshot.entities.get('Order'))).toBe(true)
  })

  test('is all data: a model with anything else is not stored', async () => {
    const model = await compileSound({ 'shop.xml': SHOP })
    const views = new Map(model.views)
    const [view] = views.values()
    if (view) views.set(view.name, { ...view, label: (() => 'Late') as unknown as string })
    const write = () => writeModel({ model: { ...model, views }, watched: [] })
    await expect(write()).rejects.toThrow('A function cannot be stored')
  })
})

describe('a start', () => {
  const SHOP_FILES = { 'shop.xml': SHOP }

  const snapshotText = async ({ store }: DeployTarget): Promise<string> => {
    const sql = 'SELECT Value FROM svc_facts WHERE Name = @name'
    return store.text({ sql, args: { name: MODEL_FACT }, runs: 'inline' })
  }

  const putText = ({ store }: DeployTarget, text: string): Promise<void> =>
    store.write((tx) => saveFact(tx, MODEL_FACT, text), { company: 'all', because: 'a test' })

  /** Compiles, keeps what it compiled, and reads that the next time. */
  async function expectRefresh(target: DeployTarget): Promise<void> {
    const compiled = await openModel(target.store)
    expect(compiled.keep).toBeDefined()
    await compiled.keep?.(target.store)
    const next = await openModel(target.store)
    expect(next.keep).toBeUndefined()
    expect(unfold(next.model)).toEqual(unfold(compiled.model))
    expect(next.watched).toEqual(compiled.watched)
  }

  test('reads what the deploy has stored', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(SHOP_FILES)
    const { model, keep: again } = await openModel(target.store)
    expect(again).toBeUndefined()
    expect(unfold(model)).toEqual(unfold(target.models.get()))
  })

  test('compiles where a byte is another one', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(SHOP_FILES)
    const text = await snapshotText(target)
    const at = text.length - 100
    await putText(target, text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1))
    await expectRefresh(target)
  })

  test('compiles where the end is missing, or all of it', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(SHOP_FILES)
    await putText(target, (await snapshotText(target)).slice(0, -40))
    await expectRefresh(target)
    await target.run(`DELETE FROM svc_facts WHERE Name = '${MODEL_FACT}'`)
    await expectRefresh(target)
  })

  test('compiles what another build has stored', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(SHOP_FILES)
    const [, ...rest] = (await snapshotText(target)).split('\n')
    await putText(target, ['of another build', ...rest].join('\n'))
    await expectRefresh(target)
  })

  test('compiles what was stored of other scripts', async () => {
    await using target = await DeployTarget.open()
    await target.deploy(SHOP_FILES)
    const former = await snapshotText(target)
    await target.deploy({ 'shop.xml': SHOP, 'whole.xml': WHOLE })
    await putText(target, former)
    expect([...(await openModel(target.store)).model.views.keys()]).toEqual([
      ...target.models.get().views.keys(),
    ])
    await expectRefresh(target)
  })

  test('gives every view the metadata that a compilation gives it', async () => {
    await using app = await startApp()
    const snapshot = app.context.models.get()
    const load = () =>
      Promise.all(
        ['en', 'de'].flatMap((language) =>
          [...snapshot.views.values()].map(({ slug }) =>
            app.fetch(`/api/v1/svc/object/${slug}/metadata`, {
              as: 'root',
              headers: { 'Accept-Language': language },
            }),
          ),
        ),
      )
    const before = await load()
    const { model } = await compileModel(snapshot.scripts)
    if (!model) throw new Error('It does not compile')
    app.context.models.replace(model)
    const after = await load()
    expect(before.map(({ status }) => status)).toEqual(before.map(() => 200))
    expect(before.map(({ body }) => body)).toEqual(after.map(({ body }) => body))
  })
})
