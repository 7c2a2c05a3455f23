/** Completion of commands and flags in a shell; bash is at hand everywhere, so it is asked. */
import { expect, test } from 'bun:test'
import { planCompletion } from '../../src/commands/completion.ts'
import { COMMANDS } from '../../src/commands/table.ts'

/** Completions of bash for the last of these words. */
function complete(...words: string[]): string[] {
  const given = words.map((word) => `'${word}'`).join(' ')
  const lines = [
    planCompletion('bash', COMMANDS),
    `COMP_WORDS=(${given}); COMP_CWORD=${words.length - 1}; _appengine`,
    'printf "%s\\n" "${COMPREPLY[@]}"',
  ]
  const { exitCode, stdout } = Bun.spawnSync(['bash', '-c', lines.join('\n')])
  expect(exitCode).toBe(0)
  return stdout
    .toString()
    .split('\n')
    .filter((word) => word !== '')
}

test.each([
  [['appengine', 'us'], ['user']],
  [['appengine', '--v'], ['--version']],
  [['appengine', 'user', 'lo'], ['lock']],
  [['appengine', 'user', 'create', '--pass'], ['--password-stdin']],
  [['appengine', 'serve', '--por'], ['--port']],
  [['appengine', 'completion', 'z'], ['zsh']],
  [['appengine', 'help', 'us'], ['user']],
  // Bash falls back to files.
  [['appengine', 'deploy', 'mo'], []],
])('bash completes %p', (words, offered) => {
  expect(complete(...words)).toEqual(offered)
})

test('every shell is offered every command and flag', () => {
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    const script = planCompletion(shell, COMMANDS)
    for (const { name, flags } of COMMANDS) {
      for (const word of name.split(' ')) expect(script).toContain(word)
      for (const flag of Object.keys(flags)) expect(script).toContain(flag)
    }
  }
})
