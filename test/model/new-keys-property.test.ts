/** Whatever keys change at once, each reference leads to the row that it led to before. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Column, Entity } from '../../src/model/compiled/entity.ts'
import { columnOf, entityOf } from '../support/entities.ts'
import { Migrated } from '../support/migrate.ts'

const WORLDS = 60
const ROWS_MAX = 12

/** Draws by a generator of fast-check's. */
interface Random {
  /** A whole number from 0, below `count`. */
  below: (count: number) => number
  pick: <T>(values: readonly T[]) => T
}
type KeyKind = 'number' | 'text' | 'identity' | 'reference'

/** An entity of a world: how its key is made before and after, and to whom it refers. */
interface Shape {
  name: string
  keys: readonly [before: KeyKind, after: KeyKind]
  /** The entity that its key refers to, where it does. */
  owner: string | undefined
  refers: readonly string[]
}

/** Entities a, b, c …; a key refers only to an earlier one, other references to any. */
function makeWorld(random: Random): Shape[] {
  const names = ['a', 'b', 'c', 'd', 'e'].slice(0, 2 + random.below(4))
  const kinds = ['number', 'text', 'identity'] as const
  return names.map((name, at) => {
    const own = [...kinds, ...(at > 0 && random.below(3) === 0 ? ['reference' as const] : [])]
    const before = random.pick(own)
    const after = before === 'reference' ? before : random.pick(kinds)
    const refers = names.filter(() => random.below(2) === 0)
    const owner = before === 'reference' ? names[random.below(at)] : undefined
    return { name, keys: [before, after], owner, refers }
  })
}

const typeOf = (world: readonly Shape[], name: string, at: 0 | 1): Column['type'] => {
  const shape = world.find((each) => each.name === name)
  const kind = shape?.keys[at]
  if (kind === 'reference') return typeOf(world, shape?.owner ?? '', at)
  return kind === 'text' ? 'Text' : 'Integer'
}

/** Each former key stays as a column; a new text is filled from the row's own mark. */
function entitiesOf(world: readonly Shape[], at: 0 | 1): Entity[] {
  return world.map(({ name, keys, owner, refers }) => {
    const kind = keys[at]
    const isNew = at === 1 && keys[0] !== kind
    const fill = kind === 'text' ? `'t' || (1000 - Mark)` : 'Mark * 7 % 1009'
    const key = columnOf(isNew ? `K${kind}` : 'K0', {
      type:
        kind === 'reference'
          ? typeOf(world, owner ?? '', at)
          : kind === 'text'
            ? 'Text'
            : 'Integer',
      key: true,
      required: true,
      identity: kind === 'identity',
      references: kind === 'reference' ? owner : undefined,
      fill:
        isNew && kind !== 'identity' ? { kind: 'expression', sql: fill, place: PLACE } : undefined,
    })
    const former = isNew ? [columnOf('K0', { type: keys[0] === 'text' ? 'Text' : 'Integer' })] : []
    const references = refers.map((to) =>
      columnOf(`To_${to}`, { type: typeOf(world, to, at), references: to }),
    )
    const mark = columnOf('Mark', { type: 'Integer', required: true, unique: true })
    return entityOf(name, `t_${name}`, [...references, key, mark, ...former])
  })
}

const PLACE = { file: 'test.xml', line: 1, column: 1 }

/** Rows with gaps in their keys and in their order, some of them deleted again. */
function seed(world: readonly Shape[], random: Random, database: Migrated): void {
  const keysOf = new Map<string, (string | number)[]>()
  database.db.exec('PRAGMA foreign_keys = OFF')
  for (const { name, keys, owner } of world) {
    const made = new Set<string | number>()
    const owners = [...(keysOf.get(owner ?? '') ?? [])]
    for (let row = 0; row < random.below(ROWS_MAX); row++) {
      const number = 1 + random.below(200)
      const key = keys[0] === 'text' ? `k${number}` : number
      const own = keys[0] === 'reference' ? owners.splice(random.below(owners.length), 1)[0] : key
      if (own !== undefined) made.add(own)
    }
    keysOf.set(name, [...made])
  }
  let mark = 0
  for (const { name, refers } of world)
    for (const key of keysOf.get(name) ?? []) {
      const columns = ['K0', 'Mark', ...refers.map((to) => `To_${to}`)]
      const values = refers.map((to) => {
        const others = keysOf.get(to) ?? []
        return others.length === 0 || random.below(4) === 0 ? null : random.pick(others)
      })
      mark += 1 + random.below(3)
      database.db
        .prepare(`INSERT INTO t_${name} (${columns.join()}) VALUES (${columns.map(() => '?')})`)
        .run(key, mark, ...values)
    }
  database.db.exec('PRAGMA foreign_keys = ON')
}

/** For each reference of each row, by their marks: who points at whom. */
function readPointers(world: readonly Shape[], entities: readonly Entity[], database: Migrated) {
  const keyOf = (name: string): string =>
    entities.find((entity) => entity.name === name)?.keys[0]?.name ?? ''
  return world.flatMap(({ name, refers, owner }) =>
    [...refers.map((to) => [`To_${to}`, to]), ...(owner ? [[keyOf(name), owner]] : [])].map(
      ([column, to]) => [
        `${name} ${to}`,
        database.rows(
          `SELECT r.Mark, p.Mark FROM t_${name} r LEFT JOIN t_${to} p
           ON p.${keyOf(to ?? '')} = r.${column} ORDER BY r.Mark`,
        ),
      ],
    ),
  )
}

/** Changes the keys of a world, and tells how many entities got another. */
async function checkWorld(random: Random): Promise<number> {
  const world = makeWorld(random)
  const [before, after] = [entitiesOf(world, 0), entitiesOf(world, 1)]
  const database = new Migrated()
  await database.migrate(before)
  seed(world, random, database)
  const pointers = readPointers(world, before, database)
  const { faults, losses } = await database.migrate(after)
  expect({ faults, losses }).toEqual({ faults: [], losses: [] })
  expect(readPointers(world, after, database)).toEqual(pointers)
  expect(database.rows('PRAGMA foreign_key_check')).toEqual([])
  expect((await database.migrate(after)).steps).toEqual([])
  database.db.close()
  return world.filter(({ keys }) => keys[0] !== keys[1]).length
}

test('each reference leads to the row that it led to before', async () => {
  let changed = 0
  const world = fc.asyncProperty(fc.gen(), async (draw) => {
    const below = (count: number): number => draw(fc.nat, { max: Math.max(0, count - 1) })
    const pick = <T>(values: readonly T[]): T => draw(() => fc.constantFrom(...values))
    changed += await checkWorld({ below, pick })
  })
  await fc.assert(world, { numRuns: WORLDS })
  expect(changed).toBeGreaterThan(WORLDS)
})
