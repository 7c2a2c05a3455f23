/** Start of every route of access administration: the scope of its caller. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { ACCESS_ADMINS, loadScope } from '../../access/rights/admin-scope.ts'
import type { LocalizedSource } from '../../engine/access/principals.ts'
import { isMatchable } from '../../engine/object/read/text-match.ts'
import type { RequestCall } from '../../server/call.ts'
import { rolesGate } from '../../server/gate.ts'

/** The gate of access administrators. */
export const ACCESS_GATE = rolesGate('System', 'Admin', 'AccessManager')

/** Opens the scope of an access administrator, with its reader and model. 401 for other callers. */
export async function openAccess(call: RequestCall): Promise<LocalizedSource> {
  const { app } = call
  const scope = await loadScope(app.store, call.caller, ACCESS_ADMINS)
  return { reader: app.store, model: call.model, scope, language: call.language }
}

/** The text to search for, '' for none. 400 for what no stored text can hold. */
export function readSearch(search: string | undefined): string {
  const text = search?.trim() ?? ''
  if (!isMatchable(text)) throw invalid(say`This is no text that can be searched for`)
  return text
}
