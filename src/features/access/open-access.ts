/** Start of every route of access administration: the scope of its caller. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { ACCESS_ADMINS, loadScope } from '../../access/rights/admin-scope.ts'
import type { LocalizedSource } from '../../engine/access/principals.ts'
import { isMatchable } from '../../engine/object/read/text-match.ts'
import type { AppContext } from '../../server/context.ts'
import { rolesGate } from '../../server/gate.ts'
import { modelOf } from '../../server/language.ts'
import { callerOf, languageOf } from '../../server/session.ts'

/** The gate of access administrators. */
export const ACCESS_GATE = rolesGate('System', 'Admin', 'AccessManager')

/** Opens the scope of an access administrator, with its reader and model. 401 for other callers. */
export async function openAccess(app: AppContext, request: Request): Promise<LocalizedSource> {
  const scope = await loadScope(app.store, callerOf(request), ACCESS_ADMINS)
  return { reader: app.store, model: modelOf(app, request), scope, language: languageOf(request) }
}

/** The text to search for, '' for none. 400 for what no stored text can hold. */
export function readSearch(search: string | undefined): string {
  const text = search?.trim() ?? ''
  if (!isMatchable(text)) throw invalid(say`This is no text that can be searched for`)
  return text
}
