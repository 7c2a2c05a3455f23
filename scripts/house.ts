/**
 * `bun run house`: figures of the source by floor, to be compared before and after a change of its
 * style: files, lines, statements, spreads of literals, exports, types of one name in several
 * files, doc comments by their first word, and the files of each journey of `src/README.md`.
 * `--play` adds a kind of each family to a copy instead, and tells which files the compiler names.
 */
import {
  isLiteralSpread,
  listExports,
  listOpenings,
  listTwins,
  listUnimported,
} from '../test/style/exported-names.ts'
import { readProjectFile, type Source, sources, type SyntaxNode } from '../test/style/source.ts'
import { playKinds } from './plays.ts'

const FLOORS = ['kernel', 'store', 'model', 'access', 'engine', 'server', 'features', 'commands']

/** `store`; `outermost` for `src/main.ts` and `src/app.ts`; `test`, `scripts` beside `src`. */
function floorOf(path: string): string {
  const [top = '', folder = ''] = path.split('/')
  if (top !== 'src') return top
  return folder.endsWith('.ts') ? 'outermost' : folder
}

/** Statements and declarations; a block is none, and neither is an import. */
const isStatement = ({ type }: SyntaxNode): boolean =>
  /(?:Statement|Declaration)$/.test(type) &&
  !/^(?:Block|Import|Export|Empty)/.test(type) &&
  type !== 'VariableDeclarator'

const linesOf = ({ text }: Source): number => text.split('\n').length - 1

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

function printFloors(): void {
  const imports = sources.flatMap(({ path, imports: all }) =>
    all.flatMap(({ file }) => (file === undefined ? [] : [{ path, file }])),
  )
  const src = sources.filter(({ path }) => path.startsWith('src/'))
  const names = listExports(src)
  const left = listUnimported(src)
  const rows = [...FLOORS, 'outermost', 'test', 'scripts'].map((floor) => {
    const files = sources.filter(({ path }) => floorOf(path) === floor)
    const own = names.filter(({ path }) => floorOf(path) === floor)
    const lines = files.map(linesOf)
    const nodes = files.flatMap((file) => file.nodes)
    const oneImporter = files.filter(
      ({ path }) =>
        new Set(imports.filter(({ file }) => file === path).map((each) => each.path)).size === 1,
    )
    return {
      floor,
      files: files.length,
      lines: lines.reduce((sum, each) => sum + each, 0),
      median: median(lines),
      longest: Math.max(0, ...lines),
      statements: nodes.filter(isStatement).length,
      'one importer': oneImporter.length,
      spreads: nodes.filter(isLiteralSpread).length,
      exported: own.length,
      unimported: left.filter(({ path }) => floorOf(path) === floor).length,
    }
  })
  console.table(rows)
  const inSrc = rows.filter(({ floor }) => floor !== 'test' && floor !== 'scripts')
  const total = (of: 'files' | 'lines' | 'statements' | 'spreads' | 'unimported'): number =>
    inSrc.reduce((sum, row) => sum + row[of], 0)
  console.log(
    `src: ${total('files')} files, ${total('lines')} lines, ${total('statements')} statements, ` +
      `${total('spreads')} spreads, ${total('unimported')} exports that nothing imports`,
  )
  console.log(`types of one name in several files: ${listTwins(src).length}`)
}

/** Openings of doc comments that name nothing. */
const RIDDLES: readonly string[] = ['What', 'Whoever', 'Whether', 'Those', 'Who', 'Whom']

function printComments(): void {
  const rows = [...FLOORS, 'outermost', 'test', 'scripts'].map((floor) => {
    const words = sources.filter(({ path }) => floorOf(path) === floor).flatMap(listOpenings)
    const counts = RIDDLES.map((word) => [word, words.filter((each) => each === word).length])
    return { floor, comments: words.length, ...Object.fromEntries(counts) }
  })
  console.table(rows)
}

/** Files of each journey that `src/README.md` tells, step by step. */
function printJourneys(): void {
  const sections = readProjectFile('src/README.md').split(/^## /m)
  const journeys = sections.filter((section) => section.startsWith('Journey'))
  console.table(
    journeys.map((section) => ({
      journey: section.split('\n')[0],
      steps: section.match(/^\d+\. /gm)?.length ?? 0,
      files: new Set(section.match(/`src\/[\w/-]+\.ts`/g)).size,
    })),
  )
}

if (process.argv.includes('--play')) {
  const faults = await playKinds()
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
} else {
  printFloors()
  printComments()
  printJourneys()
}
