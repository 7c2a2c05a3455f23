/** `appengine rollback`, as an operator types it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  findServedDemo,
  runCommand,
  startExecutable,
  temporaryFolder,
} from '../support/executable.ts'
import { until } from '../support/until.ts'
import { BEFORE_LAST, makeOlderFolder, OLDER_VERSION } from '../../scripts/verify/older-folder.ts'

const home = temporaryFolder()
const data = join(home.path, 'data')

const run = (...words: string[]) => runCommand([...words, '--data', 'data'], { cwd: home.path })

beforeAll(async () => makeOlderFolder(await findServedDemo(), data))

afterAll(() => home[Symbol.dispose]())

test('rollback goes back before the last upgrade', async () => {
  const nothing = await run('rollback')
  expect(nothing).toMatchObject({ exitCode: 1, stdout: '' })
  expect(nothing.stderr).toContain('knows of no upgrade')
  {
    await using server = await startExecutable({ args: [], dataFolder: data })
    // Its log comes by another pipe than the word that it listens.
    await until(() => server.errors().includes('The upgrade was tried on a copy, which is whole'))
    const beside = await run('rollback', '--yes')
    expect(beside).toMatchObject({ exitCode: 1, stdout: '' })
    expect(beside.stderr).toContain('The data folder is in use. Stop its server')
  }
  expect((await run('company', 'create', 'LATER', '--name', 'Later')).exitCode).toBe(0)
  const asked = await run('rollback')
  expect(asked).toMatchObject({ exitCode: 1, stdout: '' })
  expect(asked.stderr).toContain('is lost: 1 entry of the audit log, the last of 20')
  expect(asked.stderr).toContain('  svc_companies: 4 rows, 3 afterwards\n')
  expect(asked.stderr).toEndWith('Nothing was changed. Use --yes to go back.\n')
  const back = await run('rollback', '--yes', '--json')
  expect(back.exitCode).toBe(0)
  expect(JSON.parse(back.stdout)).toMatchObject({
    Folder: data,
    Version: OLDER_VERSION,
    Schema: BEFORE_LAST.engine,
    Held: true,
    Lost: { Changes: 1, Rows: [{ Table: 'svc_companies', Now: 4, Then: 3 }] },
  })
  expect((await run('check')).exitCode).toBe(0)
  expect((await run('check', '--audit')).exitCode).toBe(0)
})

test('a folder that is not there is not made', async () => {
  const { exitCode, stderr } = await runCommand(['rollback', '--data', 'none'], { cwd: home.path })
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: `${join(home.path, 'none')} is no data folder: it has no engine.db.\n`,
  })
})
