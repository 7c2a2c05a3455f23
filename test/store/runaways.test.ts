/** SQL that asks for huge values at once, between two looks at the memory of the process. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { MB } from '../../src/kernel/setting.ts'
import { heapBytesMax } from '../../src/store/connection/heap-bound.ts'
import { makeFolder } from './temporary.ts'

const BYTES = 32 * MB

/** Memory that JavaScript and the C library take beside SQLite. */
const BESIDE_MB = 64

const RUNAWAYS = [
  ...['replace', 'concat', 'printf', 'group_concat', 'doubling', 'zeroblob', 'cell', 'text'],
  ...['hex', 'randomblob', 'json', 'window', 'distinct'],
]

const folder = makeFolder()
let lines: string[][] = []
beforeAll(async () => {
  const script = join(import.meta.dir, 'runaways.ts')
  const child = Bun.spawn([process.execPath, script, folder.folder, String(BYTES)], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  lines = (await child.stdout.text())
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
}, 60_000)
afterAll(() => folder[Symbol.dispose]())

const outcomeOf = (where: string, name: string): string | undefined =>
  lines
    .find((line) => line[0] === where && line[1] === name)
    ?.slice(2, -1)
    .join(' ')

for (const name of RUNAWAYS)
  test(`${name} without end is refused for its memory, and nothing beside it is`, () => {
    expect(outcomeOf('lane', name)).toBe('invalid SQL_MEMORY')
    expect(outcomeOf('beside', name)).toBe('done done done')
    expect(outcomeOf('writer', name)).toBe('invalid SQL_MEMORY')
  })

test('what was written beside them is stored, and nothing of theirs', () => {
  expect(outcomeOf('after', 'all')).toBe(String(RUNAWAYS.length))
})

test('none has the process grow beyond the bound', () => {
  const grownMb = Number(lines.at(-1)?.at(-1))
  expect(grownMb).toBeGreaterThan(0)
  expect(grownMb).toBeLessThan(heapBytesMax(BYTES) / MB + BESIDE_MB)
})

test('the bound is at most a fifth beyond the setting where that is what it is by default', () => {
  expect(heapBytesMax(512 * MB)).toBeLessThan(512 * MB * 1.2)
  expect(heapBytesMax(512 * MB)).toBeGreaterThan(512 * MB)
})
