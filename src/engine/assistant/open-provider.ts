/** The provider that the settings name. */
import type { Clock } from '../../kernel/clock.ts'
import type { Settings } from '../../kernel/settings.ts'
import type { Store } from '../../store/store.ts'
import { builtinProvider } from './builtin/provider.ts'
import { ModelServer } from './openai/model-server.ts'
import { readOpenaiOptions } from './openai/openai-options.ts'
import { openOpenaiProvider } from './openai/provider.ts'
import { TokenBudget } from './openai/token-budget.ts'
import type { AssistantProvider } from './provider.ts'
import { ASSISTANT } from './settings.ts'

/** The parts that providers are made with. */
interface ProviderParts {
  settings: Settings
  /** `state.db` */
  state: Store
  clock: Clock
}

/** Opens `Svc:Assistant:Provider`. @throws SettingError where a setting that it needs is not set */
export function openProvider({ settings, state, clock }: ProviderParts): AssistantProvider {
  if (settings.get(ASSISTANT.provider) === 'builtin') return builtinProvider
  const options = readOpenaiOptions(settings)
  const budget = new TokenBudget(state, clock, options.tokensPerDay)
  return openOpenaiProvider({ server: new ModelServer(options), budget, options })
}
