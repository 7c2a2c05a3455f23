/** Exported names and their importers, for the style tests and `bun run house`. */
import { type Source, sources, type SyntaxNode } from './source.ts'

/** A name that a file exports where it declares it. */
export interface ExportedName {
  path: string
  name: string
  isType: boolean
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value

const nodesIn = (value: unknown): SyntaxNode[] => (Array.isArray(value) ? value.filter(isNode) : [])

/** The name of a declaration or of an imported name. */
function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  const { id, name } = node
  if (typeof name === 'string') return name
  return nameOf(id)
}

/** Names that files export where they declare them. */
export function listExports(files: readonly Source[]): ExportedName[] {
  return files.flatMap(({ path, nodes }) =>
    nodes.flatMap((node) => {
      const { declaration } = node
      if (node.type !== 'ExportNamedDeclaration' || !isNode(declaration)) return []
      const isType = /^TS(?:Interface|TypeAlias)/.test(declaration.type)
      const declared = [declaration, ...nodesIn(declaration['declarations'])]
      return declared.flatMap((each) => {
        const name = nameOf(each)
        return name === undefined ? [] : [{ path, name, isType }]
      })
    }),
  )
}

/** `path name` of what other files import; `path *` where a whole module is taken. */
export function listImported(files: readonly Source[] = sources): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { nodes, imports } of files)
    for (const node of nodes) {
      const { source } = node
      if (!isNode(source)) continue
      const from = imports.find(({ specifier }) => specifier === source['value'])?.file
      if (from === undefined) continue
      const names = nodesIn(node['specifiers'])
      const isNamed = /^(?:ImportDeclaration|ExportNamedDeclaration)$/.test(node.type)
      if (!isNamed) found.add(`${from} *`)
      for (const each of names)
        found.add(`${from} ${nameOf(each['imported']) ?? nameOf(each['local']) ?? '*'}`)
      if (names.some(({ type }) => type === 'ImportNamespaceSpecifier')) found.add(`${from} *`)
    }
  return found
}

/** Exports of `files` that no other file of the project imports. */
export function listUnimported(files: readonly Source[]): ExportedName[] {
  const imported = listImported()
  return listExports(files).filter(
    ({ path, name }) => !imported.has(`${path} ${name}`) && !imported.has(`${path} *`),
  )
}

/** Types that several files export under one name, with the files. */
export function listTwins(files: readonly Source[]): [string, string[]][] {
  const types = listExports(files).filter(({ isType }) => isType)
  return [...Map.groupBy(types, ({ name }) => name)]
    .map(([name, found]): [string, string[]] => [name, [...new Set(found.map(({ path }) => path))]])
    .filter(([, paths]) => paths.length > 1)
}

/** `...{ id, name }` in a literal, which its members could stand in by themselves. */
export const isLiteralSpread = (node: SyntaxNode): boolean =>
  node.type === 'SpreadElement' &&
  isNode(node['argument']) &&
  node['argument'].type === 'ObjectExpression'

/** The first word of each doc comment. */
export const listOpenings = ({ comments }: Source): string[] =>
  comments
    .filter(({ text }) => text.startsWith('*'))
    .map(({ text }) => /[\p{L}`'"@<]\S*/u.exec(text.replace(/^[\s*]+/, ''))?.[0] ?? '')
