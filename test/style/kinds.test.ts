/**
 * A kind is declared once: code outside of its file asks for a facet and never compares its name,
 * so that the compiler asks for all that a new kind needs (`bun run house --play` adds some).
 */
import { expect, test } from 'bun:test'
import { JOB_STATE_NAMES } from '../../src/store/tables/jobs.ts'
import { EFFECT_KINDS } from '../../src/model/compiled/effect.ts'
import { VERBS } from '../../src/model/compiled/role.ts'
import { VIEW_TYPES } from '../../src/model/compiled/view.ts'
import { STEP_KINDS } from '../../src/model/compiled/wizard.ts'
import { WORKFLOW_STATES } from '../../src/model/compiled/workflow.ts'
import { FIELD_TYPES } from '../../src/model/fields/kinds.ts'
import { OPERATOR_NAMES } from '../../src/model/operators.ts'
import { SEQUENCE_PERIOD_NAMES } from '../../src/model/sequence-periods.ts'
import { SERIES_FORMS, WIDGET_KIND_NAMES } from '../../src/model/widget-kinds.ts'
import { isNode } from './exported-names.ts'
import { placeOf, readProjectFile, type Source, sources, type SyntaxNode } from './source.ts'

interface Family {
  kind: string
  names: readonly string[]
  /** Files that declare the kinds, and others with the reason why they name some. */
  homes: Readonly<Record<string, string>>
}

const FAMILIES: readonly Family[] = [
  {
    kind: 'effect',
    names: Object.keys(EFFECT_KINDS),
    homes: {
      'src/model/compiled/effect.ts': 'the kinds themselves',
      'src/model/compile/effects.ts': 'the compiler of each',
      'src/engine/object/after-write/effects.ts': 'what runs each',
      'src/engine/notifications/preferences.ts': 'topics are members of a Notify',
      'src/engine/webhooks/named-events.ts': 'events are members of a Webhook',
      'src/engine/extensions/': 'parts of extensions',
      'src/features/extensions/': 'parts of extensions',
      'src/engine/object/rules/entity-rules.ts': 'rules that are SQL',
      'src/engine/object/import/': 'rules that are SQL',
      'src/engine/workflow/act.ts': 'rules that are SQL',
    },
  },
  {
    kind: 'filter operator',
    names: OPERATOR_NAMES,
    homes: {
      'src/client/web/state/conditions.ts': 'how each compares in a browser',
      'src/client/web/fields/operators.ts': 'those that a filter of each kind offers',
      'src/model/operators.ts': 'the operators themselves',
      'src/engine/assistant/builtin/': 'words of a question that mean an operator',
    },
  },
  {
    kind: 'wizard step',
    names: Object.keys(STEP_KINDS),
    homes: {
      'src/model/compiled/wizard.ts': 'the kinds themselves',
      'src/engine/access/changes.ts': 'List is a verb',
      'src/access/rights/resource-access.ts': 'List is a verb',
    },
  },
  {
    kind: 'view',
    names: Object.keys(VIEW_TYPES),
    homes: {
      'src/client/web/pages/frame/navbar.tsx': 'kinds of items of the navbar',
      'src/model/compiled/view.ts': 'the types themselves',
      'src/model/compile/view-fields.ts': 'surfaces of fields',
      'src/engine/object/metadata-schema.ts': 'surfaces of fields',
      'src/engine/object/form/load-form.ts': 'modes of a form',
      'src/model/compile/view-rules.ts': 'View is what an action is for',
      'src/engine/object/write/row-action.ts': 'View is what an action is for',
    },
  },
  {
    kind: 'workflow state',
    names: Object.keys(WORKFLOW_STATES),
    homes: { 'src/model/compiled/workflow.ts': 'the kinds themselves' },
  },
  {
    kind: 'job state',
    names: JOB_STATE_NAMES,
    homes: { 'src/store/tables/jobs.ts': 'the states themselves' },
  },
  {
    kind: 'widget',
    names: WIDGET_KIND_NAMES,
    homes: {
      'src/model/widget-kinds.ts': 'the kinds themselves',
      'src/model/compile/texts.ts': 'Line is an element of a print',
      'src/model/compile/view-rules.ts': 'View is what an action is for',
      'src/engine/object/write/row-action.ts': 'View is what an action is for',
    },
  },
  {
    kind: 'period of sequences',
    names: SEQUENCE_PERIOD_NAMES,
    homes: { 'src/model/sequence-periods.ts': 'the periods themselves' },
  },
  {
    kind: 'series on paper',
    names: ['bar', 'line', 'area', 'pie'],
    homes: {
      'src/engine/pdf/chart/': 'what draws each',
      'src/engine/pdf/blocks.ts': 'line is a block',
      'src/engine/printed-reports/print-template.ts': 'line is a block',
      'src/engine/extensions/extension-process.ts': 'a line of a source',
      'src/engine/object/import/': 'a line of a file',
      'src/engine/object/export/': 'a line of a record',
      'src/model/adopt/find-references.ts': 'names of columns',
    },
  },
  {
    kind: 'field',
    names: FIELD_TYPES,
    homes: {
      'src/model/fields/': 'the kinds themselves',
      'src/server/schema-check.ts': 'kinds of schemas, which TypeBox names',
    },
  },
]

const textOf = (node: unknown): string | undefined => {
  if (!isNode(node) || node.type !== 'Literal') return undefined
  return typeof node['value'] === 'string' ? node['value'] : undefined
}

const nodesOf = (value: unknown): SyntaxNode[] => (Array.isArray(value) ? value.filter(isNode) : [])

/** True when a node compares with a name, or lists several to compare with. */
function comparesNames(node: SyntaxNode, names: ReadonlySet<string>): boolean {
  const isName = (value: unknown): boolean => names.has(textOf(value) ?? '')
  const isEquality = node.type === 'BinaryExpression' && /^[=!]==?$/.test(String(node['operator']))
  if (isEquality) return isName(node['left']) || isName(node['right'])
  if (node.type === 'SwitchCase') return isName(node['test'])
  if (node.type !== 'ArrayExpression') return false
  return nodesOf(node['elements']).filter(isName).length > 1
}

const listComparisons = (source: Source, { names, homes }: Family): string[] =>
  Object.keys(homes).some((home) => source.path.startsWith(home))
    ? []
    : source.nodes
        .filter((node) => comparesNames(node, new Set(names)))
        .map((node) => placeOf(source, node))

test.each(FAMILIES)('no code outside of its file compares the name of a $kind', (family) => {
  const src = sources.filter(({ path }) => path.startsWith('src/'))
  expect(src.flatMap((source) => listComparisons(source, family))).toEqual([])
})

test('a comparison with a name and a list of names are found', () => {
  const names = new Set(['Text', 'Date'])
  const compare = {
    type: 'BinaryExpression',
    operator: '===',
    right: { type: 'Literal', value: 'Text', start: 0 },
  }
  const list = { type: 'ArrayExpression', elements: ['Text', 'Date'].map(toLiteral) }
  expect(comparesNames({ ...compare, start: 0, end: 0 }, names)).toBe(true)
  expect(comparesNames({ ...list, start: 0, end: 0 }, names)).toBe(true)
  expect(comparesNames({ ...list, start: 0, end: 0 }, new Set(['Text']))).toBe(false)
})

const toLiteral = (value: string): object => ({ type: 'Literal', value, start: 0, end: 0 })

/** Values of the first enumeration behind a declaration of `model.xsd`. */
function listEnumerated(declaration: string): string[] {
  const [, behind = ''] = readProjectFile('src/model/model.xsd').split(declaration)
  const [body = ''] = behind.split('</xs:simpleType>')
  return Array.from(body.matchAll(/enumeration value="([^"]+)"/g), ([, value = '']) => value)
}

test.each([
  ['field', '<xs:simpleType name="Type">', FIELD_TYPES],
  ['widget', 'Kpi is one figure', WIDGET_KIND_NAMES],
  ['form of a series', 'How it is drawn in a Bar', SERIES_FORMS],
  ['period of a sequence', '<xs:attribute name="Reset"', SEQUENCE_PERIOD_NAMES],
])('models may name every kind of %s, and no other', (_, declaration, names) => {
  expect(listEnumerated(declaration).sort()).toEqual(names.toSorted())
})

test('models may grant every verb, and no other', () => {
  const [, behind = ''] = readProjectFile('src/model/model.xsd').split('name="Verbs">')
  const [, words = ''] = /pattern value="\\s\*\(([\w|]+)\)/.exec(behind) ?? []
  expect(words.split('|')).toEqual([...VERBS])
})

test('models may write every kind of effect, and no other', () => {
  const [, behind = ''] = readProjectFile('src/model/model.xsd').split('name="EffectElements">')
  const [group = ''] = behind.split('</xs:group>')
  const written = Array.from(group.matchAll(/^ {6}<xs:element name="(\w+)"/gm), ([, name]) => name)
  const elements = Object.values(EFFECT_KINDS).flatMap(({ element }) => element ?? [])
  expect(written.sort()).toEqual(elements.sort())
})
