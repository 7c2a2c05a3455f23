/**
 * `bun run house`: figures of the source by floor, to be compared before and after a change of its
 * style: files, lines, statements, spreads of literals, exports, types of one name in several
 * files, doc comments by their first word, and the files of each journey of `src/README.md`.
 */
import { readProjectFile, sources, type Source, type SyntaxNode } from '../test/style/source.ts'

const FLOORS = ['kernel', 'store', 'model', 'access', 'engine', 'server', 'features', 'commands']

/** `store`; `outermost` for `src/main.ts` and `src/app.ts`; `test`, `scripts` beside `src`. */
function floorOf(path: string): string {
  const [top = '', folder = ''] = path.split('/')
  if (top !== 'src') return top
  return folder.endsWith('.ts') ? 'outermost' : folder
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value

/** Statements and declarations; a block is none, and neither is an import. */
const isStatement = ({ type }: SyntaxNode): boolean =>
  /(?:Statement|Declaration)$/.test(type) &&
  !/^(?:Block|Import|Export|Empty)/.test(type) &&
  type !== 'VariableDeclarator'

/** `...{ id, name }` in a literal, which could stand there by itself. */
function isLiteralSpread(node: SyntaxNode): boolean {
  if (node.type !== 'SpreadElement' || !isNode(node['argument'])) return false
  return node['argument'].type === 'ObjectExpression'
}

const linesOf = ({ text }: Source): number => text.split('\n').length - 1

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** The name of a declaration. */
const nameOf = (node: SyntaxNode): string | undefined => {
  const { id } = node
  return isNode(id) && typeof id['name'] === 'string' ? id['name'] : undefined
}

/** A name that a file exports, and whether it is a type. */
interface ExportedName {
  name: string
  isType: boolean
  path: string
}

/** Names that the files export where they declare them. */
function listExports(files: readonly Source[]): ExportedName[] {
  return files.flatMap(({ path, nodes }) =>
    nodes
      .filter(({ type }) => type === 'ExportNamedDeclaration')
      .flatMap((node) => {
        const { declaration } = node
        if (!isNode(declaration)) return []
        const isType = /^TS(?:Interface|TypeAlias)/.test(declaration.type)
        const own = nameOf(declaration)
        const { declarations } = declaration
        const listed = Array.isArray(declarations)
          ? declarations.flatMap((each) => (isNode(each) ? (nameOf(each) ?? []) : []))
          : []
        return [...(own === undefined ? [] : [own]), ...listed].map((name) => ({
          name,
          isType,
          path,
        }))
      }),
  )
}

/** `path name` of everything that some other file imports, tests and scripts included. */
function listImportedNames(files: readonly Source[]): Set<string> {
  const found = new Set<string>()
  for (const source of files) {
    for (const node of source.nodes) {
      if (node.type !== 'ImportDeclaration' || !isNode(node['source'])) continue
      const specifier = node['source']['value']
      const from = source.imports.find((each) => each.specifier === specifier)?.file
      const { specifiers } = node
      if (from === undefined || !Array.isArray(specifiers)) continue
      for (const each of specifiers) {
        if (!isNode(each)) continue
        const { imported } = each
        if (isNode(imported) && typeof imported['name'] === 'string')
          found.add(`${from} ${imported['name']}`)
        if (each.type === 'ImportNamespaceSpecifier') found.add(`${from} *`)
      }
    }
    // Of a module that is imported while the program runs, anything may be taken.
    for (const node of source.nodes) {
      if (node.type !== 'ImportExpression' || !isNode(node['source'])) continue
      const specifier = node['source']['value']
      const from = source.imports.find((each) => each.specifier === specifier)?.file
      if (from !== undefined) found.add(`${from} *`)
    }
  }
  return found
}

/** Types of several files under one name, with the files. */
function listTwins(names: readonly ExportedName[]): ReadonlyMap<string, readonly string[]> {
  const byName = Map.groupBy(
    names.filter(({ isType }) => isType),
    ({ name }) => name,
  )
  return new Map(
    [...byName]
      .map(([name, found]) => [name, [...new Set(found.map(({ path }) => path))]] as const)
      .filter(([, paths]) => paths.length > 1),
  )
}

/** The first word of each doc comment. */
const listOpenings = ({ comments }: Source): string[] =>
  comments
    .filter(({ text }) => text.startsWith('*'))
    .map(({ text }) => /[\p{L}`'"@<]\S*/u.exec(text.replace(/^[\s*]+/, ''))?.[0] ?? '')

function printFloors(): void {
  const imports = sources.flatMap(({ path, imports: all }) =>
    all.flatMap(({ file }) => (file === undefined ? [] : [{ path, file }])),
  )
  const src = sources.filter(({ path }) => path.startsWith('src/'))
  const names = listExports(src)
  const imported = listImportedNames(sources)
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
      unimported: own.filter(
        ({ path, name }) => !imported.has(`${path} ${name}`) && !imported.has(`${path} *`),
      ).length,
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
  console.log(`types of one name in several files: ${listTwins(names).size}`)
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

printFloors()
printComments()
printJourneys()
