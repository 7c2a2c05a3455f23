/** `appengine schema`. */
import { renderReference } from '../model/reference.ts'
import { schemaText } from '../model/xsd-schema.ts'
import type { Arguments } from './arguments.ts'
import { EXIT, printLine } from './output.ts'

/** Prints the XSD of the model language, for editors; with `--reference` the manual made of it. */
export async function runSchema(args: Arguments): Promise<number> {
  const isReference = args.has('reference')
  const text = isReference ? renderReference() : schemaText()
  const json = isReference ? { Reference: text } : { Schema: text }
  printLine(args.json ? JSON.stringify(json) : text.trimEnd())
  return EXIT.done
}
