/** `appengine types`. */
import * as authoring from '../engine/extensions/authoring.ts' with { type: 'text' }
import type { Arguments } from './arguments.ts'
import { EXIT, printLine } from './output.ts'

/** The declarations for extensions, as the text of a `.d.ts`; the import is a text in the end. */
export const typesText = (): string => String(Reflect.get(authoring, 'default')).trimEnd()

/** Prints the TypeScript declarations for authors of extensions. */
export async function runTypes(args: Arguments): Promise<number> {
  printLine(args.json ? JSON.stringify({ Types: typesText() }) : typesText())
  return EXIT.done
}
