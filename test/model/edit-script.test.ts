/** Edited Rbac scripts: what is proven without the XML parser is what the parser makes of them. */
import { expect, test } from 'bun:test'
import type { Script } from '../../src/model/compiled/script.ts'
import type { Element } from '../../src/model/parse/element.ts'
import { parseModelFile } from '../../src/model/parse/parse.ts'
import type { RightChange } from '../../src/model/rbac/edit.ts'
import { editText, readEdited } from '../../src/model/rbac/rights/edit-script.ts'
import { Random } from '../../data/demo/random.ts'

const BODY = `<!-- Who may do what. -->
<Rbac>
  <Capability Name="Approve"/>
  <Role  Name='Rep'   Label="Sales &amp; more">
    <Grant Verbs="View List"  Resource="Orders" /> <!-- read only, so far -->
    <Grant Resource='Parts' Capabilities='Approve'></Grant>
    <RowFilter Resource="Orders">Region = @User_Region</RowFilter>
    <Grant Resource="Orders" Verbs="Update"/>
  </Role>
  <Role Name="Idle"/>
  <Role Name="Flat"><Grant Resource="A" Verbs="View"/><Grant Resource="B" Verbs="View"/></Role>
</Rbac>
`
const FILE = 'rbac.xml'

async function parse(body: string): Promise<Script> {
  const { scripts, faults } = await parseModelFile({ name: FILE, body })
  expect(faults).toEqual([])
  const [script] = scripts
  if (!script) throw new Error('The text has no script')
  return script
}

const listAll = (element: Element): Element[] => [element, ...element.children.flatMap(listAll)]

const give = (right: string, resource = 'Orders', role = 'Rep'): RightChange => ({
  role,
  resource,
  right,
  isGranted: true,
})

test('random edits are proven, and are what the XML parser reads', async () => {
  const random = new Random(7)
  let script = await parse(BODY)
  let proven = 0
  for (let round = 0; round < 300; round++) {
    const changes = Array.from({ length: random.int(1, 3) }, () => ({
      role: random.pick(['Rep', 'Flat', 'Idle']),
      resource: random.pick(['Orders', 'Parts', 'A', 'New']),
      right: random.pick(['View', 'List', 'Export', 'Approve']),
      isGranted: random.chance(0.5),
    }))
    const body = await editText(script.body, changes)
    const edited = readEdited(script, body, withoutOverridden(changes))
    const parsed = await parse(body)
    if (edited) {
      proven++
      expect(edited).toEqual(parsed)
    }
    script = edited ?? parsed
  }
  expect(proven).toBeGreaterThan(200)
})

/** Of changes of one right the last counts; the board has none twice. */
const withoutOverridden = (changes: readonly RightChange[]): RightChange[] => [
  ...new Map(changes.map((each) => [`${each.role} ${each.resource} ${each.right}`, each])).values(),
]

test('elements that stay where they were are the same objects', async () => {
  const script = await parse(BODY)
  const change = give('View', 'A', 'Flat')
  const edited = readEdited(script, await editText(BODY, [change]), [change])
  expect(edited?.element).toBe(script.element)
  const moved = give('Export', 'B', 'Flat')
  const other = readEdited(script, await editText(BODY, [moved]), [moved])
  const before = new Set(listAll(script.element))
  const fresh = listAll(other?.element ?? script.element).filter((each) => !before.has(each))
  expect(fresh.map(({ name, attributes }) => attributes.Verbs ?? name)).toEqual([
    'Rbac',
    'Role',
    'View Export',
  ])
})

const ORDERS = 'Verbs="View List"  Resource="Orders"'
const REFUSED: [string, RightChange[], (body: string) => string][] = [
  ['another right than the changed one', [give('Export')], (body) => body],
  ['a change too many', [], (body) => body.replace('"Update"', '"Update Export"')],
  ['another role’s right', [give('View')], (body) => body.replace('"A" Verbs="View', '$& List')],
  ['another row filter', [give('View')], (body) => body.replace('@User_Region', "'x'")],
  ['another label', [give('View')], (body) => body.replace('more', 'less')],
  ['another capability', [give('View')], (body) => body.replace('"Approve"/>', '"Sign"/>')],
  ['an unknown verb', [give('Fly')], (body) => body.replace('"Update"', '"Update Fly"')],
  ['another attribute', [give('View')], (body) => body.replace(ORDERS, `${ORDERS} Was="x"`)],
  [
    'an attribute twice',
    [give('Export')],
    (body) => body.replace(ORDERS, `${ORDERS} Verbs="Export"`),
  ],
  ['an entity', [give('View')], (body) => body.replace('"View List"', '"View&#32;List"')],
  ['no blank between attributes', [give('View')], (body) => body.replace('List"  ', 'List"')],
  [
    'a child of a Grant',
    [give('View')],
    (body) => body.replace("'Approve'></Grant>", "'Approve'><x/></Grant>"),
  ],
  ['text in a Grant', [give('View', 'Parts')], (body) => body.replace('></Grant>', '>x</Grant>')],
]

test.each(REFUSED)('not proven: %s', async (_, changes, tamper) => {
  const script = await parse(BODY)
  expect(readEdited(script, tamper(BODY), changes)).toBeUndefined()
})

const HARD = `<!-- Who > <may do what. -->
<Rbac>
  <Capability Name="Rep"></Capability>
  <Role  Name='Rep'   Label="Sales &amp; more">
    <Grant Verbs="View List"  Resource="Orders" /> <!-- read > only, so far -->
    <Grant Resource='Parts' Capabilities='Rep'></Grant><![CDATA[ ]]>
    <RowFilter Resource="Orders"><![CDATA[Region = 'a>  <b' or @User_Region]]></RowFilter>&#32;
    <FieldRule Resource="Orders" Field="Id" Access="Hidden"/>
    <Grant Resource="Orders" Verbs="Update"/>
  </Role>
  <Role Name="Idle"></Role>
</Rbac>
`
const GRANTS: [string, ...string[]] = [
  '<Grant Resource="Orders" Verbs="Export"/>',
  "<Grant Verbs='Export'\nResource='Orders'></Grant>",
  '<Grant Resource="Orders" Verbs="Export" >\t</Grant >',
  '<Grant\u00a0Resource="Orders" Verbs="Export"/>',
  '<Grant Resource="Orders" Verbs="Export\u00a0View"/>',
  '<Grant Resource="Orders" Verbs="Export"/ >',
]
const BLANKS: [string, ...string[]] = ['', '&#32;', '&#160;', ...' \n\t\r\v\f\u00a0\u2028\ufeff']

/** A text with one more Grant anywhere, and other blanks. */
function mutate(random: Random): string {
  const put = (text: string, at: number, part: string, left = 0): string =>
    text.slice(0, at) + part + text.slice(at + left)
  let text = put(HARD, random.int(0, HARD.length), random.pick(GRANTS))
  if (random.chance(0.3)) text = put(text, random.int(0, text.length), random.pick(BLANKS), 1)
  const isReplaced = random.chance(0.3)
  return text.replace(/\s+/g, (blanks) =>
    isReplaced && random.chance(0.05) ? random.pick(BLANKS) : blanks,
  )
}

test('no text is proven that the XML parser refuses or reads otherwise', async () => {
  const random = new Random(11)
  const script = await parse(HARD)
  let proven = 0
  for (let round = 0; round < 20_000; round++) {
    const body = mutate(random)
    const edited = readAny(script, body)
    if (!edited) continue
    proven++
    const { scripts, faults } = await parseModelFile({ name: FILE, body })
    expect({ body, faults, scripts }).toEqual({ body, faults: [], scripts: [edited] })
  }
  expect(proven).toBeGreaterThan(100)
})

/** Undefined too for what is so far from well-formed that it cannot be scanned. */
function readAny(script: Script, body: string): Script | undefined {
  try {
    return readEdited(script, body, [give('Export')])
  } catch (error) {
    expect(String(error)).toMatch(/not well-formed/)
    return undefined
  }
}

test('not proven: a Grant of no resource', async () => {
  const script = await parse('<Rbac><Role Name="Rep"></Role></Rbac>')
  const body = script.body.replace('</Role>', '<Grant Verbs="View"/></Role>')
  expect(readEdited(script, body, [give('View', '')])).toBeUndefined()
})

test('not proven: more Grants than an element may have children', async () => {
  const grants = Array.from({ length: 5000 }, (_, at) => `<Grant Resource="R${at}" Verbs="View"/>`)
  const script = await parse(`<Rbac><Role Name="Rep">${grants.join('\n')}</Role></Rbac>`)
  const one = give('List', 'R1')
  expect(readEdited(script, await editText(script.body, [one]), [one])).toBeDefined()
  const more = give('List', 'More')
  expect(readEdited(script, await editText(script.body, [more]), [more])).toBeUndefined()
})
