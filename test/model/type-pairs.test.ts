/** Every type to every other: what is stored afterwards is what the new type would have stored. */
import { describe, expect, test } from 'bun:test'
import type { Entity } from '../../src/model/compiled/entity.ts'
import type { FieldType } from '../../src/model/compiled/field-features.ts'
import { FieldFault } from '../../src/model/fields/field-kind.ts'
import { plainShape } from '../../src/model/fields/field-shape.ts'
import { FIELD_KINDS } from '../../src/model/fields/kinds.ts'
import { DeployTarget } from '../support/deploy.ts'
import { columnOf, entityOf, identity } from '../support/entities.ts'
import { Migrated } from '../support/migrate.ts'

type Stored = string | number

const GUID = '0f8fad5b-d9cb-469f-a165-70867728950e'
const TYPES = Object.keys(FIELD_KINDS) as FieldType[]

/** Values as a column of the type may hold them; of a Text also what older versions stored. */
const VALUES: Readonly<Record<FieldType, readonly Stored[]>> = {
  Text: [
    ...['', ' \u00a0', 'x', '12', ' 12 ', '007', '-0', '9007199254740993', '1.5', '2.675', '1e3'],
    ...['12345678901234567890', '99999999999999.5', 'TRUE', 'no', '2024-02-29', '2024-02-30'],
    ...['0000-01-01', '2024-02-29T10:00:00Z', '2024-02-30T10:00:00Z', '2024-02-29 23:00-02:00'],
    ...['2024-02-29T24:00:00Z', '2024-02-29T10:00:00.9999Z', '10:30', '24:00', '10:30:61'],
    ...[GUID, GUID.toUpperCase(), `${GUID.slice(0, -1)}g`, '{"a":[1]}', 'null', '"x"', '{a'],
  ],
  Integer: [0, 1, -5, 20240229, Number.MAX_SAFE_INTEGER],
  Decimal: [0, 1, -1.5, 0.01, 999_999.99, 1e12, 9_999_999_999_999.99],
  Boolean: [0, 1],
  Date: ['2024-02-29', '0001-01-01', '9999-12-31'],
  DateTime: ['2024-02-29T00:00:00.000Z', '2024-02-29T10:30:00.001Z', '0001-01-01T00:00:00.000Z'],
  Time: ['00:00:00', '10:30:00'],
  Guid: [GUID],
  Json: ['{"a":[1]}', '12', '1.5', 'true', '"x"', '"2024-02-29"', '[]'],
  File: ['[{"Path":"a/b","FileName":"b"}]'],
}

/** The text that a user would type into a field of the new type for the same value. */
function retype(from: FieldType, to: FieldType, value: Stored): string {
  if (from === 'Boolean' && to !== 'Integer' && to !== 'Decimal') return value ? 'true' : 'false'
  if (from === 'Date' && to === 'DateTime') return `${value}T00:00:00.000Z`
  return from === 'DateTime' && to === 'Date' ? String(value).slice(0, 10) : String(value)
}

/** The value that a field of the new type stores; undefined for a value that it refuses. */
function storedAs(from: FieldType, to: FieldType, value: Stored): unknown {
  if (from === 'Decimal' && to === 'Text')
    return Number.isInteger(value) ? `${value}.0` : `${value}`
  const parsed = FIELD_KINDS[to].parse(retype(from, to, value), plainShape('', to))
  return parsed instanceof FieldFault ? undefined : parsed
}

/** A document keeps how its numbers are spelled: `1e3` is 1000, and a long one has all digits. */
function isDocument(to: FieldType, stored: unknown, wanted: unknown): boolean {
  if (to !== 'Json' || typeof stored !== 'string') return false
  return wanted === undefined || JSON.stringify(JSON.parse(stored)) === wanted
}

const thingOf = (type: FieldType, ...more: Parameters<typeof columnOf>[]): Entity =>
  entityOf('Thing', 'things', [
    ...[identity(), columnOf('A', { type })],
    ...more.map((column) => columnOf(...column)),
  ])

const literal = (value: Stored): string =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`

const PAIRS = TYPES.flatMap((from) =>
  TYPES.flatMap((to) => (from === to ? [] : [[from, to] as const])),
)

describe.each(PAIRS)('%s to %s', (from, to) => {
  test('alone and beside other changes', async () => {
    for (const value of VALUES[from]) {
      for (const more of [
        [],
        [['B', { required: true, default: { kind: 'literal', value: 'b' } }]],
      ]) {
        const database = new Migrated()
        await database.migrate([thingOf(from, ['Old'])])
        database.db.exec(`INSERT INTO things (A, Old) VALUES (${literal(value)}, NULL)`)
        const wanted = thingOf(to, ...(more as Parameters<typeof columnOf>[]))
        const { losses, faults } = await database.migrate([wanted])
        expect(faults).toEqual([])
        const [row] = database.rows('SELECT A FROM things') as unknown[][]
        if (losses.length > 0) {
          // The row is as it was, and the list says why.
          expect(row).toEqual([value])
          expect(losses.join()).toContain('Thing.A')
          continue
        }
        const is = storedAs(from, to, value)
        if (!isDocument(to, row?.[0], is)) expect([value, row?.[0]]).toEqual([value, is])
        expect((await database.migrate([wanted])).steps).toEqual([])
      }
    }
  })
})

const isNoKey = (type: FieldType): boolean => type === 'Json' || type === 'File'
const KEY_PAIRS = PAIRS.filter((types) => !types.some(isNoKey))

describe.each(KEY_PAIRS)('%s to %s', (from, to) => {
  test('as a key, and as a reference to it', async () => {
    for (const value of VALUES[from]) {
      const entities = (type: FieldType): Entity[] => [
        entityOf('Thing', 'things', [columnOf('A', { type, key: true, required: true })]),
        entityOf('Child', 'children', [identity(), columnOf('Of', { type, references: 'Thing' })]),
      ]
      const database = new Migrated()
      await database.migrate(entities(from))
      database.db.exec(`INSERT INTO things (A) VALUES (${literal(value)})`)
      database.db.exec(`INSERT INTO children (Of) VALUES (${literal(value)})`)
      const { losses, faults } = await database.migrate(entities(to))
      const rows = database.rows('SELECT A, Of FROM things, children') as unknown[][]
      const isDone = losses.length === 0 && faults.length === 0
      const stored = isDone ? storedAs(from, to, value) : value
      expect([value, rows]).toEqual([value, [[stored, stored]]])
      expect(database.rows('PRAGMA foreign_key_check')).toEqual([])
    }
  })
})

test('nothing that fits is refused', async () => {
  const refused: string[] = []
  for (const [from, to] of PAIRS)
    for (const value of VALUES[from]) {
      const database = new Migrated()
      await database.migrate([thingOf(from)])
      database.db.exec(`INSERT INTO things (A) VALUES (${literal(value)})`)
      const { losses } = await database.migrate([thingOf(to)])
      const stored = storedAs(from, to, value)
      if (losses.length > 0 && stored !== undefined && to !== 'File')
        refused.push(`${from} ${to} ${value}`)
    }
  // Noughts would be lost, or digits; an instant that does not begin a day is none.
  expect(refused).toEqual([
    'Text Integer 007',
    'Text Integer -0',
    'Text Decimal 007',
    'Text Decimal 2.675',
    'Text DateTime 2024-02-29T10:00:00.9999Z',
    'DateTime Date 2024-02-29T10:30:00.001Z',
  ])
})

describe('days that an earlier version left as instants', () => {
  const model = (type: string, more = ''): Record<string, string> => ({
    'model.xml': `<Model><Entity Name="Log" Table="logs" Concurrency="Enabled">
      <Column Name="At" Type="${type}" Key="true"/>${more}</Entity>
      <Entity Name="Note" Table="notes"><Column Name="Id" Type="Integer" Key="true" Identity="true"/>
      <Column Name="LogAt" References="Log"/><Column Name="SeenAt" Type="${type}"/></Entity></Model>`,
  })
  const DAYS = [
    "INSERT INTO logs (At) VALUES ('2024-04-26'), ('2024-04-27T08:00:00.000Z')",
    "INSERT INTO notes (LogAt, SeenAt) VALUES ('2024-04-26', '2024-04-25'), (NULL, NULL)",
  ]

  /** A folder whose columns became DateTime while their rows stayed as they were. */
  async function openEarlier(): Promise<DeployTarget> {
    const target = await DeployTarget.open()
    await target.deploy(model('DateTime'))
    const [row] = await target.rows("SELECT Value FROM svc_facts WHERE Name = 'schema'")
    const tables = JSON.parse(String(row?.Value)) as { isConverted?: boolean }[]
    for (const table of tables) delete table.isConverted
    await target.store.write(
      async (tx) => {
        await tx.silently(async () => {
          for (const sql of DAYS) await tx.run(sql)
        })
        const value = JSON.stringify(tables)
        await tx.run("UPDATE svc_facts SET Value = @value WHERE Name = 'schema'", { value })
      },
      { company: 'all', because: 'a test' },
    )
    return target
  }

  const read = async (target: DeployTarget) => [
    await target.rows('SELECT At FROM logs ORDER BY At'),
    await target.rows('SELECT LogAt, SeenAt FROM notes ORDER BY Id'),
  ]
  const INSTANTS = [
    [{ At: '2024-04-26T00:00:00.000Z' }, { At: '2024-04-27T08:00:00.000Z' }],
    [
      { LogAt: '2024-04-26T00:00:00.000Z', SeenAt: '2024-04-25T00:00:00.000Z' },
      { LogAt: null, SeenAt: null },
    ],
  ]

  test.each([
    ['the same model', model('DateTime')],
    ['a changed one', model('DateTime', '<Column Name="Remark" Required="true" Default="-"/>')],
  ])('are mended at the next deploy, of %s, which says so', async (_, files) => {
    await using target = await openEarlier()
    const { plan, isDone } = await target.deploy(files)
    expect([plan.faults, plan.losses, isDone]).toEqual([[], [], true])
    expect(plan.steps.join()).toContain('SeenAt has dates that become times')
    expect(await read(target)).toEqual(INSTANTS)
    expect((await target.deploy(files)).plan.steps).toEqual([])
  })

  test('become days again where the column does', async () => {
    await using target = await openEarlier()
    await target.store.write(
      (tx) => tx.silently(() => tx.run('DELETE FROM logs WHERE length(At) > 10')),
      { company: 'all', because: 'a test' },
    )
    const { plan, isDone } = await target.deploy(model('Date'))
    expect([plan.faults, plan.losses, isDone]).toEqual([[], [], true])
    expect(await read(target)).toEqual([
      [{ At: '2024-04-26' }],
      [
        { LogAt: '2024-04-26', SeenAt: '2024-04-25' },
        { LogAt: null, SeenAt: null },
      ],
    ])
  })
})
