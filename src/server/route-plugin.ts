/** Groups of routes in Elysia's form. */
import { type AnyElysia, Elysia } from 'elysia'
import type { CallReader } from './call-reader.ts'
import { mayWait } from './gate.ts'
import type { Route, RouteGroup } from './route.ts'

/** Elysia's context of a request, in the parts that are read. */
interface PluginContext {
  request: Request
  /** The pattern of the path, from its very start. */
  route: string
  params: unknown
  query?: unknown
  body: unknown
}

/** Plans a group as Elysia takes it. */
export function planPlugin(reader: CallReader, { prefix, area, routes }: RouteGroup): AnyElysia {
  const plugin: AnyElysia = new Elysia({
    prefix,
    strictPath: true,
    ...(area !== undefined && { tags: [area] }),
  })
  for (const route of routes) {
    const handler = planHandler(reader, route)
    const transform = planTransform(reader, route) as (context: object) => void | Promise<void>
    plugin.route(route.method, route.path, handler as (context: object) => unknown, {
      ...route.declaration,
      transform,
    })
  }
  return plugin
}

/** Elysia makes ready what a function names: a query for the routes that declare one. */
function planHandler(reader: CallReader, { handler, declaration }: Route) {
  const gate = declaration.detail['x-gate']
  return declaration.query
    ? ({ request, params, query, body }: PluginContext) =>
        handler(reader.open(gate, { request, params, query, body }))
    : ({ request, params, body }: PluginContext) =>
        handler(reader.open(gate, { request, params, body }))
}

/** Passes the gate, where reading the body has not. Elysia waits for a function that says async. */
function planTransform(reader: CallReader, { declaration, before }: Route) {
  const gate = declaration.detail['x-gate']
  if (!before && !mayWait(gate))
    return ({ request, route, params, body }: PluginContext): void => {
      reader.pass(route, reader.open(gate, { request, params, body: body ?? null }))
    }
  return async ({ request, route, params, body }: PluginContext): Promise<void> => {
    const call = reader.open(gate, { request, params, body: body ?? null })
    await reader.pass(route, call)
    await before?.(call)
  }
}
