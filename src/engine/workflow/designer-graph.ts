/**
 * A definition as a graph, and the graph back in the text: only differences are written, so that
 * comments, blanks, effects and the order of everything else stay to the byte. Pure.
 */
import { USUAL_STATE_KIND } from '../../model/compiled/workflow.ts'
import { toWords } from '../../model/names.ts'
import { scanElements, type ScannedElement } from '../../model/parse/scan.ts'

/** A state. `Id` is its name in the text; `Name` differs where it is renamed. */
interface GraphNode {
  Id: string
  Name?: string | null
  Label: string
  Kind: string
  X: number | null
  Y: number | null
}

/** A transition between states, which it names by their Ids. A new one has no Id. */
interface GraphEdge {
  Id: string | null
  From: string[]
  To: string
  Action: string
  Label: string
  Capability: string | null
  When: string | null
  After: string | null
}

/** The states and transitions of a definition. */
export interface WorkflowGraph {
  Nodes: GraphNode[]
  Edges: GraphEdge[]
}

const attributeOf = (element: ScannedElement, name: string): string | undefined =>
  element.attributes.find((each) => each.name === name)?.value

const listIn = (root: ScannedElement, group: string, name: string): ScannedElement[] =>
  root.children
    .filter((each) => each.name === group)
    .flatMap(({ children }) => children.filter((each) => each.name === name))

const words = (text: string | undefined): string[] => text?.split(/\s+/).filter(Boolean) ?? []

/** Reads the graph of a well-formed text. */
export function readGraph(text: string): WorkflowGraph {
  const root = scanElements(text)
  const Nodes = listIn(root, 'States', 'State').map((element): GraphNode => {
    const Id = attributeOf(element, 'Name') ?? ''
    const [x, y] = words(attributeOf(element, 'At')).map(Number)
    return {
      Id,
      Label: attributeOf(element, 'Label') ?? toWords(Id),
      Kind: attributeOf(element, 'Kind') ?? USUAL_STATE_KIND,
      ...(x !== undefined && y !== undefined ? { X: x, Y: y } : { X: null, Y: null }),
    }
  })
  const Edges = listIn(root, 'Transitions', 'Transition').map((element, at): GraphEdge => {
    const Action = attributeOf(element, 'Action') ?? ''
    const find = (name: string) => attributeOf(element, name) ?? null
    return {
      Id: String(at + 1),
      Action,
      Label: find('Label') ?? toWords(Action),
      From: words(attributeOf(element, 'From')),
      To: find('To') ?? '',
      Capability: find('Capability'),
      When: find('When'),
      After: find('After'),
    }
  })
  return { Nodes, Edges }
}

/** A piece of the text, with its replacement. */
interface Edit {
  start: number
  end: number
  text: string
}

/** Collects edits of a text, and applies them from its end on. */
class TextEdits {
  readonly #text: string
  readonly #edits: Edit[] = []

  constructor(text: string) {
    this.#text = text
  }

  /** Sets another value of an attribute, or removes it. */
  set(element: ScannedElement, name: string, value: string | null): void {
    const text = this.#text
    const known = element.attributes.find((each) => each.name === name)
    if (!known) {
      if (value === null) return
      const last = element.attributes.at(-1)
      const at = last ? this.#endOf(last.at) : element.start + 1 + element.name.length
      this.#edits.push({ start: at, end: at, text: ` ${name}="${escape(value)}"` })
    } else if (value === null) {
      let start = known.at
      while (/\s/.test(text[start - 1] ?? '')) start--
      this.#edits.push({ start, end: this.#endOf(known.at), text: '' })
    } else if (value !== known.value) {
      const end = this.#endOf(known.at)
      this.#edits.push({ start: known.at, end, text: `${name}="${escape(value)}"` })
    }
  }

  /** Removes an element, with its line if it is alone on it. */
  remove({ start, end }: ScannedElement): void {
    const text = this.#text
    let from = start
    while (/[ \t]/.test(text[from - 1] ?? '')) from--
    const isAlone = text[from - 1] === '\n' && /^[ \t]*(?:\r?\n|$)/.test(text.slice(end))
    this.#edits.push({ start: isAlone ? from - 1 : start, end, text: '' })
  }

  /** Adds elements after the last of their group, indented as that one is. */
  append(root: ScannedElement, group: string, markup: readonly string[]): void {
    if (markup.length === 0) return
    const holder = root.children.find(({ name }) => name === group)
    const text = this.#text
    if (!holder) {
      const at = text.lastIndexOf('</', root.end)
      const inner = markup.map((each) => `\n    ${each}`).join('')
      this.#edits.push({ start: at, end: at, text: `  <${group}>${inner}\n  </${group}>\n` })
      return
    }
    const last = holder.children.at(-1)
    if (last) {
      const indent = /[ \t]*$/.exec(text.slice(0, last.start))?.[0] ?? ''
      const added = markup.map((each) => `\n${indent}${each}`).join('')
      this.#edits.push({ start: last.end, end: last.end, text: added })
      return
    }
    const head = text.slice(holder.start, holder.end)
    const open = `${head.replace(/\s*\/?>[\s\S]*$/, '')}>`
    const inner = markup.map((each) => `\n    ${each}`).join('')
    const whole = `${open}${inner}\n  </${group}>`
    this.#edits.push({ start: holder.start, end: holder.end, text: whole })
  }

  apply(): string {
    let text = this.#text
    for (const { start, end, text: by } of this.#edits.sort((a, b) => b.start - a.start))
      text = text.slice(0, start) + by + text.slice(end)
    return text
  }

  /** Returns the end of an attribute's value, its quote included. */
  #endOf(at: number): number {
    const text = this.#text
    const open = text.slice(at).search(/["']/) + at
    return text.indexOf(text[open] ?? '"', open + 1) + 1
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
}

const escape = (value: string): string =>
  value.replace(/[&<"\n\t]/g, (sign) => ESCAPES[sign] ?? sign)

const nameOf = ({ Id, Name }: GraphNode): string => Name?.trim() || Id

/** The text with a graph in place of its own; an equal graph changes nothing. */
export function writeGraph(text: string, graph: WorkflowGraph): string {
  const root = scanElements(text)
  const edits = new TextEdits(text)
  const names = new Map(graph.Nodes.map((node) => [node.Id, nameOf(node)]))
  const called = (id: string): string => names.get(id) ?? id
  const before = readGraph(text)
  writeNodes(edits, root, { before: before.Nodes, after: graph.Nodes })
  writeEdges(edits, root, { before: before.Edges, after: graph.Edges, called })
  for (const fork of root.children.filter(({ name }) => name === 'Fork' || name === 'Join'))
    for (const attribute of ['State', 'Branches', 'From', 'To']) {
      const value = attributeOf(fork, attribute)
      const renamed = words(value).map(called)
      if (words(value).some((word, at) => word !== renamed[at]))
        edits.set(fork, attribute, renamed.join(' '))
    }
  return edits.apply()
}

interface Difference<T> {
  before: readonly T[]
  after: readonly T[]
}

function writeNodes(
  edits: TextEdits,
  root: ScannedElement,
  { before, after }: Difference<GraphNode>,
): void {
  const elements = listIn(root, 'States', 'State')
  for (const [at, was] of before.entries()) {
    const element = elements[at]
    const now = after.find(({ Id }) => Id === was.Id)
    if (!element) continue
    if (!now) {
      edits.remove(element)
      continue
    }
    if (nameOf(now) !== was.Id) edits.set(element, 'Name', nameOf(now))
    if (now.Label !== was.Label) edits.set(element, 'Label', now.Label)
    if (now.Kind !== was.Kind) edits.set(element, 'Kind', now.Kind)
    if (now.X !== was.X || now.Y !== was.Y) edits.set(element, 'At', toAt(now))
  }
  const known = new Set(before.map(({ Id }) => Id))
  const added = after.filter(({ Id }) => !known.has(Id))
  edits.append(
    root,
    'States',
    added.map((node) =>
      toMarkup('State', {
        Name: nameOf(node),
        Label: node.Label === toWords(nameOf(node)) ? null : node.Label,
        Kind: node.Kind === USUAL_STATE_KIND ? null : node.Kind,
        At: toAt(node),
      }),
    ),
  )
}

const toAt = ({ X, Y }: GraphNode): string | null => (X === null || Y === null ? null : `${X} ${Y}`)

function writeEdges(
  edits: TextEdits,
  root: ScannedElement,
  { before, after, called }: Difference<GraphEdge> & { called: (id: string) => string },
): void {
  const elements = listIn(root, 'Transitions', 'Transition')
  const fromOf = ({ From }: GraphEdge): string => From.map(called).join(' ')
  for (const [at, was] of before.entries()) {
    const element = elements[at]
    const now = after.find(({ Id }) => Id === was.Id)
    if (!element) continue
    if (!now) {
      edits.remove(element)
      continue
    }
    if (fromOf(now) !== was.From.join(' ')) edits.set(element, 'From', fromOf(now))
    if (called(now.To) !== was.To) edits.set(element, 'To', called(now.To))
    for (const name of ['Action', 'Label', 'Capability', 'When', 'After'] as const)
      if ((now[name] || null) !== was[name]) edits.set(element, name, now[name] || null)
  }
  const known = new Set(before.map(({ Id }) => Id))
  const added = after.filter(({ Id }) => Id === null || !known.has(Id))
  edits.append(
    root,
    'Transitions',
    added.map((edge) =>
      toMarkup('Transition', {
        From: fromOf(edge),
        To: called(edge.To),
        Action: edge.Action,
        Label: edge.Label === toWords(edge.Action) ? null : edge.Label || null,
        Capability: edge.Capability || null,
        When: edge.When || null,
        After: edge.After || null,
      }),
    ),
  )
}

const toMarkup = (name: string, attributes: Readonly<Record<string, string | null>>): string =>
  `<${name}${Object.entries(attributes)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => ` ${key}="${escape(value ?? '')}"`)
    .join('')}/>`
