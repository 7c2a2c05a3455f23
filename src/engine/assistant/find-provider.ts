/** The provider that the settings name. */
import { builtinProvider } from './builtin/provider.ts'
import type { AssistantProvider } from './provider.ts'

/** See `Svc:Assistant:Provider`. */
export function findProvider(): AssistantProvider {
  return builtinProvider
}
