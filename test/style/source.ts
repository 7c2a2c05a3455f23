/** The project's own files as the style tests read them: text, syntax tree and imports. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parsers } from '@prettier/plugin-oxc'

export const ROOT = resolve(import.meta.dir, '../..')

/** Folders that are made or installed here and are no part of the project. */
const LEFT_OUT = new Set(['node_modules', '.git', 'dist', 'data/local', 'generated.d.ts'])

/** A node of the ESTree tree, as far as these tests look into it. */
export interface SyntaxNode {
  type: string
  /** Offsets in the text. */
  start: number
  end: number
  [member: string]: unknown
}

export interface Import {
  specifier: string
  line: number
  /** The imported file, relative to the root; undefined for a package. */
  file: string | undefined
}

export interface Source {
  /** Relative to the root, with slashes. */
  path: string
  text: string
  tree: SyntaxNode
  /** The tree, and all below it. */
  nodes: readonly SyntaxNode[]
  comments: { start: number; end: number; text: string }[]
  imports: Import[]
}

function* walkFiles(folder: string): Iterable<string> {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (LEFT_OUT.has(path) || LEFT_OUT.has(entry.name)) continue
    if (entry.isDirectory()) yield* walkFiles(path)
    else if (!path.endsWith('.log')) yield path
  }
}

/** Every file of the project, relative to its root. */
export const projectFiles: readonly string[] = [...walkFiles('')]

export const readProjectFile = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

/** Adds a node and all below it. */
function addNodes(node: SyntaxNode, found: SyntaxNode[]): void {
  found.push(node)
  for (const name in node) {
    if (name === 'comments') continue
    const value = node[name]
    if (!Array.isArray(value)) {
      if (isNode(value)) addNodes(value, found)
    } else for (const child of value) if (isNode(child)) addNodes(child, found)
  }
}

const IMPORTING = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
])

function findImports({ path, text, nodes }: Omit<Source, 'imports'>): Import[] {
  const found: Import[] = []
  for (const node of nodes) {
    if (!IMPORTING.has(node.type) || !isNode(node['source'])) continue
    const specifier = node['source']['value']
    if (typeof specifier !== 'string') continue
    const file = specifier.startsWith('.')
      ? relative(ROOT, resolve(ROOT, dirname(path), specifier)).replaceAll('\\', '/')
      : undefined
    found.push({ specifier, line: lineOf(text, node.start), file })
  }
  return found
}

/** The line of an offset, from 1. */
const lineOf = (text: string, offset: number): number => countLines(text.slice(0, offset))

/** Lines that a text is on. */
export const countLines = (text: string): number => text.split('\n').length

interface ParsedComment {
  start: number
  end: number
  value: string
}

async function readSource(path: string): Promise<Source> {
  const text = readProjectFile(path)
  const parse = parsers['oxc-ts'].parse as (
    text: string,
    options: { filepath: string },
  ) => Promise<SyntaxNode & { comments: ParsedComment[] }>
  const tree = await parse(text, { filepath: path })
  const comments = tree.comments.map(({ start, end, value }) => ({ start, end, text: value }))
  const nodes: SyntaxNode[] = []
  addNodes(tree, nodes)
  const parts = { path, text, tree, nodes, comments }
  return { ...parts, imports: findImports(parts) }
}

/** Every TypeScript file of the project, parsed. */
export const sources: readonly Source[] = await Promise.all(
  projectFiles.filter((path) => /\.tsx?$/.test(path)).map(readSource),
)

/** The text with blanks where comments are: every offset and line stays. */
export function withoutComments({ text, comments }: Source): string {
  let code = text
  for (const { start, end } of comments) {
    code = code.slice(0, start) + code.slice(start, end).replace(/\S/g, ' ') + code.slice(end)
  }
  return code
}

/** Where something stands, as editors open it. */
export const placeOf = (source: Source, node: SyntaxNode): string =>
  `${source.path}:${lineOf(source.text, node.start)}`
