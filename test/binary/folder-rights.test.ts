/** Rights to a data folder: no other user of the machine may read it. */
import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand, startExecutable, temporaryFolder } from '../support/executable.ts'

/** Names of what others may do anything with, the folder itself as ''. */
function findOpen(folder: string): string[] {
  const names = ['', ...readdirSync(folder, { recursive: true }).map(String)]
  return names.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)
}

test('a folder that was there before the first start is shut, with a warning', async () => {
  using home = temporaryFolder()
  const folder = join(home.path, 'data')
  mkdirSync(folder)
  chmodSync(folder, 0o755)
  const words = ['company', 'create', 'A', '--name', 'A', '--data', folder]
  const { exitCode, stderr } = await runCommand(words, { cwd: home.path })
  expect(exitCode).toBe(0)
  expect(stderr).toContain(`could read ${folder}; now only the owner can`)
  expect(stderr).not.toContain('keys rotate')
  expect(findOpen(folder)).toEqual([])
})

test('what stands open in a data folder is shut and named; what is not ours stays', async () => {
  using home = temporaryFolder()
  const folder = join(home.path, 'data')
  mkdirSync(folder)
  await using server = await startExecutable({ dataFolder: folder, args: [] })
  await server.stop()
  writeFileSync(join(folder, 'notes.txt'), 'mine', { mode: 0o644 })
  writeFileSync(join(folder, 'engine.db.before-1'), 'a copy')
  writeFileSync(join(folder, 'uploads', 'left'), 'a part')
  const all = readdirSync(folder, { recursive: true }).map(String)
  for (const name of all) chmodSync(join(folder, name), 0o755)
  chmodSync(folder, 0o755)
  const words = ['company', 'create', 'B', '--name', 'B', '--data', folder]
  const { stderr } = await runCommand(words, { cwd: home.path })
  for (const name of ['engine.db', 'state.db']) expect(all).toContain(name)
  expect(stderr).toContain(`could read ${folder}, `)
  expect(stderr).toContain('"appengine keys rotate"')
  expect(findOpen(folder)).toEqual(['notes.txt'])
  const again = await runCommand(['company', 'create', 'C', '--name', 'C', '--data', folder], {
    cwd: home.path,
  })
  expect(again).toMatchObject({ exitCode: 0, stderr: '' })
})

test('logs and backups that settings put elsewhere are shut; a group there stays', async () => {
  using home = temporaryFolder()
  const [folder, logs, backups] = ['data', 'logs', 'backups'].map((name) => join(home.path, name))
  if (!folder || !logs || !backups) throw new Error('three folders')
  for (const each of [folder, logs, backups]) mkdirSync(each, { mode: 0o755 })
  const put = (path: string, mode: number): void => {
    writeFileSync(path, 'lines')
    chmodSync(path, mode)
  }
  const modes = (of: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(of).map((name) => [name, (statSync(join(of, name)).mode & 0o777).toString(8)]),
    )
  const run = (log: string) =>
    runCommand(['company', 'create', log.length.toString(), '--name', 'A', '--data', folder], {
      cwd: home.path,
      env: { Svc__Log__File: log, Svc__Backup__Folder: backups },
    })
  chmodSync(folder, 0o700)
  put(join(folder, 'server.log'), 0o644)
  put(join(folder, 'server.log.1'), 0o640)
  put(join(folder, 'server.login'), 0o644)
  const inside = await run('server.log')
  expect(inside.stderr).toContain(
    `could read ${join(folder, 'server.log')}, ${join(folder, 'server.log.1')}; now only the owner`,
  )
  expect(inside.stderr).not.toContain('keys rotate')
  expect(findOpen(folder)).toEqual(['server.login'])
  put(join(logs, 'server.log'), 0o644)
  put(join(logs, 'server.log.12'), 0o640)
  put(join(logs, 'other.log'), 0o644)
  put(join(backups, 'backup-20261128T120000Z.tar.zst'), 0o644)
  put(join(backups, 'notes.txt'), 0o644)
  const outside = await run(join(logs, 'server.log'))
  expect(outside.stderr).toContain('; now they cannot. Anyone who could read them may know')
  expect(modes(logs)).toEqual({ 'server.log': '640', 'server.log.12': '640', 'other.log': '644' })
  expect(modes(backups)).toEqual({
    'backup-20261128T120000Z.tar.zst': '640',
    'notes.txt': '644',
  })
})
