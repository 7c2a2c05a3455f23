/** `appengine help`: the commands, or all of one. */
import { COMMON_FLAGS } from './arguments.ts'
import type { Flag } from './arguments.ts'
import { formatTable } from './output.ts'
import type { Command } from './table.ts'

const planRow = ({ name, words, summary }: Command): [string, string] => [
  `  ${[name, ...words].join(' ')}`,
  summary,
]

/** The commands of a group (`user`), each with its sentence. */
export const planGroup = (commands: readonly Command[]): string =>
  [
    formatTable(commands.map(planRow)),
    '',
    '"appengine help COMMAND" explains one with its flags.',
  ].join('\n')

/** Every command with its sentence. */
export function planOverview(commands: readonly Command[]): string {
  const help: [string, string] = [
    '  help [COMMAND|GROUP]',
    'Explains the commands, one with its flags, or a group such as "user"',
  ]
  return [
    'Usage: appengine COMMAND [FLAGS]',
    '',
    formatTable([...commands.map(planRow), help]),
    '',
    'Results are printed on standard output, complaints on standard error.',
    'Exit codes: 0 done, 1 it failed, 2 wrong words.',
  ].join('\n')
}

/** One command with its words and flags. */
export function planHelp({ name, words, flags, summary }: Command): string {
  return [
    `Usage: appengine ${[name, ...words].join(' ')} [FLAGS]`,
    '',
    summary + '.',
    '',
    formatTable([
      ...Object.entries({ ...flags, ...COMMON_FLAGS }).map(([flag, facts]) =>
        planFlag(flag, facts),
      ),
      ['  --Svc:NAME=VALUE', 'Overrides a setting ("appengine settings" lists them)'],
    ]),
  ].join('\n')
}

function planFlag(name: string, { kind, value, meaning }: Flag): [string, string] {
  const shown = kind === 'switch' ? `  --${name}` : `  --${name} ${value ?? 'VALUE'}`
  return [shown, kind === 'list' ? `${meaning} (may be there several times)` : meaning]
}
