/** Parts of the product, as the running product lists them. */
import { startBackground } from '../../src/kernel/background.ts'
import { createApp, listAreas, listBackground, listParts } from '../../src/app.ts'
import { startApp } from './app.ts'

export interface Product {
  routes: string[]
  areas: string[]
  settings: string[]
  sentences: string[]
  background: string[]
  /** Status of routes of other features. */
  health: number
  signedIn: number
}

/** Starts the demo in this process, tells what there is, and ends it. */
export async function describeProduct(): Promise<Product> {
  await using app = await startApp()
  const background = listBackground(app.context)
  await using _background = await startBackground(background)
  // As a server does behind its start: it is not ready until then.
  await app.context.extensions.load()
  const { status: health } = await app.fetch('/health/ready')
  const { status: signedIn } = await app.fetch('/api/v1/auth/me', { as: 'ana' })
  return {
    routes: createApp(app.context).routes.map(({ method, path }) => `${method} ${path}`),
    areas: listAreas().map(({ name }) => name),
    settings: app.context.settings.describe().map(({ name }) => name),
    sentences: listParts().flatMap(({ translations }) =>
      (translations?.de ?? []).map(([english]) => english),
    ),
    background: background.map(({ name }) => name),
    health,
    signedIn,
  }
}
