/** What a floor or a feature brings to the product beside its code; `src/app.ts` lists all. */
import { LOG_LEVELS } from './log.ts'
import type { SettingGroup } from './setting.ts'
import { choice } from './setting.ts'
import { ENVIRONMENT } from './settings.ts'

export interface Part {
  /** Its settings; what nobody declares stops the start. */
  readonly settings?: readonly SettingGroup[]
}

export const LOG_LEVEL = choice(
  'Svc:Log:Level',
  'What is logged: error, with warn also warnings, with info requests, debug refusals',
  LOG_LEVELS,
  'info',
)

/** See `Part`. */
export const kernelFloor: Part = {
  settings: [{ ENVIRONMENT, LOG_LEVEL }],
}
