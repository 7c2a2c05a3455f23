/** Connections: each goes through the file layer that tells of failed reads. */
import { expect, test } from 'bun:test'
import { fileLayer, toUri } from '../../src/store/connection/native.ts'
import { sources } from './source.ts'

const DOOR = 'src/store/connection/native.ts'

/** Calls that open a database, and their required form in other places. */
const OPENINGS: [RegExp, RegExp][] = [
  // In memory there is no disk that fails.
  [/new \w*Database\((.*)/, /^':memory:'/],
  [/\b(?:ATTACH DATABASE|VACUUM INTO) (.*)/, /^'\$\{toUri\(/],
]

test('no connection is opened, attached or written out but by the door of the store', () => {
  const found = sources
    .filter(({ path }) => path.startsWith('src/') && path !== DOOR)
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .filter((line) => !/^\s*(?:\*|\/[/*])/.test(line))
        .flatMap((line) =>
          OPENINGS.flatMap(([opening, right]) => {
            const rest = opening.exec(line)?.[1]
            return rest === undefined || right.test(rest) ? [] : [`${path}: ${line.trim()}`]
          }),
        ),
    )
  expect(found).toEqual([])
})

test.each<[NodeJS.Platform, string]>([
  ['linux', 'unix'],
  ['darwin', 'unix'],
  ['win32', 'win32'],
])('on %s files are opened by SQLite itself: %s', (platform, name) => {
  expect(fileLayer(platform)).toBe(name)
})

test('a path becomes a URI that names it, the mode and the file layer', () => {
  const end = `&vfs=${fileLayer()}`
  expect(toUri("/data/it's 100%?#.db", 'ro')).toBe(
    `file:/data/it%27s 100%25%3F%23.db?mode=ro${end}`,
  )
  expect(toUri('C:\\data\\engine.db', 'rw')).toBe(`file:C:/data/engine.db?mode=rw${end}`)
  expect(toUri('\\\\machine\\share\\engine.db', 'rwc')).toBe(
    `file:////machine/share/engine.db?mode=rwc${end}`,
  )
})
