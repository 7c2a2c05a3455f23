/** The log in a file: when another one is begun, which ones stay, and what a full disk does. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { LogFile } from '../../src/kernel/log-file.ts'
import { temporaryFolder } from '../support/executable.ts'

const HOUR = 3_600_000
let home: ReturnType<typeof temporaryFolder>
let path: string
let now = 0
let lost: string[] = []
beforeEach(() => {
  home = temporaryFolder()
  path = join(home.path, 'server.log')
  now = Date.now()
  lost = []
})
afterEach(() => home[Symbol.dispose]())

const open = (change: { bytesMax?: number; ageMs?: number; keep?: number } = {}): LogFile =>
  new LogFile({
    path,
    bytesMax: 10,
    ageMs: HOUR,
    keep: 2,
    clock: { now: () => new Date(now) },
    fallback: (text) => lost.push(text),
    ...change,
  })
const read = (end = ''): string | undefined =>
  existsSync(path + end) ? readFileSync(path + end, 'utf8') : undefined
const readAll = () => ['', '.1', '.2', '.3'].map(read)

test('a full file makes room: the earlier ones have numbers, and the oldest goes', () => {
  const log = open()
  for (const line of ['one\n', 'two\n', 'three\n', 'four\n', 'äöüäöü\n', 'six\n', 'seven\n'])
    log.write(line)
  expect(readAll()).toEqual(['six\nseven\n', 'äöüäöü\n', 'four\n', undefined])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(lost).toEqual([])
})

test('lines are never cut: one that is longer than a file has one of its own', () => {
  const log = open()
  log.write('x\n')
  log.write('a line over ten bytes\n')
  log.write('y\n')
  expect(readAll().slice(0, 3)).toEqual(['y\n', 'a line over ten bytes\n', 'x\n'])
})

test('an old file makes room, also one of an earlier process; a clock set back does not', () => {
  const log = open({ bytesMax: 1000 })
  log.write('a\n')
  now -= 5 * HOUR
  log.write('b\n')
  now += HOUR - 1
  log.write('c\n')
  expect(read()).toBe('a\nb\nc\n')
  now += 1
  log.write('d\n')
  expect(readAll().slice(0, 2)).toEqual(['d\n', 'a\nb\nc\n'])
  log.close()
  now = Date.now() + 2 * HOUR
  open({ bytesMax: 1000 }).write('e\n')
  expect(readAll().slice(0, 3)).toEqual(['e\n', 'd\n', 'a\nb\nc\n'])
})

test('another program renames it and has it opened again', () => {
  const log = open({ bytesMax: 1000 })
  log.write('before\n')
  renameSync(path, `${path}-moved`)
  log.write('still there\n')
  log.reopen()
  log.write('after\n')
  expect([read('-moved'), read()]).toEqual(['before\nstill there\n', 'after\n'])
})

test('what the file does not take goes to standard error, with the reason once', () => {
  const log = open()
  log.write('one\n')
  log.close()
  rmSync(path)
  mkdirSync(path)
  log.write('two\n')
  log.write('three\n')
  const [reason = '', ...lines] = lost
  expect(JSON.parse(reason)).toMatchObject({
    level: 'error',
    cause: expect.stringContaining('EISDIR'),
  })
  expect(lines).toEqual(['two\n', 'three\n'])
  rmSync(path, { recursive: true })
  log.write('four\n')
  expect([read(), lost.length]).toEqual(['four\n', 3])
  mkdirSync(join(home.path, 'other'))
  path = join(home.path, 'other')
  expect(open).toThrow('EISDIR')
})
