import { expect, test } from 'bun:test'
import { placeOf, type Source, sources, type SyntaxNode } from './source.ts'

const CALLABLE = new Set(['ArrowFunctionExpression', 'FunctionExpression'])

interface Declarator {
  init?: SyntaxNode
}

/** Functions, classes and constants that are functions: what others call. */
function isCallable(declaration: SyntaxNode): boolean {
  if (declaration.type === 'FunctionDeclaration' || declaration.type === 'ClassDeclaration') {
    return true
  }
  if (declaration.type !== 'VariableDeclaration') return false
  const declarators = declaration['declarations'] as Declarator[]
  return declarators.some(({ init }) => init !== undefined && CALLABLE.has(init.type))
}

/** True when a docstring ends right before the node. */
function hasDocstring(source: Source, node: SyntaxNode): boolean {
  return source.comments.some(
    ({ end, text }) =>
      text.startsWith('*') && end <= node.start && source.text.slice(end, node.start).trim() === '',
  )
}

test('what src exports to be called says what it promises', () => {
  const silent = sources
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap((source) =>
      (source.tree['body'] as SyntaxNode[])
        .filter(({ type }) => type === 'ExportNamedDeclaration')
        .filter((node) => {
          const declaration = node['declaration'] as SyntaxNode | null | undefined
          return declaration != null && isCallable(declaration) && !hasDocstring(source, node)
        })
        .map((node) => placeOf(source, node)),
    )
  expect(silent).toEqual([])
})
