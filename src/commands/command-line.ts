/** The way from a command line to a command, and from a thrown error to an exit code. */
import { Failure } from '../kernel/failure.ts'
import { SettingError } from '../kernel/settings.ts'
import { LogOutgrown } from '../store/file/copy-pages.ts'
import { describeStorageFault } from '../store/file/explain-fault.ts'
import { findNearest } from '../model/names.ts'
import { UnusableBackup } from '../engine/backups/manifest.ts'
import { COMMON_FLAGS, type Flag, formatUsage, parseArguments, UsageError } from './arguments.ts'
import { CommandFailure, complain, EXIT, formatTable, printLine } from './output.ts'
import { describeSystemError } from './system-error.ts'
import { type Command, COMMANDS, INNER_COMMANDS } from './table.ts'

/**
 * Runs a command line; resolves to its exit code: 0 done, 1 it failed, 2 wrong words. A command of
 * two words may also come as one: `appengine help "company create"`.
 */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  try {
    const [first, ...others] = argv
    if (first === undefined || isHelp(first)) return runHelp(others.flatMap(splitWords))
    const words = isVersion(first) ? ['version', ...others] : [...splitWords(first), ...others]
    const command = requireCommand(words)
    const rest = words.slice(command.name.split(' ').length)
    if (rest.some((word) => word === '--help' || word === '-h'))
      return runHelp(command.name.split(' '))
    return await command.run(parseArguments(command, rest))
  } catch (thrown) {
    return explain(thrown)
  }
}

const splitWords = (text: string): string[] => text.trim().split(/\s+/)

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
  complain(describe(thrown))
  return EXIT.failed
}

const describe = (thrown: unknown): string =>
  describeStorageFault(thrown) ??
  (isExpected(thrown) ? thrown.message : (describeSystemError(thrown) ?? describeFault(thrown)))

/** Errors whose message is a sentence for the operator who typed the command. */
function isExpected(thrown: unknown): thrown is Error {
  return (
    thrown instanceof CommandFailure ||
    thrown instanceof SettingError ||
    thrown instanceof UnusableBackup ||
    thrown instanceof LogOutgrown ||
    (thrown instanceof Failure && thrown.kind !== 'internal')
  )
}

const describeFault = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)

const planRow = (command: Command): [string, string] => [
  `  ${formatUsage(command)}`,
  command.summary,
]

/** The commands of a group (`user`), each with its sentence. */
const planGroup = (commands: readonly Command[]): string =>
  [
    formatTable(commands.map(planRow)),
    '',
    '"appengine help COMMAND" explains one with its flags.',
  ].join('\n')

/** Lists the commands with their sentences. */
function planOverview(commands: readonly Command[]): string {
  const help: [string, string] = [
    '  help [COMMAND|GROUP]',
    'Explains the commands, one with its flags, or a group such as "user"',
  ]
  return [
    'Usage: appengine COMMAND [FLAGS]',
    '',
    formatTable([...commands.map(planRow), help]),
    '',
    'Results are printed on standard output, errors on standard error.',
    'Exit codes: 0 success, 1 failure, 2 wrong arguments.',
  ].join('\n')
}

/** Describes one command with its words and flags. */
function planHelp(command: Command): string {
  return [
    `Usage: appengine ${formatUsage(command)} [FLAGS]`,
    '',
    command.summary + '.',
    '',
    formatTable([
      ...Object.entries({ ...command.flags, ...COMMON_FLAGS }).map(([flag, facts]) =>
        planFlag(flag, facts),
      ),
      ['  --Svc:NAME=VALUE', 'Overrides a setting ("appengine settings" lists them)'],
    ]),
  ].join('\n')
}

function planFlag(name: string, { kind, value, meaning }: Flag): [string, string] {
  const shown = kind === 'switch' ? `  --${name}` : `  --${name} ${value ?? 'VALUE'}`
  return [shown, kind === 'list' ? `${meaning} (may be repeated)` : meaning]
}
