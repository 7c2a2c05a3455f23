import { expect, test } from 'bun:test'
import { placeOf, sources, walkTree } from './source.ts'

const FILE_LINES_MAX = 300
const FUNCTION_LINES_MAX = 60
const LINE_COLUMNS_MAX = 100

/** Data tables, longer by their nature. */
const LONG_FILES = new Set<string>([])

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

/** A test file's functions are lists of tests. */
const holdsTests = (path: string): boolean => path.endsWith('.test.ts')

test(`no file is over ${FILE_LINES_MAX} lines`, () => {
  const long = sources
    .filter(({ path }) => !LONG_FILES.has(path))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > FILE_LINES_MAX)
    .map(({ path, lines }) => `${path}: ${lines} lines`)
  expect(long).toEqual([])
})

test(`no function is over ${FUNCTION_LINES_MAX} lines`, () => {
  const long = sources
    .filter(({ path }) => !holdsTests(path))
    .flatMap((source) =>
      [...walkTree(source.tree)]
        .filter(({ type }) => FUNCTIONS.has(type))
        .map((node) => ({ node, lines: node.loc.end.line - node.loc.start.line + 1 }))
        .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
        .map(({ node, lines }) => `${placeOf(source, node)}: ${lines} lines`),
    )
  expect(long).toEqual([])
})

test(`no line is over ${LINE_COLUMNS_MAX} columns`, () => {
  const long = sources.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) =>
        line.length > LINE_COLUMNS_MAX ? `${path}:${at + 1}: ${line.length} columns` : [],
      ),
  )
  expect(long).toEqual([])
})
