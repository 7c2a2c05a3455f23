import { ACCESS } from './de/access.ts'
import { MODEL } from './de/model.ts'
import { OBJECTS } from './de/objects.ts'
import { REQUESTS } from './de/requests.ts'
import { SCRIPTS } from './de/scripts.ts'
import { SHEETS } from './de/sheets.ts'
import { SIGN_IN } from './de/sign-in.ts'

/**
 * German, by English template: data, in a file for each area. A new sentence goes to the file of
 * the area that says it; `test/kernel/messages.test.ts` keeps all complete and without doubles.
 */
export const DE: ReadonlyMap<string, string> = new Map([
  ...REQUESTS,
  ...SIGN_IN,
  ...ACCESS,
  ...MODEL,
  ...SHEETS,
  ...OBJECTS,
  ...SCRIPTS,
])
