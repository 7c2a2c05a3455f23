/** The model is there in its languages before anybody asks, as a request would have got it. */
import { expect, test } from 'bun:test'
import { createLog } from '../../src/kernel/log.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { compileModel, letTranslate } from '../../src/model/compile/compile.ts'
import { translateFor, translateModel } from '../../src/model/compile/translate.ts'
import { CurrentModel } from '../../src/model/current.ts'
import { planKey, readModel, writeModel } from '../../src/model/snapshot/model-snapshot.ts'
import type { Model } from '../../src/model/model.ts'
import { Translating } from '../../src/server/translating.ts'
import { parseScripts } from '../support/compile-text.ts'
import { SHOP } from '../support/shop-model.ts'

const texts = (language: string, label: string) =>
  `<Texts Language="${language}"><Text Of="Orders">${label}</Text></Texts>`

async function compileShop(german = 'Aufträge') {
  const scripts = await parseScripts({
    'shop.xml': SHOP,
    'orders.xml': '<ObjectView Name="Orders" Entity="Order"/>',
    'de.xml': texts('de', german),
    'fr.xml': texts('fr', 'Commandes'),
  })
  const { model, remember } = await compileModel(scripts)
  if (!model) throw new Error('The shop does not compile')
  return { scripts, model, memory: remember() }
}

const log = createLog(systemClock, () => undefined)
const labelIn = (model: Model, language: string) =>
  translateModel(model, language).views.get('Orders')?.label

/** Takes single steps until it is done; how many it took. */
function translateSlowly(model: Model, language: string): number {
  for (let turns = 1; ; turns++) if (translateFor(model, language, 0)) return turns
}

test('in turns or at once, and from what is kept: the same model', async () => {
  const { scripts, model, memory } = await compileShop()
  const kept = readModel(await writeModel({ model, watched: [], memory }), planKey(scripts))
  if (!kept) throw new Error('The model was not kept')
  letTranslate(kept.model, () => kept.memory, kept.readScripts)
  expect(translateSlowly(kept.model, 'de')).toBeGreaterThan(20)
  expect(translateFor(kept.model, 'de', 0)).toBe(true)
  const write = (each: Model) => writeModel({ model: each, watched: [], memory: '' })
  const german = await write(translateModel(model, 'de'))
  expect(await write(translateModel(kept.model, 'de'))).toBe(german)
})

test('who asks before it is done gets it all at once', async () => {
  const { model } = await compileShop()
  expect(translateFor(model, 'de', 0)).toBe(false)
  const asked = translateModel(model, 'de')
  expect(asked.views.get('Orders')?.label).toBe('Aufträge')
  expect(translateFor(model, 'de', 0)).toBe(true)
  expect(translateModel(model, 'de')).toBe(asked)
})

test('every language of the model that serves, and of the one that takes its place', async () => {
  const models = new CurrentModel((await compileShop()).model)
  const translating = new Translating(models, log)
  translating.start()
  const { model } = await compileShop('Bestellungen')
  models.replace(model)
  await translating.settled()
  for (const language of ['de', 'fr']) expect(translateFor(model, language, 0)).toBe(true)
  expect([labelIn(model, 'de'), labelIn(model, 'fr')]).toEqual(['Bestellungen', 'Commandes'])
  await translating.stop()
  const { model: last } = await compileShop('Orders')
  models.replace(last)
  await translating.settled()
  expect(translateFor(last, 'fr', 0)).toBe(false)
})
