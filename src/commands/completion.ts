/** `appengine completion SHELL`: the script that completes commands and flags in a shell. */
import { type Arguments, type CommandShape, COMMON_FLAGS, UsageError } from './arguments.ts'
import { EXIT, printResult } from './output.ts'

interface Command extends CommandShape {
  summary: string
}

const SHELLS: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: planBash,
  zsh: planZsh,
  fish: planFish,
  powershell: planPowerShell,
}

/** Prints the script of a shell; its head says where it goes. */
export async function runCompletion(
  args: Arguments,
  commands: readonly Command[],
): Promise<number> {
  const shell = args.word(0)
  if (!Object.hasOwn(SHELLS, shell))
    throw new UsageError(`"${shell}" is no shell of: ${Object.keys(SHELLS).join(', ')}`)
  const script = planCompletion(shell, commands)
  printResult(args, script, { Shell: shell, Script: script })
  return EXIT.done
}

/** The script of one of the four shells. */
export const planCompletion = (shell: string, commands: readonly Command[]): string =>
  SHELLS[shell]?.(commands) ?? ''

/** Lists the possible first words, each once: a group represents its commands. */
const firstWords = (commands: readonly Command[]): string[] => [
  ...new Set([...commands.map(({ name }) => name.split(' ')[0] ?? ''), 'help']),
]

/** Groups with the second words of their commands: `user` with create, lock … */
function planGroups(commands: readonly Command[]): Map<string, Command[]> {
  const groups = new Map<string, Command[]>()
  for (const command of commands) {
    const [first = '', second] = command.name.split(' ')
    if (second !== undefined) groups.set(first, [...(groups.get(first) ?? []), command])
  }
  return groups
}

const secondWord = ({ name }: Command): string => name.split(' ')[1] ?? ''

const flagsOf = (command: Command): string[] =>
  Object.keys({ ...command.flags, ...COMMON_FLAGS }).map((name) => `--${name}`)

/** Plans the words that may follow each word or pair of words, as `case` branches of a shell. */
function planBranches(commands: readonly Command[]): string {
  const groups = [...planGroups(commands)].map(
    ([first, members]) => `    '${first}') words='${members.map(secondWord).join(' ')}' ;;`,
  )
  const help = `    'help') words='${firstWords(commands).join(' ')}' ;;`
  const shells = `    'completion') words='${Object.keys(SHELLS).join(' ')}' ;;`
  const flags = commands.map(
    (command) => `    '${command.name}') flags='${flagsOf(command).join(' ')}' ;;`,
  )
  return [
    '  case "$first" in',
    ...groups,
    help,
    shells,
    '  esac',
    '  case "$name" in',
    ...flags,
    '  esac',
  ].join('\n')
}

/** Words of a group are offered second, flags after them, files where neither fits. */
function planBash(commands: readonly Command[]): string {
  return `# appengine completion bash > /etc/bash_completion.d/appengine
_appengine() {
  local current="\${COMP_WORDS[COMP_CWORD]}" first="\${COMP_WORDS[1]}" name words='' flags=''
  name="$first"
${planNameOfGroup(commands, '${COMP_WORDS[2]}')}
${planBranches(commands)}
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${firstWords(commands).join(' ')}' flags='--help --version'
  fi
  if [ "$COMP_CWORD" -gt 2 ]; then words=''; fi
  case "$current" in -*) words="$flags" ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _appengine appengine`
}

function planZsh(commands: readonly Command[]): string {
  return `#compdef appengine
# appengine completion zsh > "\${fpath[1]}/_appengine"
_appengine() {
  local first="\${words[2]}" name words_='' flags=''
  name="$first"
${planNameOfGroup(commands, '${words[3]}')}
${planBranches(commands).replaceAll("words='", "words_='")}
  if [ "$CURRENT" -eq 2 ]; then
    words_='${firstWords(commands).join(' ')}' flags='--help --version'
  fi
  if [ "$CURRENT" -gt 3 ]; then words_=''; fi
  case "\${words[CURRENT]}" in -*) words_="$flags" ;; esac
  if [ -n "$words_" ]; then compadd -- \${=words_}; else _files; fi
}
if [ "\${funcstack[1]}" = '_appengine' ]; then _appengine "$@"
else compdef _appengine appengine; fi`
}

/** A command of a group bears two words. */
function planNameOfGroup(commands: readonly Command[], second: string): string {
  const groups = [...planGroups(commands).keys()].join('|')
  return `  case "$first" in ${groups}) name="$first ${second}" ;; esac`
}

function planFish(commands: readonly Command[]): string {
  const words = commands.map(
    ({ name }) => `__fish_seen_subcommand_from ${name.split(' ')[0] ?? ''}`,
  )
  const groups = planGroups(commands)
  const firsts = firstWords(commands).map((first) => {
    const single = commands.find(({ name }) => name === first)
    const meaning = single?.summary ?? planGroupMeaning(groups.get(first))
    return `complete -c appengine -n __fish_use_subcommand -f -a ${first} -d ${quote(meaning)}`
  })
  const seconds = [...groups].flatMap(([first, members]) =>
    members.map(
      (command) =>
        `complete -c appengine -n ${quote(`__fish_seen_subcommand_from ${first}`)} -f ` +
        `-a ${secondWord(command)} -d ${quote(command.summary)}`,
    ),
  )
  const flags = commands.flatMap((command, at) =>
    Object.entries({ ...command.flags, ...COMMON_FLAGS }).map(([name, { kind, meaning }]) => {
      const second = secondWord(command)
      const both = second === '' ? '' : `; and __fish_seen_subcommand_from ${second}`
      const value = kind === 'switch' ? '' : ' -r'
      const condition = quote(`${words[at] ?? ''}${both}`)
      return `complete -c appengine -n ${condition} -l ${name}${value} -d ${quote(meaning)}`
    }),
  )
  return [
    '# appengine completion fish > ~/.config/fish/completions/appengine.fish',
    ...firsts,
    ...seconds,
    ...flags,
  ].join('\n')
}

const planGroupMeaning = (members: readonly Command[] | undefined): string =>
  members === undefined ? 'Explains the commands' : members.map(secondWord).join(', ')

/** Single quotes of fish: a quote and a backslash in them are escaped. */
const quote = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`

function planPowerShell(commands: readonly Command[]): string {
  const list = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ')
  const groups = [...planGroups(commands)].map(
    ([first, members]) => `    '${first}' = @(${list(members.map(secondWord))})`,
  )
  const flags = commands.map((command) => `    '${command.name}' = @(${list(flagsOf(command))})`)
  return `# appengine completion powershell >> $PROFILE
Register-ArgumentCompleter -Native -CommandName appengine -ScriptBlock {
  param($word, $ast, $position)
  $groups = @{
${groups.join('\n')}
  }
  $flags = @{
${flags.join('\n')}
  }
  $given = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" } |
    Where-Object { $_ -ne $word -and -not $_.StartsWith('-') })
  $name = if ($given.Count -gt 1 -and $groups.ContainsKey($given[0])) {
    "$($given[0]) $($given[1])"
  } else { "$($given[0])" }
  $offered = if ($word.StartsWith('-')) { $flags[$name] }
    elseif ($given.Count -eq 0) { @(${list(firstWords(commands))}) }
    elseif ($given.Count -eq 1) { $groups[$given[0]] }
  $offered | Where-Object { $_ -like "$word*" } |
    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}`
}
