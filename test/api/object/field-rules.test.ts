/** Properties of fields: conditions, surfaces, sections, order, presets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Imports } from '../../support/imports.ts'
import { data, Objects, refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

/** Conditions, each with values that meet it and values that do not. */
const CASES: readonly [condition: string, holds: readonly Row[], fails: readonly Row[]][] = [
  ['Word eq red', [{ Word: 'red' }], [{ Word: 'Red' }, { Word: 'blue' }, {}]],
  ['Word ne red', [{ Word: 'blue' }, {}], [{ Word: 'red' }]],
  ['Number lt 10', [{ Number: 9 }], [{ Number: 10 }, {}]],
  ['Number le 10', [{ Number: 10 }], [{ Number: 11 }, {}]],
  ['Number gt 10', [{ Number: 11 }], [{ Number: 10 }, {}]],
  ['Number ge 10', [{ Number: 10 }], [{ Number: 9 }, {}]],
  ['Word contains ÄR', [{ Word: 'bärig' }, { Word: 'barig' }], [{ Word: 'brig' }, {}]],
  ['Word startsWith re', [{ Word: 'Red' }], [{ Word: 'are' }, {}]],
  ['Word endsWith ed', [{ Word: 'RED' }], [{ Word: 'edge' }, {}]],
  ['Word notContains ÄR', [{ Word: 'red' }, {}], [{ Word: 'bärig' }]],
  ['Word notStartsWith re', [{ Word: 'are' }, {}], [{ Word: 'Red' }]],
  ['Word notEndsWith ed', [{ Word: 'edge' }, {}], [{ Word: 'RED' }]],
  [
    'Word eq red and Number gt 3',
    [{ Word: 'red', Number: 4 }],
    [{ Word: 'red', Number: 3 }, { Number: 4 }, {}],
  ],
  [
    'Word eq red or Number gt 3 and Flag eq true',
    [{ Word: 'red' }, { Number: 4, Flag: true }],
    [{ Number: 4 }, { Flag: true }, {}],
  ],
  [
    '(Word eq red or Number gt 3) and Flag eq true',
    [
      { Word: 'red', Flag: true },
      { Number: 4, Flag: true },
    ],
    [{ Word: 'red' }, { Number: 4 }],
  ],
  ['Word eq terms and conditions', [{ Word: 'terms and conditions' }], [{ Word: 'terms' }]],
  ['Word in red blue', [{ Word: 'blue' }], [{ Word: 'green' }, {}]],
  ['Word notIn red blue', [{ Word: 'green' }, {}], [{ Word: 'red' }]],
  ['Number between 2 4', [{ Number: 2 }, { Number: 4 }], [{ Number: 5 }, {}]],
  ['Word isNull', [{}, { Word: null }], [{ Word: 'x' }]],
  ['Word isNotNull', [{ Word: 'x' }], [{}]],
  ['Flag eq true', [{ Flag: true }], [{ Flag: false }, {}]],
  ['Price ge 9.5', [{ Price: 9.5 }, { Price: '10.00' }], [{ Price: 9.49 }]],
  ['Day lt today', [{ Day: '2000-01-01' }], [{ Day: '2999-01-01' }, {}]],
  [
    'Instant ge 2020-01-01',
    [{ Instant: '2020-01-01T12:00:00Z' }],
    [{ Instant: '2019-12-30T12:00:00Z' }],
  ],
]

const COLUMNS = `
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Word" Type="Text"/>
  <Column Name="Number" Type="Integer"/>
  <Column Name="Price" Type="Decimal" Scale="2" Format="#,##0.00" Unit="EUR"/>
  <Column Name="Flag" Type="Boolean"/>
  <Column Name="Day" Type="Date"/>
  <Column Name="Instant" Type="DateTime"/>
  <Column Name="Target" Type="Text" Help="What it is about" MaxLength="19"/>`

const RULES = ['RequiredWhen', 'VisibleWhen', 'ReadOnlyWhen'] as const

const views = CASES.flatMap(([condition], at) =>
  RULES.map(
    (rule) =>
      `<ObjectView Name="${rule}${at}" Entity="Thing" Resource="Things">
        <Field Name="Target" ${rule}="${condition}"/></ObjectView>`,
  ),
)

const RULED: TestApplication = {
  files: [
    {
      name: 'things.xml',
      body: `<Model>
<Entity Name="Thing" Table="things">${COLUMNS}</Entity>
${views.join('\n')}
<ObjectView Name="Chained" Entity="Thing" Resource="Things">
  <Field Name="Target" VisibleWhen="Word eq red"/>
  <Field Name="Word" ReadOnlyWhen="Flag eq true"/>
</ObjectView>
<ObjectView Name="Shut" Entity="Thing" Resource="Things">
  <Field Name="Target" Required="true" Default="usual" ReadOnlyWhen="Flag eq true"/>
</ObjectView>
<ObjectView Name="Later" Entity="Thing" Resource="Things"><Field Name="Target" Pattern="[a-z]+"/></ObjectView>
<ObjectView Name="Needed" Entity="Thing" Resource="Things">
  <Field Name="Target" Required="true" VisibleWhen="Flag eq true"/>
</ObjectView>
<ObjectView Name="Shown" Entity="Thing" Resource="Things" Sort="Number desc Word" Only="true">
  <Field Name="Word" In="Grid"/>
  <Section Label="Amounts" Tab="More" Columns="3">
    <Field Name="Price" Label="Price each"/><Field Name="Number" In="Form View"/>
  </Section>
  <Field Name="Flag" In="None"/>
  <Preset Name="Many" Label="Many things" Where="Number &gt; 5" Default="true"/>
  <Preset Name="Few" Where="Number &lt; 5"/>
</ObjectView>
<ObjectView Name="Things" Entity="Thing">
  <RowAction Name="Mark">
    <Parameter Name="How" Default="plain"/>
    <Parameter Name="Why" Required="true" VisibleWhen="How eq odd"/>
    <Parameter Name="Remark" RequiredWhen="Word eq red" ReadOnlyWhen="How eq odd"/>
    <Parameter Name="Day" Type="Date" Default="@Today" Required="true"/>
    <Parameter Name="Like" Lookup="Things" Type="Integer"/>
    <Sql>UPDATE things SET Target = @How || coalesce('/' || @Why, '') || coalesce('/' || @Remark, '') || '/' || (@Day = @Today) || coalesce('/' || @Like, '') WHERE Id = @Id</Sql>
  </RowAction>
</ObjectView>
<Rbac><Role Name="Clerk"><Grant Resource="Things" Verbs="View List Create Update"/></Role></Rbac>
</Model>`,
    },
  ],
  ...makePeople('ONE', { clerk: 'Clerk', sys: 'System' }),
}

let app: Awaited<ReturnType<typeof startApp>>
let things: Objects
beforeAll(async () => {
  app = await startApp({ application: RULED })
  things = new Objects(app)
})
afterAll(() => app[Symbol.asyncDispose]())

test('what a barred value would have let through is barred with it', async () => {
  const saved = await things.save('clerk', 'Chained', { Target: 'x', Word: 'red', Flag: true })
  expect(saved.Values).toMatchObject({ Target: null, Word: null, Flag: true })
  const free = await things.save('clerk', 'Chained', { Target: 'x', Word: 'red' })
  expect(free.Values).toMatchObject({ Target: 'x', Word: 'red' })
})

test('a stored value is judged by a rule that came after it once somebody touches it', async () => {
  const { Keys } = await things.save('clerk', 'Things', { Target: 'UPPER' })
  const saved = await things.save('clerk', 'Later', { ...Keys, Number: 1 })
  expect(saved.Values).toMatchObject({ Target: 'UPPER', Number: 1 })
  await things.save('clerk', 'Later', { ...Keys, Target: 'UPPER' })
  const again = refusal(await things.submit('clerk', 'Later', { ...Keys, Target: 'OTHER' }), 400)
  expect(Object.keys(again.fieldErrors ?? {})).toEqual(['Target'])
})

describe('conditions', () => {
  for (const [at, [condition, holds, fails]] of CASES.entries()) {
    test(`RequiredWhen ${condition}`, async () => {
      for (const row of holds) {
        const answer = await things.submit('clerk', `RequiredWhen${at}`, row)
        expect([row, refusal(answer, 400).fieldErrors]).toEqual([
          row,
          { Target: 'Target is required' },
        ])
      }
      for (const row of fails) await things.save('clerk', `RequiredWhen${at}`, row)
    })

    test(`VisibleWhen and ReadOnlyWhen ${condition}`, async () => {
      const save = async (rule: string, row: Row) => {
        const { Values } = await things.save('clerk', `${rule}${at}`, { ...row, Target: 'given' })
        return Values.Target
      }
      for (const row of holds) {
        expect([row, await save('VisibleWhen', row)]).toEqual([row, 'given'])
        expect([row, await save('ReadOnlyWhen', row)]).toEqual([row, null])
      }
      for (const row of fails) {
        expect([row, await save('VisibleWhen', row)]).toEqual([row, null])
        expect([row, await save('ReadOnlyWhen', row)]).toEqual([row, 'given'])
      }
    })
  }

  test('they look at the record as it would be stored, not at the request alone', async () => {
    const { Keys } = await things.save('clerk', 'Things', { Word: 'red', Target: 'old' })
    const key = Array.isArray(Keys) ? {} : { ...Keys }
    const emptied = await things.submit('clerk', 'RequiredWhen0', { ...key, Target: '' })
    expect(refusal(emptied, 400).fieldErrors).toEqual({ Target: 'Target is required' })
    const kept = await things.save('clerk', 'ReadOnlyWhen0', { ...key, Target: 'new' })
    expect(kept.Values.Target).toBe('old')
    const freed = { ...key, Word: 'blue', Target: 'new' }
    expect((await things.save('clerk', 'ReadOnlyWhen0', freed)).Values.Target).toBe('new')
  })

  test('what is not visible is not demanded either', async () => {
    expect((await things.save('clerk', 'Needed', {})).Values.Target).toBeNull()
    const answer = await things.submit('clerk', 'Needed', { Flag: true })
    expect(refusal(answer, 400).fieldErrors).toEqual({ Target: 'Target is required' })
  })
})

test('a new record keeps the default of what is shut from the start, in a file, too', async () => {
  const { Values, Ignored } = await things.save('clerk', 'Shut', { Flag: true, Target: 'mine' })
  expect([Values.Target, Ignored]).toEqual(['usual', ['Target']])
  const { Keys } = await things.save('clerk', 'Shut', { Flag: false, Target: 'mine' })
  const shut = await things.save('clerk', 'Shut', { ...(Keys as Row), Flag: true, Target: 'late' })
  expect(shut.Values.Target).toBe('mine')
  const file = 'Flag,Target\ntrue,mine\nfalse,own\n'
  const made = await new Imports(app).take('sys', { objectName: 'Shut', file })
  expect(made.Inserted).toBe(2)
  expect(await things.stored('SELECT Target FROM things ORDER BY Id DESC LIMIT 2')).toEqual([
    { Target: 'own' },
    { Target: 'usual' },
  ])
})

describe('parameters of an action', () => {
  const make = async (Word: string): Promise<Row> => {
    const { Keys } = await things.save('clerk', 'Things', { Word })
    return Array.isArray(Keys) ? {} : { ...Keys }
  }
  const mark = async (key: Row, parameters: Row) => {
    const answer = await things.act('clerk', 'Things', 'Mark', { ...key, ...parameters })
    if (answer.status !== 200) return refusal(answer, 400).fieldErrors
    return (await things.form('clerk', 'Things', key)).Values.Target
  }

  test('are judged by their conditions, beside each other and the row', async () => {
    const [red, blue] = [await make('red'), await make('blue')]
    expect(await mark(blue, {})).toBe('plain/1')
    expect(await mark(blue, { Why: 'hidden', Remark: 'r' })).toBe('plain/r/1')
    expect(await mark(blue, { How: 'odd' })).toEqual({ Why: 'Why is required' })
    expect(await mark(blue, { How: 'odd', Why: 'w', Remark: 'barred' })).toBe('odd/w/1')
    expect(await mark(red, {})).toEqual({ Remark: 'Remark is required' })
    expect(await mark(red, { Remark: 'r', Day: '2020-01-01' })).toBe('plain/r/0')
  })

  test('look up like fields', async () => {
    const blue = await make('blue')
    expect(await mark(blue, { Like: blue.Id })).toBe(`plain/1/${blue.Id}`)
    expect(await mark(blue, { Like: 9999 })).toEqual({ Like: 'Like: there is no such thing' })
    const options = await things.call<Row[]>('clerk', '/field-dataset', {
      FormName: 'Things',
      ActionName: 'Mark',
      FieldName: 'Like',
      PageSize: 1,
    })
    expect(data(options)).toHaveLength(1)
  })
})

describe('definition', () => {
  test('sections, tabs, order, surfaces, sort and presets', async () => {
    const metadata = data(await things.call<Row>('clerk', '/Shown/metadata'))
    const fields = metadata.Fields as Row[]
    expect(fields.map(({ Name, In }) => [Name, In])).toEqual([
      ['Word', ['Grid']],
      ['Price', ['Grid', 'Form', 'View', 'Export']],
      ['Number', ['Form', 'View']],
      ['Id', ['Grid', 'Form', 'View', 'Export']],
    ])
    expect(metadata.Sections).toEqual([
      { Label: 'Amounts', Tab: 'More', Columns: 3, Fields: ['Price', 'Number'] },
    ])
    expect(metadata.Sort).toEqual([
      { Field: 'Number', Direction: 'desc' },
      { Field: 'Word', Direction: 'asc' },
    ])
    expect(metadata.Presets).toEqual([
      { Name: 'Many', Label: 'Many things', Default: true },
      { Name: 'Few', Label: 'Few', Default: false },
    ])
    expect(fields[1]).toMatchObject({
      Label: 'Price each',
      Format: '#,##0.00',
      Unit: 'EUR',
      Scale: 2,
    })
    const rulesOf = async (condition: string): Promise<Row | undefined> => {
      const at = CASES.findIndex(([each]) => each === condition)
      const view = data(await things.call<Row>('clerk', `/RequiredWhen${at}/metadata`))
      return (view.Fields as Row[])[0]
    }
    expect(await rulesOf('(Word eq red or Number gt 3) and Flag eq true')).toMatchObject({
      RequiredWhen: {
        Logic: 'and',
        Filters: [
          {
            Logic: 'or',
            Filters: [
              { Field: 'Word', Operator: 'eq', Value: 'red' },
              { Field: 'Number', Operator: 'gt', Value: '3' },
            ],
          },
          { Field: 'Flag', Operator: 'eq', Value: 'true' },
        ],
      },
    })
    expect(await rulesOf('Word in red blue')).toMatchObject({
      Help: 'What it is about',
      MaxLength: 19,
      RequiredWhen: { Field: 'Word', Operator: 'in', Value: 'red blue' },
    })
  })

  test('each surface has its fields; a preset holds where a request names it', async () => {
    for (const Number of [9, 3, 7]) {
      await things.save('clerk', 'Things', { Number, Word: 'sorted', Price: 1 })
    }
    const sorted = { Filters: [{ Field: 'Word', Operator: 'eq', Value: 'sorted' }] }
    const grid = await things.table('clerk', 'Shown', { ...sorted, Preset: 'Many' })
    expect(grid.Rows.map((row) => Object.keys(row))).toEqual([
      ['Word', 'Price', 'Id'],
      ['Word', 'Price', 'Id'],
    ])
    const all = await things.table('clerk', 'Shown', sorted)
    const numbers = await Promise.all(
      all.Rows.map(async ({ Id }) => (await things.form('clerk', 'Shown', { Id })).Values),
    )
    expect(numbers.map((values) => values.Number)).toEqual([9, 7, 3])
    expect(Object.keys(numbers[0] ?? {})).toEqual(['Price', 'Number', 'Id'])
  })
})
