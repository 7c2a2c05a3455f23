/** The files of a rollback: what is cut off is finished, whole. */
import { afterAll, describe, expect, test } from 'bun:test'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { openReadOnly } from '../../src/store/file/open.ts'
import { makeBackup } from '../../src/engine/backups/make-backup.ts'
import { finishRollback } from '../../src/engine/upgrades/rollback-folder.ts'
import { requireMovable, requireSwapped } from '../../src/engine/upgrades/swap-folder.ts'
import { temporaryFolder } from '../support/executable.ts'

const home = temporaryFolder()
const at = (...names: string[]): string => join(home.path, ...names)
const LIMITS = { readTimeoutMs: 1000, writeTimeoutMs: 0, writerMaxWaitMs: 0 }
let folders = 0

/** The message of a promise that must fail. */
const failureOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(() => 'It did not fail', String)

afterAll(() => home[Symbol.dispose]())

describe('a rollback that is cut off', () => {
  const NEW: Record<string, string> = {
    'engine.db': 'new',
    'engine.db-wal': 'new',
    'state.db': 'new',
    'appsettings.json': 'new',
    'files/new': 'new',
    'uploads/new': 'new',
  }
  const OLD: Record<string, string> = { 'engine.db': 'old', 'state.db': 'old', 'files/old': 'old' }
  const OTHERS = { 'lock.db': 'lock', 'backups/b': 'backup', 'outbox/mail.eml': 'mail' }
  const BACK = { At: 'then', Version: '0.0.9', Schema: 21, Held: true, Waiting: 0 }

  const write = (folder: string, files: Record<string, string>): void => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, '..'), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
  }

  const read = (folder: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((each) => each.isFile())
        .map((each) => join(each.parentPath, each.name))
        .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
    )

  /** A folder whose rollback was decided, with the moves that came before its end. */
  function makeCut(moves: readonly [from: string, to: string][]): string {
    const folder = at(`cut-${++folders}`)
    write(folder, { ...NEW, ...OTHERS })
    const work = { 'facts.json': JSON.stringify(BACK), 'moving-out': '' }
    write(join(folder, '.rollback', 'folder'), OLD)
    write(join(folder, '.rollback'), work)
    mkdirSync(join(folder, '.rollback', 'replaced'))
    for (const [from, to] of moves)
      if (to === '') rmSync(join(folder, from))
      else renameSync(join(folder, from), join(folder, to))
    return folder
  }

  const out = (name: string): [string, string] => [name, `.rollback/replaced/${name}`]
  const OUT = ['engine.db', 'engine.db-wal', 'state.db', 'appsettings.json', 'files', 'uploads']
  const ALL_OUT = OUT.map(out)
  const UNMARKED: [string, string] = ['.rollback/moving-out', '']
  const back = (name: string): [string, string] => [`.rollback/folder/${name}`, name]

  test.each<[string, [string, string][]]>([
    ['before the first move', []],
    ['behind the database', [out('engine.db')]],
    ['behind the last move out', ALL_OUT],
    ['before the first move in', [...ALL_OUT, UNMARKED]],
    ['amid the moves in', [...ALL_OUT, UNMARKED, back('files'), back('state.db')]],
  ])('%s is finished, and nothing else begins before that', async (_, moves) => {
    const folder = makeCut(moves)
    expect(await failureOf(requireSwapped(folder))).toContain('Run "appengine rollback" once more')
    expect(await finishRollback(folder)).toEqual(BACK)
    expect(read(folder)).toEqual({ ...OLD, ...OTHERS, 'appsettings.json.replaced': 'new' })
    expect(await finishRollback(folder)).toBeUndefined()
  })

  test('behind the last move is the older folder, and a start removes what is left', async () => {
    const moves = [...ALL_OUT, UNMARKED, back('files'), back('state.db'), back('engine.db')]
    const folder = makeCut(moves)
    await requireSwapped(folder)
    expect(read(folder)).toEqual({ ...OLD, ...OTHERS, 'appsettings.json.replaced': 'new' })
  })

  test('says so to commands that only read', async () => {
    const folder = makeCut([out('engine.db')])
    const target = at('backup.tar.zst')
    const now = (): Date => new Date()
    for (const work of [
      openReadOnly(join(folder, 'engine.db'), LIMITS),
      makeBackup({ folder, target, secrets: [], engine: 'test', limits: LIMITS, now }),
    ])
      expect(await failureOf(work)).toContain(`A rollback of ${folder} was interrupted`)
  })
})

test('a folder that is spread over disks is not rolled back', () => {
  const folder = at('spread')
  mkdirSync(folder)
  symlinkSync(home.path, join(folder, 'files'))
  expect(() => requireMovable(folder)).toThrow('is a link, or on a disk of its own')
})
