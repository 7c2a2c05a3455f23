/**
 * Imports of a file in one order: one statement a module; what Bun and Node bring, packages, then
 * files of the project by floor and path. `bun run format` writes it, a style test holds it.
 */
import { dirname, join, relative } from 'node:path'
import { parsers } from '@prettier/plugin-oxc'

const ROOT = join(import.meta.dir, '..')

/** Folders from the ground up; what is not listed comes behind, by its path. */
const ORDER = [
  'src/vendor',
  'src/kernel',
  'src/store',
  'src/model',
  'src/access',
  'src/engine',
  'src/server',
  'src/features',
  'src/client/web/texts',
  'src/client/web/api',
  'src/client/web/state',
  'src/client/web/fields',
  'src/client/web/parts',
  'src/client/web/pages',
  'src/client',
  'src',
  'data',
  'test',
  'scripts',
]

interface Name {
  imported: string
  local: string
  isType: boolean
}

interface Statement {
  start: number
  end: number
  /** With comments that stand right above it. */
  lead: string
  specifier: string
  standard: string | undefined
  namespace: string | undefined
  names: Name[]
  isType: boolean
  /** `with { type: 'text' }`, as written. */
  attributes: string
}

interface Node {
  type: string
  start: number
  end: number
  [member: string]: unknown
}

const parse = parsers['oxc-ts'].parse as (
  text: string,
  options: { filepath: string },
) => Promise<Node & { comments: { start: number; end: number }[] }>

const nameOf = (node: unknown): string => {
  const { name, value } = node as { name?: string; value?: string }
  return name ?? JSON.stringify(value)
}

function readStatement(text: string, node: Node, leadStart: number): Statement {
  const specifiers = node['specifiers'] as Node[]
  const isType = node['importKind'] === 'type'
  const of = (type: string): Node | undefined => specifiers.find((each) => each.type === type)
  const source = node['source'] as Node
  const standard = of('ImportDefaultSpecifier')
  const namespace = of('ImportNamespaceSpecifier')
  return {
    start: node.start,
    end: node.end,
    lead: text.slice(leadStart, node.start),
    specifier: String(source['value']),
    standard: standard && nameOf(standard['local']),
    namespace: namespace && nameOf(namespace['local']),
    names: specifiers
      .filter(({ type }) => type === 'ImportSpecifier')
      .map((each) => ({
        imported: nameOf(each['imported']),
        local: nameOf(each['local']),
        isType: isType || each['importKind'] === 'type',
      })),
    isType,
    attributes: text.slice(source.end, node.end).trim().replace(/;$/, ''),
  }
}

/** `0` what the runtime brings, `1` packages, from `2` on folders in their order. */
function rankOf(path: string, specifier: string): [number, string] {
  if (/^(?:bun|bun:.*|node:.*)$/.test(specifier)) return [0, specifier]
  if (!specifier.startsWith('.')) return [1, specifier]
  const file = relative(ROOT, join(ROOT, dirname(path), specifier)).replaceAll('\\', '/')
  const at = ORDER.findIndex((folder) => file.startsWith(`${folder}/`))
  return [2 + (at < 0 ? ORDER.length : at), file]
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Of several statements of one module the one that says all of them; namespaces stay apart. */
function merge(statements: readonly Statement[]): Statement[] {
  const merged = new Map<string, Statement>()
  for (const each of statements) {
    const isApart = each.namespace !== undefined || each.names.length === 0
    const ofDefault = each.standard !== undefined && each.isType ? ' type default' : ''
    const key = `${each.specifier} ${each.namespace ?? ''}${ofDefault}${isApart ? each.start : ''}`
    const known = merged.get(key)
    if (!known) merged.set(key, { ...each, names: [...each.names] })
    else {
      known.lead += each.lead
      known.standard ??= each.standard
      known.isType &&= each.isType
      for (const name of each.names) {
        const same = known.names.find((other) => other.local === name.local)
        if (!same) known.names.push(name)
        else same.isType &&= name.isType
      }
    }
  }
  // A default import has its names beside it.
  for (const [key, each] of merged) {
    if (each.standard === undefined || each.names.length > 0 || each.isType) continue
    const beside = [...merged.values()].find(
      (other) =>
        other !== each &&
        other.specifier === each.specifier &&
        other.standard === undefined &&
        other.names.length > 0,
    )
    if (!beside) continue
    beside.standard = each.standard
    beside.lead = each.lead + beside.lead
    beside.isType = false
    merged.delete(key)
  }
  return [...merged.values()]
}

function write({ lead, specifier, standard, namespace, names, isType, attributes }: Statement) {
  const isWholeType =
    isType || (names.length > 0 && !standard && names.every((each) => each.isType))
  const listed = names
    .toSorted((a, b) => compareText(a.imported.toLowerCase(), b.imported.toLowerCase()))
    .map(({ imported, local, isType: isOne }) => {
      const name = imported === local ? local : `${imported} as ${local}`
      return isOne && !isWholeType ? `type ${name}` : name
    })
  const parts = [
    ...(standard === undefined ? [] : [standard]),
    ...(namespace === undefined ? [] : [`* as ${namespace}`]),
    ...(listed.length > 0 ? [`{ ${listed.join(', ')} }`] : []),
  ]
  const from = parts.length > 0 ? `${parts.join(', ')} from ` : ''
  const tail = attributes === '' ? '' : ` ${attributes}`
  return `${lead}import ${isWholeType ? 'type ' : ''}${from}'${specifier}'${tail}`
}

/**
 * The text with its imports merged and sorted, to be formatted afterwards. A file that imports
 * something for its effects alone keeps its order: that may matter.
 */
export async function sortImports(path: string, text: string): Promise<string> {
  const tree = await parse(text, { filepath: path })
  const body = tree['body'] as Node[]
  const count = body.findIndex(({ type }) => type !== 'ImportDeclaration')
  const nodes = body.slice(0, count < 0 ? body.length : count)
  const [first] = nodes
  if (!first || nodes.some((node) => (node['specifiers'] as Node[]).length === 0)) return text
  let end = first.start
  const statements = nodes.map((node, index) => {
    const between = text.slice(end, node.start)
    // Above the first import stands the comment of the file.
    const leadStart = index === 0 || between.trim() === '' ? node.start : end + between.search(/\S/)
    end = node.end
    return readStatement(text, node, leadStart)
  })
  const sorted = merge(statements)
    .map((each) => ({ each, rank: rankOf(path, each.specifier) }))
    .toSorted((a, b) => a.rank[0] - b.rank[0] || compareText(a.rank[1], b.rank[1]))
    .map(({ each }) => write(each))
  return text.slice(0, first.start) + sorted.join('\n') + text.slice(end)
}
