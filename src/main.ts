/** The entry: runs the command line and ends the process with its exit code. */
import { runCommandLine } from './commands/command-line.ts'

process.exit(await runCommandLine(process.argv.slice(2)))
