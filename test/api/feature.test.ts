/** A feature is a folder and one line: without its line, nothing of it is there. */
import { expect, test } from 'bun:test'
import { createApp, FEATURES, listAreas } from '../../src/app.ts'
import { auditFeature } from '../../src/features/audit/routes.ts'
import { startApp } from '../support/app.ts'

test('without its line a feature has no routes and no area', async () => {
  await using app = await startApp()
  const rest = FEATURES.filter((feature) => feature !== auditFeature)
  const paths = (features: typeof FEATURES) =>
    createApp(app.context, features).routes.map(({ method, path }) => `${method} ${path}`)
  const isGone = (path: string): boolean => !paths(rest).includes(path)
  expect(paths(FEATURES).filter(isGone)).toEqual(['GET /api/v1/svc/audit'])
  const names = (features: typeof FEATURES) => listAreas(features).map(({ name }) => name)
  expect(names(FEATURES).filter((name) => !names(rest).includes(name))).toEqual(['Audit'])
})
