/** The entry: runs the command line and ends the process with its exit code. */
import { restartWithOptions } from './vendor/bun-options.ts'

const words = process.argv.slice(2)
// Before anything else is loaded, as it is loaded once more then.
if (words[0] === 'serve') restartWithOptions()
const { runCommandLine } = await import('./commands/command-line.ts')
process.exit(await runCommandLine(words))
