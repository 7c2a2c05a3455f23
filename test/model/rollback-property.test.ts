/** Whatever a deploy does to a table, its rollback restores it to the cell, or is refused. */
import { expect, test } from 'bun:test'
import { Failure } from '../../src/kernel/failure.ts'
import { Random } from '../../data/demo/random.ts'
import { DeployTarget } from '../support/deploy.ts'
import { propertySeed, scaleCases } from '../support/property.ts'

const WORLDS = 14

const TYPES = ['Text', 'Integer', 'Decimal', 'Boolean', 'Date', 'DateTime', 'Json'] as const
type Type = (typeof TYPES)[number]

/** SQL values of each type, some of which another type does not hold. */
const VALUES: Readonly<Record<Type, readonly [string, ...string[]]>> = {
  Text: ["'12'", "'007'", "'a long text'", "'2026-03-04'", "'true'", "''", 'NULL'],
  Integer: ['0', '1', '12', '-7', 'NULL'],
  Decimal: ['0.0', '1.5', '12.0', '0.25', 'NULL'],
  Boolean: ['0', '1', 'NULL'],
  Date: ["'2026-03-04'", "'1999-12-31'", 'NULL'],
  DateTime: ["'2026-03-04T00:00:00.000Z'", "'2026-03-04T05:06:07.000Z'", 'NULL'],
  Json: ["'{}'", "'12'", 'NULL'],
}

interface DrawnColumn {
  name: string
  type: Type
  /** Attributes beside name and type. */
  more: string
}

const write = ({ name, type, more }: DrawnColumn): string =>
  `<Column Name="${name}" Type="${type}" ${more}/>`

const drawColumns = (random: Random): DrawnColumn[] =>
  ['A', 'B', 'C', 'D'].slice(0, random.int(1, 4)).map((name) => ({
    name,
    type: random.pick(TYPES),
    more: '',
  }))

/** The columns after a deploy: some go, some have another name or type, some come. */
function changeColumns(random: Random, columns: readonly DrawnColumn[]): DrawnColumn[] {
  const kept = columns.flatMap((column): DrawnColumn[] => {
    if (random.chance(0.15)) return []
    const type = random.chance(0.3) ? random.pick(TYPES) : column.type
    const isRenamed = random.chance(0.3)
    const name = isRenamed ? `${column.name}New` : column.name
    const narrow = type === 'Text' && random.chance(0.2) ? 'MaxLength="3"' : ''
    return [{ name, type, more: isRenamed ? `Was="${column.name}" ${narrow}` : narrow }]
  })
  const more = ['', 'Default="5"', `Required="true" Fill="Id * 2"`]
  const added = ['X', 'Y'].slice(0, random.int(0, 2)).map((name): DrawnColumn => ({
    name,
    type: 'Integer',
    more: random.pick(more as [string, ...string[]]),
  }))
  return [...kept, ...added]
}

const KEYS = {
  number: '<Column Name="Id" Type="Integer" Key="true" Identity="true"/><Column Name="Code"/>',
  code: '<Column Name="Id" Type="Integer"/><Column Name="Code" Type="Text" Key="true"/>',
} as const

const entity = (name: string, key: keyof typeof KEYS, columns: readonly DrawnColumn[]): string =>
  `<Model><Entity ${name} Table="things">${KEYS[key]}${columns.map(write).join('')}</Entity>
    <Entity Name="Part" Table="parts"><Column Name="Id" Type="Integer" Key="true"/>
    <Column Name="ThingId" References="${/Name="(\w+)"/.exec(name)?.[1]}"/></Entity></Model>`

const describeState = async (target: DeployTarget): Promise<unknown> => [
  await target.rows(`SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'svc_%'
    AND name NOT LIKE 'sqlite_%' ORDER BY name`),
  await target.rows('SELECT * FROM things ORDER BY Code'),
  await target.rows('SELECT * FROM parts ORDER BY Id'),
  await target.rows(
    'SELECT Type, Name, VersionHash, Document FROM svc_scripts WHERE IsCurrent ORDER BY 1, 2',
  ),
]

const worlds = Array.from({ length: scaleCases(WORLDS) }, (_, at) => at)

test.each(worlds)('world %i', async (world) => {
  const random = new Random(propertySeed + world)
  await using target = await DeployTarget.open()
  const columns = drawColumns(random)
  const first = await target.deploy({ 'm.xml': entity('Name="Thing"', 'number', columns) })
  expect(first.plan.faults).toEqual([])
  const names = ['Id', 'Code', ...columns.map(({ name }) => name)].join(', ')
  const rows = [1, 2, 3].map((id) => {
    const cells = columns.map(({ type }) => random.pick(VALUES[type] as [string, ...string[]]))
    return `(${[id, `'c${id}'`, ...cells].join(', ')})`
  })
  await target.run(
    `INSERT INTO things (${names}) VALUES ${rows.join(', ')}`,
    'INSERT INTO parts VALUES (1, 2), (2, 3), (3, NULL)',
  )
  const before = await describeState(target)
  const name = random.chance(0.3) ? 'Name="Object" Was="Thing"' : 'Name="Thing"'
  const key = random.chance(0.3) ? 'code' : 'number'
  const next = entity(name, key, changeColumns(random, columns))
  const options = { allowDataLoss: true, prune: true }
  const deployed = await target.deploy({ 'm.xml': next }, options)
  // One that changes nothing is not the last deploy; see `rollback.test.ts`.
  if (!deployed.isDone || next === entity('Name="Thing"', 'number', columns)) return
  const after = await describeState(target)
  const back = await target
    .deploy({}, { rollback: true })
    .catch((error: unknown) => (error instanceof Failure ? error : Promise.reject(error)))
  if (back instanceof Failure) {
    const isConverted = back.message.includes('otherwise')
    const isLossy = deployed.plan.losses.length > 0
    expect([back.code, isLossy || isConverted]).toEqual(['NO_ROLLBACK', true])
    expect(await describeState(target)).toEqual(after)
  } else {
    expect({ next, plan: back.plan }).toMatchObject({ plan: { losses: [], faults: [] } })
    expect(await describeState(target)).toEqual(before)
  }
})
