/** Large writes go to the disk piece by piece, and processes give way with all their threads. */
import { expect, spyOn, test } from 'bun:test'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { GentleFile, removeGently } from '../../src/kernel/gentle-disk.ts'
import { lowerPriority } from '../../src/kernel/priority.ts'
import { temporaryFolder } from '../support/executable.ts'

const MB = 1024 * 1024

/** Counts how often files are synced or cut; one handle shows the class of all. */
async function countCalls(folder: string, method: 'datasync' | 'truncate') {
  const handle = await open(folder, 'r')
  const spy = spyOn(Object.getPrototypeOf(handle) as typeof handle, method)
  await handle.close()
  return spy
}

test('a large file is synced every few MB, and is what was written', async () => {
  using home = temporaryFolder()
  const syncs = await countCalls(home.path, 'datasync')
  try {
    const path = join(home.path, 'large')
    const file = await GentleFile.make(path)
    const piece = Buffer.alloc(MB, 'x')
    for (let at = 0; at < 13; at++) await file.write(piece.fill(at))
    expect(syncs.mock.calls.length).toBeGreaterThanOrEqual(3)
    await file.write(Buffer.from([77]), 6 * MB + 5)
    await file.truncate(12 * MB)
    await file.sync()
    await file.close()
    const content = readFileSync(path)
    expect(content.length).toBe(12 * MB)
    for (let at = 0; at < 12; at++) expect(content[at * MB + 5]).toBe(at === 6 ? 77 : at)
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o077).toBe(0)
    expect(await GentleFile.make(path).catch(String)).toContain('EEXIST')
  } finally {
    syncs.mockRestore()
  }
})

test('writes all over a file are synced after fewer bytes', async () => {
  using home = temporaryFolder()
  const syncs = await countCalls(home.path, 'datasync')
  try {
    const file = await GentleFile.make(join(home.path, 'pages'))
    for (let at = 0; at < 256; at++) await file.write(Buffer.alloc(4096, at), at * 12_288)
    await file.close()
    expect(syncs.mock.calls.length).toBeGreaterThanOrEqual(3)
  } finally {
    syncs.mockRestore()
  }
})

test('a large file gives its room back by pieces, one with another name keeps it', async () => {
  using home = temporaryFolder()
  const cuts = await countCalls(home.path, 'truncate')
  const addFile = (name: string): string => {
    const path = join(home.path, 'folder', name)
    writeFileSync(path, 'x')
    truncateSync(path, 100 * MB)
    return path
  }
  try {
    mkdirSync(join(home.path, 'folder'))
    const [kept] = [addFile('linked'), addFile('alone')]
    linkSync(kept, join(home.path, 'kept'))
    await removeGently(join(home.path, 'folder'))
    expect(cuts.mock.calls.map(([left]) => left)).toEqual([68 * MB, 36 * MB, 4 * MB])
    expect(existsSync(join(home.path, 'folder'))).toBe(false)
    expect(statSync(join(home.path, 'kept')).size).toBe(100 * MB)
    await removeGently(join(home.path, 'folder'))
  } finally {
    cuts.mockRestore()
  }
})

test('a process gives way with the threads that it has already', async () => {
  if (process.platform !== 'linux') return expect(() => lowerPriority(19, 2 ** 30)).not.toThrow()
  const code = `await import('libsql').then((each) => new each.default(':memory:'));
    console.log('ready'); setInterval(() => {}, 1000)`
  const child = Bun.spawn([process.execPath, '-e', code], {
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: join(import.meta.dir, '../..'),
  })
  try {
    for await (const _ of child.stdout) break
    const tasks = `/proc/${child.pid}/task`
    const before = readdirSync(tasks)
    expect(before.length).toBeGreaterThan(2)
    lowerPriority(19, child.pid)
    const niceness = before.map((id) => {
      const stat = readFileSync(join(tasks, id, 'stat'), 'latin1')
      // Field 19 of proc(5); the name before it may hold anything.
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
    })
    expect(new Set(niceness)).toEqual(new Set([19]))
  } finally {
    child.kill()
    await child.exited
  }
})
