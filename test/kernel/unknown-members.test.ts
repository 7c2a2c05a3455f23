/** Members that a schema does not name, at any depth. */
import { expect, test } from 'bun:test'
import { type TSchema, Type } from '@sinclair/typebox'
import { named, optional, shownAs } from '../../src/kernel/schema.ts'
import { findUnknownMember } from '../../src/kernel/unknown-members.ts'

const Leaf = named('TestLeaf', Type.Object({ Field: Type.String(), Value: Type.Any() }))
const Branch = named(
  'TestBranch',
  Type.Object({
    Logic: Type.String(),
    Nodes: Type.Array(Type.Union([Leaf, Type.Ref('TestBranch')])),
  }),
)
const Shown = shownAs(Type.Unknown(), { anyOf: [Type.Array(Leaf), Leaf, Branch, Type.Null()] })

/** Lists all unknown members with their ways, and the members that are known in their place. */
function listUnknown(schema: TSchema, value: unknown, asShown = true): string[] {
  const found: string[] = []
  findUnknownMember(schema, value, {
    judge({ name, path, known }) {
      found.push(`${[...path, name].join('.')}: ${known.join()}`)
      return undefined
    },
    asShown,
  })
  return found
}

test.each<[TSchema, unknown, string[]]>([
  [Type.Object({ A: Type.Any() }), { A: { B: 1 }, a: 1 }, ['a: A']],
  [Type.Object({}), { constructor: 1, toString: 2 }, ['constructor: ', 'toString: ']],
  [Type.Object({ A: optional(Type.Array(Leaf)) }), { A: null }, []],
  [
    Type.Object({ A: optional(Type.Array(Leaf)) }),
    { A: [{ Fild: 1 }, 7] },
    ['A.0.Fild: Field,Value'],
  ],
  [Type.Record(Type.String(), Leaf), { x: { Field: 1 }, y: { op: 1 } }, ['y.op: Field,Value']],
  [
    Type.Intersect([Type.Object({ A: Type.Any() }), Type.Object({ B: Leaf })]),
    { A: 1, B: { C: 1 }, D: 1 },
    ['B.C: Field,Value', 'D: A,B'],
  ],
  [Shown, { Field: 'a', op: 1 }, ['op: Field,Value']],
  [Shown, { op: 1 }, ['op: Field,Value']],
  [Shown, [{ Field: 'a', op: 1 }], ['0.op: Field,Value']],
  [Shown, { Nodes: [], Op: 'or' }, ['Op: Logic,Nodes']],
  [Shown, { Nodes: [{ Nodes: [{ Value: 1, op: 1 }] }] }, ['Nodes.0.Nodes.0.op: Field,Value']],
  [Shown, { Nodes: [], Field: 'a' }, ['Field: Logic,Nodes']],
  [Shown, 'text', []],
])('%j %j', (schema, value, unknown) => {
  expect(listUnknown(schema, value)).toEqual(unknown)
})

test('a part that is shown alone is looked into by those who ask for it', () => {
  const schema = Type.Object({ Filters: Shown })
  const value = { Filters: { Field: 'a', op: 1 }, Filter: 1 }
  expect(listUnknown(schema, value, false)).toEqual(['Filter: Filters'])
  expect(listUnknown(schema, value)).toEqual(['Filters.op: Field,Value', 'Filter: Filters'])
})

test('the first verdict ends the walk', () => {
  const judged: string[] = []
  const verdict = findUnknownMember(
    Leaf,
    { A: 1, B: 2, C: 3 },
    {
      judge({ name }) {
        judged.push(name)
        return name === 'B' ? new Error(name) : undefined
      },
    },
  )
  expect([verdict?.message, judged]).toEqual(['B', ['A', 'B']])
})
