/** `appengine backup`, `restore` and `resume`, as an operator types them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findServedDemo, runCommand, temporaryFolder } from '../support/executable.ts'

const home = temporaryFolder()
const at = (name: string): string => join(home.path, name)
const SECRET = ['--passphrase-file', at('passphrase')]
const NAMES = ['backup-20261127T000000Z.tar.zst.age', 'backup-20261128T000000Z.tar.zst.age']

const run = (...words: string[]) => runCommand(words, { cwd: home.path })

beforeAll(async () => {
  cpSync(await findServedDemo(), at('data'), { recursive: true })
  writeFileSync(at('passphrase'), 'a horse and a battery\n')
  writeFileSync(at('short'), 'horse')
  mkdirSync(at('backups'))
})

afterAll(() => home[Symbol.dispose]())

test('a backup is made, and its command says how secret it is', async () => {
  const made = await run('backup', join('backups', NAMES[0] ?? ''), '--data', 'data', ...SECRET)
  expect(made).toMatchObject({ exitCode: 0, stderr: '' })
  expect(made.stdout).toContain('without its passphrase nobody can restore it')
  const open = await run('backup', 'open.tar.zst', '--data', 'data', '--json')
  expect(JSON.parse(open.stdout)).toMatchObject({ Encrypted: false, Missing: [], LeftOut: [] })
  cpSync(join(at('backups'), NAMES[0] ?? ''), join(at('backups'), NAMES[1] ?? ''))
})

test('a backup is listed, and single files come out of it', async () => {
  const listed = await run('restore', 'open.tar.zst', '--list', '--json')
  const { Files, Databases } = JSON.parse(listed.stdout)
  const names = Files.map(({ Name }: { Name: string }) => Name)
  expect(names.slice(0, 2)).toEqual(['engine.db', 'state.db'])
  expect(Databases.engine.Rows.orders).toBe(400)
  const taken = await run('restore', 'open.tar.zst', '--only', 'extensions', '--data', 'only')
  expect(taken).toMatchObject({ exitCode: 0, stderr: '' })
  expect(readdirSync(at('only'))).toEqual(['extensions'])
})

test('the last backup of a time is restored, whole, and lets go what it holds', async () => {
  const time = ['--at', '2026-11-27T12:00Z', '--data', 'restored']
  const { exitCode, stdout, stderr } = await run('restore', 'backups', ...time, ...SECRET)
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
  expect(stderr).toStartWith(`Taken: ${NAMES[0]}\n`)
  expect(stdout).toContain('Everybody has to sign in again.')
  expect(stdout).toContain('appengine resume --data restored')
  expect((await run('check', '--data', 'restored')).exitCode).toBe(0)
  expect((await run('check', '--audit', '--data', 'restored')).exitCode).toBe(0)
  const resumed = await run('resume', '--data', 'restored', '--json')
  expect(JSON.parse(resumed.stdout)).toEqual({ Jobs: 0, Mails: 0 })
})

const WRONG: readonly [words: string[], exitCode: number, says: string][] = [
  [['backup', 'open.tar.zst', '--data', 'data'], 1, 'exists already'],
  [['backup', 'b', '--data', 'nothing'], 1, 'is no data folder'],
  [['backup', 'b', '--data', 'data', '--passphrase-file', 'short'], 1, '12 characters'],
  [['restore', 'open.tar.zst', '--data', 'data'], 1, 'is not empty'],
  [['restore', 'open.tar.zst', '--data', 'x', ...SECRET], 1, 'is not encrypted'],
  [['restore', 'passphrase', '--data', 'x'], 1, 'no backup'],
  [['restore', 'nothing', '--data', 'x'], 1, 'does not exist'],
  [['restore', 'backups', '--data', 'x'], 2, 'or a time by --at'],
  [['restore', 'backups', '--at', '2020-01-01', '--data', 'x'], 1, 'has no backup of'],
  [['restore', 'backups', '--at', 'soon', '--data', 'x'], 2, '--at takes a time'],
  [['restore', 'open.tar.zst', '--only', 'files/none', '--data', 'x'], 1, 'has no such file'],
  [['resume', '--token', 't', '--data', 'x'], 2, '--token goes with --url'],
]

test.each(WRONG)('%j ends with %i and says why', async (words, exitCode, says) => {
  const end = await run(...words)
  expect(end.stderr).toContain(says)
  expect(end.stderr).not.toMatch(/\bat .*\.ts:\d/)
  expect(end.exitCode).toBe(exitCode)
  expect(readdirSync(home.path)).not.toContain('x')
})
