/** `appengine schema`. */
import { schemaText } from '../model/schema.ts'
import type { Arguments } from './arguments.ts'
import { EXIT, printLine } from './output.ts'

/** Prints the XSD of the model language, for editors. */
export async function runSchema(args: Arguments): Promise<number> {
  const text = schemaText()
  printLine(args.json ? JSON.stringify({ Schema: text }) : text.trimEnd())
  return EXIT.done
}
