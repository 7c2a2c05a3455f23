/** From the words of a command line to a command, and from what it throws to an exit code. */
import { Failure } from '../kernel/failure.ts'
import { SettingError } from '../kernel/settings.ts'
import { findNearest } from '../model/names.ts'
import { parseArguments, UsageError } from './arguments.ts'
import { planGroup, planHelp, planOverview } from './help.ts'
import { CommandFailure, complain, EXIT, printLine } from './output.ts'
import { describeSystemError } from './system-error.ts'
import { COMMANDS, INNER_COMMANDS } from './table.ts'
import type { Command } from './table.ts'

/** Runs a command line; resolves to its exit code: 0 done, 1 it failed, 2 wrong words. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  try {
    if (argv.length === 0 || isHelp(argv[0])) return runHelp(argv.slice(1))
    const words = isVersion(argv[0]) ? ['version', ...argv.slice(1)] : argv
    const command = requireCommand(words)
    const rest = words.slice(command.name.split(' ').length)
    if (rest.some((word) => word === '--help' || word === '-h'))
      return runHelp(command.name.split(' '))
    return await command.run(parseArguments(command, rest))
  } catch (thrown) {
    return explain(thrown)
  }
}

const isHelp = (word: string | undefined): boolean =>
  word === 'help' || word === '--help' || word === '-h'

const isVersion = (word: string | undefined): boolean => word === '--version' || word === '-v'

/** The commands that begin with this word: `user create`, `user lock` … */
const findGroup = (word: string | undefined): Command[] =>
  COMMANDS.filter(({ name }) => name.startsWith(`${word} `))

function requireCommand(argv: readonly string[]): Command {
  const command = [...COMMANDS, ...INNER_COMMANDS].find(({ name }) =>
    name.split(' ').every((word, at) => argv[at] === word),
  )
  if (command) return command
  const given = argv.filter((word) => !word.startsWith('-')).slice(0, 2)
  const group = findGroup(given[0])
  if (group.length > 0)
    throw new UsageError(`Which one: ${group.map(({ name }) => `"${name}"`).join(', ')}?`)
  const names = COMMANDS.map(({ name }) => name)
  const near = findNearest(given.join(' '), names) ?? findNearest(given[0] ?? '', names)
  const hint = near === undefined ? '; "appengine help" lists them' : `; did you mean "${near}"?`
  throw new UsageError(`There is no command "${given[0] ?? argv[0]}"${hint}`)
}

function runHelp(words: readonly string[]): number {
  printLine(planHelpOf(words))
  return EXIT.done
}

function planHelpOf(words: readonly string[]): string {
  if (words.length === 0) return planOverview(COMMANDS)
  const group = words.length === 1 ? findGroup(words[0]) : []
  return group.length > 0 ? planGroup(group) : planHelp(requireCommand(words))
}

function explain(thrown: unknown): number {
  if (thrown instanceof UsageError) {
    complain(thrown.message)
    return EXIT.wrongWords
  }
  complain(
    isExpected(thrown) ? thrown.message : (describeSystemError(thrown) ?? describeFault(thrown)),
  )
  return EXIT.failed
}

/** Errors whose message is a sentence for whoever typed the command. */
function isExpected(thrown: unknown): thrown is Error {
  return (
    thrown instanceof CommandFailure ||
    thrown instanceof SettingError ||
    (thrown instanceof Failure && thrown.kind !== 'internal')
  )
}

const describeFault = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
