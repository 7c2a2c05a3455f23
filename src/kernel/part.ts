/** The share of a floor or a feature in the product, beside its code; `src/app.ts` lists all. */
import { GERMAN } from './german.ts'
import { LOG_FILE } from './log-file.ts'
import { LOG_LEVELS } from './log.ts'
import type { TranslationSet } from './messages.ts'
import { choice, type SettingGroup } from './setting.ts'
import { ENVIRONMENT } from './settings.ts'
import type { StoredTime } from './stored-times.ts'

export interface Part {
  /** Its settings; a setting that no part declares stops the start. */
  readonly settings?: readonly SettingGroup[]
  /** Sentences of the part by language; a floor below declares one that several parts use. */
  readonly translations?: TranslationSet
  /** Times that it stores and compares with the clock: see `StoredTime`. */
  readonly times?: readonly StoredTime[]
}

export const LOG_LEVEL = choice(
  'Svc:Log:Level',
  'What is logged: error, with warn also warnings, with info requests, debug refusals',
  LOG_LEVELS,
  'info',
)

/** See `Part`. */
export const kernelFloor: Part = {
  translations: { de: GERMAN },
  settings: [{ ENVIRONMENT, LOG_LEVEL }, LOG_FILE],
}
