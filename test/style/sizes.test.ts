import { expect, test } from 'bun:test'
import { countLines, placeOf, type Source, sources, type SyntaxNode } from './source.ts'

const FILE_LINES_MAX = 400
const FUNCTION_LINES_MAX = 60
const LINE_COLUMNS_MAX = 100

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

/** Functions of these files are tables: of tests, or of routes. */
const TABLES = /\.test\.ts$|^src\/features\/[^/]+\/routes\.ts$/

/** Catalogues of texts are tables: one line a text. */
const CATALOGUES = /^src\/client\/web\/texts\/(?:en|de|ar)\.ts$/

/** Models and statements in tests and in the demo are texts, which nothing may break up. */
const HOLDS_TEXTS = /^(?:test|data)\//

/** Offsets of strings and templates. */
const findTexts = (source: Source): [number, number][] =>
  source.nodes
    .filter(({ type }) => type === 'Literal' || type === 'TemplateElement')
    .map(({ start, end }) => [start, end])

/** Lines over the limit; a text that reaches over it is no reason in tests. */
function findLongLines(source: Source): string[] {
  const texts = HOLDS_TEXTS.test(source.path) ? findTexts(source) : []
  let offset = 0
  return source.text.split('\n').flatMap((line, at) => {
    const limit = offset + LINE_COLUMNS_MAX
    offset += line.length + 1
    if (line.length <= LINE_COLUMNS_MAX) return []
    const isText = texts.some(([start, end]) => start <= limit && limit <= end)
    return isText ? [] : [`${source.path}:${at + 1}: ${line.length} columns`]
  })
}

/** Lines of a function; a literal of an object is a list, and counts as one. */
function countStatements({ text, nodes }: Source, { start, end }: SyntaxNode): number {
  const literals = nodes.filter(
    (node) => node.type === 'ObjectExpression' && node.start > start && node.end <= end,
  )
  const outermost = literals.filter(
    (node) => !literals.some((other) => other.start < node.start && other.end >= node.end),
  )
  const listed = outermost.reduce(
    (lines, node) => lines + countLines(text.slice(node.start, node.end)) - 1,
    0,
  )
  return countLines(text.slice(start, end)) - listed
}

test(`no file is over ${FILE_LINES_MAX} lines`, () => {
  const long = sources
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ path, lines }) => lines > FILE_LINES_MAX && !CATALOGUES.test(path))
    .map(({ path, lines }) => `${path}: ${lines} lines`)
  expect(long).toEqual([])
})

test(`no function is over ${FUNCTION_LINES_MAX} lines`, () => {
  const long = sources
    .filter(({ path }) => !TABLES.test(path))
    .flatMap((source) =>
      source.nodes
        .filter(({ type }) => FUNCTIONS.has(type))
        .map((node) => ({ node, lines: countStatements(source, node) }))
        .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
        .map(({ node, lines }) => `${placeOf(source, node)}: ${lines} lines`),
    )
  expect(long).toEqual([])
})

test(`no line is over ${LINE_COLUMNS_MAX} columns`, () => {
  const long = sources.flatMap(findLongLines)
  expect(long).toEqual([])
})
