/** The way from a command line to a command, and from a thrown error to an exit code. */
import { tmpdir } from 'node:os'
import { isWriting } from '../kernel/disk-failure.ts'
import { Failure } from '../kernel/failure.ts'
import { SettingError } from '../kernel/settings.ts'
import { LogOutgrown } from '../store/file/copy-database.ts'
import { describeStorageFault } from '../store/file/explain-fault.ts'
import { findNearest } from '../model/names.ts'
import { UnusableBackup } from '../engine/backups/manifest.ts'
import { COMMON_FLAGS, type Flag, formatUsage, parseArguments, UsageError } from './arguments.ts'
import { CommandFailure, complain, EXIT, formatTable, printLine } from './output.ts'
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

const CONDITIONS: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only',
  EACCES: 'this user may not read or write it',
  EPERM: 'this user may not read or write it',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of this user is used up',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  EEXIST: 'it already exists, as something else',
  ELOOP: 'its path has a loop of links',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'this process has too many open files (ulimit -n)',
  ENFILE: 'the system has too many open files',
  EIO: 'the disk failed',
  ESTALE: 'its file system no longer knows it',
  ETIMEDOUT: 'its file system did not answer in time',
  ENOTCONN: 'its file system is not connected',
}

/** Error codes of missing rights; the system call tells whether to read or to write. */
const DENIED: ReadonlySet<string> = new Set(['EACCES', 'EPERM'])

/** A sentence for an error that the machine caused; undefined for any other. */
export function describeSystemError(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined
  return describeLibrary(thrown.message) ?? describePath(thrown)
}

function describePath(error: Error): string | undefined {
  if (!('code' in error) || typeof error.code !== 'string') return undefined
  const { syscall } = error as { syscall?: unknown }
  const isKnown = DENIED.has(error.code) && typeof syscall === 'string' && syscall !== 'open'
  const denied = isKnown
    ? `this user may not ${isWriting(syscall) ? 'write' : 'read'} it`
    : undefined
  const condition = denied ?? CONDITIONS[error.code]
  if (condition === undefined) return undefined
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined
  return path === undefined
    ? `The system refused (${error.code}): ${condition}`
    : `${path} cannot be used (${error.code}): ${condition}`
}

/** The database library is unpacked into the temporary folder and loaded from there. */
function describeLibrary(message: string): string | undefined {
  if (/GLIBC(?:XX)?_[\d.]+' not found/.test(message))
    return `The C library of this system is too old for this executable: ${message}`
  const missing = /(lib[\w+.-]+\.so[\d.]*): cannot open shared object file/.exec(message)?.[1]
  const missingMusl = /Error loading shared library (lib[\w+.-]+\.so[\d.]*)/.exec(message)?.[1]
  const library = missing ?? missingMusl
  if (library !== undefined)
    return `The shared library ${library} is missing. Alpine Linux: apk add libstdc++ libgcc`
  if (!NOT_UNPACKED.test(message)) return undefined
  return (
    `The database library cannot be loaded from the temporary folder ${tmpdir()}: it ` +
    'must be writable and must allow programs to run. Set TMPDIR to such a folder'
  )
}

const NOT_UNPACKED = /\.node: (?:failed to map segment|cannot open shared object file)/

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
