/** Pages that may call a route which other pages must not reach: hubs, and MCP. */
import type { AppContext } from './context.ts'
import { HTTP } from './floor.ts'

/**
 * Returns true when a request may come from the page that it names: one of the server's own, or of
 * an origin of `Svc:Cors:Origins`. Clients other than browsers name none, and may.
 */
export function isOwnOrigin(app: AppContext, { headers }: Request): boolean {
  const origin = headers.get('origin')
  if (origin === null || app.settings.get(HTTP.origins).includes(origin)) return true
  return /^https?:\/\//.test(origin) && origin.replace(/^https?:\/\//, '') === headers.get('host')
}
