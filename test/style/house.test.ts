/** One way for each thing: literals, imports, exported names, comments. */
import { expect, test } from 'bun:test'
import { isLiteralSpread, listOpenings, listTwins, listUnimported } from './exported-names.ts'
import { placeOf, sources } from './source.ts'
import { sortImports } from '../../scripts/sort-imports.ts'

const src = sources.filter(({ path }) => path.startsWith('src/'))

/**
 * Read by a program: drizzle reads tables, authors of extensions their own vocabulary, and the
 * client's bundler what it puts in the place of a library's.
 */
const READ_ELSEWHERE =
  /(?:engine|state)-db\.ts$|^src\/store\/tables\/|^src\/vendor\/|\.d\.ts$|\/authoring\.ts$|\/web\/(?:style-map|trusted-html)\.ts$/

test('literals are lists: none is spread into another', () => {
  const spread = sources.flatMap((source) =>
    source.nodes.filter(isLiteralSpread).map((node) => placeOf(source, node)),
  )
  expect(spread).toEqual([])
})

test('a module is imported by one statement, in the order of `bun run format`', async () => {
  const readOrder = (text: string): string[] =>
    [...text.matchAll(/^(?:import\b|\} from)[^'\n]*'([^'\n]+)'/gm)].map(([, name = '']) => name)
  const unsorted: string[] = []
  for (const { path, text } of sources)
    if (`${readOrder(text)}` !== `${readOrder(await sortImports(path, text))}`) unsorted.push(path)
  expect(unsorted).toEqual([])
})

test('nothing is exported that no other file imports', () => {
  const own = src.filter(({ path }) => !READ_ELSEWHERE.test(path))
  expect(listUnimported(own).map(({ path, name }) => `${path}: ${name}`)).toEqual([])
})

test('a type has a name of its own', () => {
  const own = src.filter(({ path }) => !READ_ELSEWHERE.test(path))
  // The browser's code is a program of its own, which imports nothing of the engine's.
  for (const isWeb of [true, false]) {
    const program = own.filter(({ path }) => path.startsWith('src/client/web/') === isWeb)
    expect(listTwins(program).map(([name, paths]) => `${name}: ${paths.join(' ')}`)).toEqual([])
  }
})

/** A comment that begins so names nothing: its first word is the thing, or what a function does. */
const RIDDLES = /^(?:What|Whoever|Whom|Those|Who|Whether)$/

test('a doc comment names the thing first', () => {
  const held = sources.filter(({ path }) => /^(?:src|scripts|test)\//.test(path))
  const riddles = held.flatMap((source) =>
    listOpenings(source).flatMap((word) => (RIDDLES.test(word) ? [`${source.path}: ${word}`] : [])),
  )
  expect(riddles).toEqual([])
})

/** Features that no room of the engine serves alone, each with why. */
const WITHOUT_ROOM: Readonly<Record<string, string>> = {
  auth: 'served by access',
  company: 'served by access',
  health: 'served by server',
  'hosted-services': 'served by kernel',
  impersonation: 'served by access',
  live: 'the hub of notifications, progress and presence',
  'report-designer': 'served by versioned-documents',
  scripts: 'served by model',
  swagger: 'served by server',
  statistics: 'gathers the figures of all floors',
  timezone: 'served by kernel',
  tracing: 'sends the spans of all floors',
}

test('a feature bears the name of the room that serves it', () => {
  const namesIn = (folder: string): Set<string> =>
    new Set(src.flatMap(({ path }) => new RegExp(`^${folder}/([^/]+)/`).exec(path)?.[1] ?? []))
  const rooms = namesIn('src/engine')
  const alone = [...namesIn('src/features')].filter((name) => !rooms.has(name))
  expect(alone.sort()).toEqual(Object.keys(WITHOUT_ROOM).sort())
})
