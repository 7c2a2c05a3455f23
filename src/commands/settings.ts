/** `appengine settings`. */
import { configure } from '../app.ts'
import type { Arguments } from './arguments.ts'
import { EXIT, formatTable, printLine } from './output.ts'

/** Prints each setting with its present value and source, its default and its meaning. */
export async function runSettings(args: Arguments): Promise<number> {
  const settings = configure({ dataFolder: args.dataFolder, flags: args.settings })
  const described = settings.describe()
  if (args.json) {
    printLine(JSON.stringify(described, undefined, 2))
    return EXIT.done
  }
  const rows = described.map(({ name, value, source, default: preset, meaning }) => [
    name,
    value === '' ? '-' : value,
    source,
    preset === '' ? '-' : preset,
    meaning,
  ])
  printLine(formatTable([['Setting', 'Value', 'Source', 'Default', 'Meaning'], ...rows]))
  return EXIT.done
}
