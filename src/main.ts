/** The entry: runs the command line and ends the process with its exit code. */
import { restartWithOptions } from './vendor/bun-options.ts'
import { complain, EXIT } from './commands/output.ts'
import { describeSystemError } from './commands/system-error.ts'

const words = process.argv.slice(2)
// Before anything else is loaded, as it is loaded once more then.
if (words[0] === 'serve' || words[0] === 'client') restartWithOptions()
const loaded = await import('./commands/command-line.ts').catch((error: unknown) => {
  const sentence = describeSystemError(error)
  if (sentence === undefined) throw error
  complain(sentence)
  return undefined
})
process.exit(loaded ? await loaded.runCommandLine(words) : EXIT.failed)
