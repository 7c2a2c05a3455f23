/** The designer's graph: any edits come back as they were sent, and nothing else changes. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toWords } from '../../src/model/names.ts'
import {
  readGraph,
  type WorkflowGraph,
  writeGraph,
} from '../../src/engine/workflow/designer-graph.ts'
import { scaleCases } from '../support/property.ts'

const TEXT = `<?xml version="1.0"?>
<!-- before & above <all> -->
<Workflow  Name='Flow'
    Object="Orders" StateField="State"><!--c1-->
  <States><!-- c2: <State Name="no"/> -->
    <State Kind="Initial" Name="open" At="10 20"/>	<!--c3-->
    <State Label='A "b" &amp; &lt;c>' Name="wait" Kind="Task"><!--kept--><Assign Role="Boss"/></State>
    <State Name="done"   Kind="Final" /></States>
  <Transitions>

    <Transition From="open" To="wait" Action="Send" When="Total &gt; 0 AND Name &lt;> '&quot;'"/>
    <!--c4--><Transition To="done" From="wait open" Action="End">
      <Sql><![CDATA[UPDATE orders SET A = 1 WHERE Id < @Id]]></Sql></Transition>
    <Transition From="wait" To="open" Action="Back" Capability="Approve" After="2d"/><!--c5-->
  </Transitions>
  <Start On="created"/> <!-- c6 -->
</Workflow>
<!-- after -->`

const label = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }).map((text) => `L${text.trim()}x`),
  fc.constantFrom('A & B', '<State Name="x"/>', `"quoted" 'twice'`, 'Ä €', ']]>', '-->', '&amp;'),
)
const at = fc.option(fc.integer({ min: -500, max: 500 }))

/** Mutations of a graph, by drawn numbers. */
const edit = fc.oneof(
  fc.record({ do: fc.constant('move' as const), n: fc.nat(9), x: at }),
  fc.record({ do: fc.constant('label' as const), n: fc.nat(9), text: label }),
  fc.record({ do: fc.constant('call' as const), n: fc.nat(9), text: label }),
  fc.record({ do: fc.constant('rename' as const), n: fc.nat(9) }),
  fc.record({ do: fc.constant('drop' as const), n: fc.nat(9) }),
  fc.record({ do: fc.constant('cut' as const), n: fc.nat(9) }),
  fc.record({ do: fc.constant('add' as const), n: fc.nat(9), text: label }),
  fc.record({ do: fc.constant('link' as const), n: fc.nat(9), m: fc.nat(9), text: label }),
)
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never

const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length]

function change(graph: WorkflowGraph, by: Edit, nth: number): WorkflowGraph {
  const { Nodes, Edges } = structuredClone(graph)
  const node = pick(Nodes, by.n)
  const edge = pick(Edges, by.n)
  if (by.do === 'move' && node) [node.X, node.Y] = by.x === null ? [null, null] : [by.x, by.x + 1]
  if (by.do === 'label' && node) node.Label = by.text
  if (by.do === 'call' && edge) edge.Label = by.text
  if (by.do === 'rename' && node) node.Name = `renamed${nth}`
  if (by.do === 'add') Nodes.push({ Id: `new${nth}`, Label: by.text, Kind: 'Task', X: nth, Y: 2 })
  if (by.do === 'link') {
    const [from, to] = [pick(Nodes, by.n)?.Id ?? '', pick(Nodes, by.m)?.Id ?? '']
    const plain = { Capability: null, When: by.text, After: null }
    Edges.push({ Id: null, From: [from], To: to, Action: `Act${nth}`, Label: by.text, ...plain })
  }
  if (by.do === 'drop' && Nodes.length > 1)
    return { Nodes: Nodes.filter((each) => each !== node), Edges }
  if (by.do === 'cut') return { Nodes, Edges: Edges.filter((each) => each !== edge) }
  return { Nodes, Edges }
}

/** A graph as it reads once it is written: names in place, edges numbered, new ones last. */
function settle({ Nodes, Edges }: WorkflowGraph): WorkflowGraph {
  const names = new Map(Nodes.map(({ Id, Name }) => [Id, Name ?? Id]))
  const called = (id: string) => names.get(id) ?? id
  const known = Edges.filter(({ Id }) => Id !== null)
  const ordered = [...known, ...Edges.filter(({ Id }) => Id === null)]
  return {
    // A label that is the name in words follows it.
    Nodes: Nodes.map(({ Name, Id, Label, ...node }) => {
      const isNamed = Label === toWords(Id) && !Id.startsWith('new')
      const Named = isNamed ? toWords(Name ?? Id) : Label
      return { Id: Name ?? Id, Label: Named, ...node }
    }),
    Edges: ordered.map((edge, nth) => ({
      ...edge,
      Id: String(nth + 1),
      To: called(edge.To),
      From: edge.From.map(called),
    })),
  }
}

const COMMENTS = /<!--[\s\S]*?-->/g

test('a graph that says the same changes no byte', () => {
  expect(writeGraph(TEXT, readGraph(TEXT))).toBe(TEXT)
  const windows = TEXT.replaceAll('\n', '\r\n')
  expect(writeGraph(windows, readGraph(windows))).toBe(windows)
})

test('random edits read as they were sent, and keep every comment and the rest', () => {
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 8 }), (edits) => {
      let graph = readGraph(TEXT)
      for (const [nth, each] of edits.entries()) graph = change(graph, each, nth)
      const text = writeGraph(TEXT, graph)
      expect(readGraph(text)).toEqual(settle(graph))
      const isWaitLeft = graph.Nodes.some(({ Id }) => Id === 'wait')
      const kept = [...(TEXT.match(COMMENTS) ?? [])].filter(
        (each) => isWaitLeft || each !== '<!--kept-->',
      )
      expect([...(text.match(COMMENTS) ?? [])]).toEqual(kept)
      for (const piece of [
        '<Start On="created"/> <!-- c6 -->',
        '<?xml version="1.0"?>',
        '<!-- after -->',
      ])
        expect(text).toContain(piece)
      expect(writeGraph(text, readGraph(text))).toBe(text)
    }),
    { numRuns: scaleCases(500) },
  )
})
