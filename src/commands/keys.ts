/** `appengine keys rotate`. */
import { TOKENS } from '../access/floor.ts'
import { rotateKeys } from '../access/sessions/keys.ts'
import type { Arguments } from './arguments.ts'
import { withStores } from './data-folder.ts'
import { EXIT, printResult } from './output.ts'

/** Makes a new signing key; tokens of the one before hold until they expire. */
export async function runKeysRotate(args: Arguments): Promise<number> {
  const kid = await withStores(args, ({ store }, { clock, settings }) =>
    rotateKeys(store, { clock, accessLifetime: settings.get(TOKENS.accessLifetime) }),
  )
  printResult(args, `Tokens are now signed with the new key ${kid}.`, { Kid: kid })
  return EXIT.done
}
