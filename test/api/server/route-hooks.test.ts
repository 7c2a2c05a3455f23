/** Elysia prepares for a request only the parts that the route's own functions name. */
import { expect, test } from 'bun:test'
import { createApp } from '../../../src/app.ts'
import { startApp } from '../../support/app.ts'

test('no route has cookies made ready: a hook that takes the whole context would', async () => {
  await using app = await startApp()
  const { routes } = createApp(app.context)
  const withCookies = routes
    .filter((route) => String(route.compile()).includes('parseCookie'))
    .map(({ method, path }) => `${method} ${path}`)
  expect(routes.length).toBeGreaterThan(50)
  expect(withCookies).toEqual([])
})
