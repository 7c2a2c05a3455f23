/** The Rbac of a deploy against an oracle of sets: last deployed, here, and the files. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Script } from '../../src/model/compiled/script.ts'
import { planCatalog } from '../../src/model/deploy/catalog-plan.ts'
import type { Element } from '../../src/model/parse/element.ts'
import { parseModelFile } from '../../src/model/parse/parse.ts'
import { planRbacDeploy } from '../../src/model/rbac/deploy.ts'

/** Statements of scripts: `A X View` for a right, `A by Admin`, `A X` to a filter or a rule. */
interface World {
  roles: Set<string>
  rights: Set<string>
  assigners: Set<string>
  filters: Map<string, string>
  rules: Map<string, string>
}

const ROLES = ['A', 'B', 'C']
const RESOURCES = ['X', 'Y']
const VERBS = ['View', 'List', 'Update']
const CELLS = ROLES.flatMap((role) => RESOURCES.map((resource) => `${role} ${resource}`))
const RIGHTS = CELLS.flatMap((cell) => [...VERBS, 'Approve'].map((right) => `${cell} ${right}`))
const ASSIGNERS = ROLES.flatMap((role) =>
  ['Admin', 'AccessManager'].map((by) => `${role} by ${by}`),
)

/** A world as two scripts hold it: `place` says which of them has a role. */
interface Written {
  world: World
  place: Readonly<Record<string, number>>
}

const pick = (values: readonly string[]) => fc.subarray([...values]).map((some) => new Set(some))
const choose = (values: readonly string[]) =>
  fc
    .array(fc.option(fc.constantFrom(...values), { nil: undefined }), {
      minLength: CELLS.length,
      maxLength: CELLS.length,
    })
    .map((found) => {
      const pairs = CELLS.flatMap((cell, at): [string, string][] => {
        const value = found[at]
        return value === undefined ? [] : [[cell, value]]
      })
      return new Map(pairs)
    })

/** Worlds whose statements are about existing roles alone. */
const drawn: fc.Arbitrary<World> = fc
  .record({
    roles: pick(ROLES),
    rights: pick(RIGHTS),
    assigners: pick(ASSIGNERS),
    filters: choose(['1', "Name = 'a'"]),
    rules: choose(['Hidden', 'ReadOnly']),
  })
  .map(prune)

function prune(world: World): World {
  const isOwned = (key: string): boolean => world.roles.has(key.split(' ')[0] ?? '')
  const keep = (map: Map<string, string>) => new Map([...map].filter(([key]) => isOwned(key)))
  return {
    roles: world.roles,
    rights: new Set([...world.rights].filter(isOwned)),
    assigners: new Set([...world.assigners].filter(isOwned)),
    filters: keep(world.filters),
    rules: keep(world.rules),
  }
}

/** A world near another one, so that much is left alone. */
function near(world: World): fc.Arbitrary<World> {
  const flip = (set: Set<string>, all: readonly string[]) =>
    fc.subarray([...all], { maxLength: 3 }).map((some) => set.symmetricDifference(new Set(some)))
  const change = (map: Map<string, string>, values: string[]) =>
    fc
      .array(fc.tuple(fc.constantFrom(...CELLS), fc.constantFrom(undefined, ...values)), {
        maxLength: 4,
      })
      .map((changes) => {
        const next = new Map(map)
        for (const [cell, value] of changes)
          if (value === undefined) next.delete(cell)
          else next.set(cell, value)
        return next
      })
  return fc
    .record({
      roles: fc.option(flip(world.roles, ROLES), { nil: world.roles, freq: 2 }),
      rights: flip(world.rights, RIGHTS),
      assigners: flip(world.assigners, ASSIGNERS),
      filters: change(world.filters, ['1', "Name = 'a'", '0']),
      rules: change(world.rules, ['Hidden', 'ReadOnly']),
    })
    .map(prune)
}

const cases = drawn.chain((base) =>
  fc.record({
    base: fc.constant(base),
    here: near(base),
    file: near(base),
    before: fc.record({ A: fc.nat(1), B: fc.nat(1), C: fc.nat(1) }),
    moved: fc.subarray([...ROLES], { maxLength: 1 }),
    isPartial: fc.boolean(),
  }),
)

/** The merged value; undefined where both sides changed it differently. */
function merge(base: World, here: World, file: World): World | undefined {
  const merged = <T>(b: Set<T>, h: Set<T>, f: Set<T>): Set<T> =>
    h.intersection(f).union(h.difference(b)).union(f.difference(b))
  const roles = merged(base.roles, here.roles, file.roles)
  let isClear = true
  const values = (of: (world: World) => Map<string, string>): Map<string, string> => {
    const [b, h, f] = [of(base), of(here), of(file)]
    const pairs = CELLS.flatMap((cell): [string, string][] => {
      if (!roles.has(cell.split(' ')[0] ?? '')) return []
      const [was, own, given] = [b.get(cell), h.get(cell), f.get(cell)]
      if (own !== given && own !== was && given !== was) isClear = false
      const value = own === was ? given : own
      return value === undefined ? [] : [[cell, value]]
    })
    return new Map(pairs)
  }
  const filters = values((world) => world.filters)
  const rules = values((world) => world.rules)
  if (!isClear) return undefined
  return prune({
    roles,
    filters,
    rules,
    rights: merged(base.rights, here.rights, file.rights),
    assigners: merged(base.assigners, here.assigners, file.assigners),
  })
}

/** The files when only the first script is deployed: the other keeps its earlier statements. */
function combine(file: World, base: World, place: Record<string, number>): World {
  const own = (world: World, at: number): World =>
    prune({ ...world, roles: new Set([...world.roles].filter((role) => place[role] === at)) })
  const [first, second] = [own(file, 0), own(base, 1)]
  return {
    roles: first.roles.union(second.roles),
    rights: first.rights.union(second.rights),
    assigners: first.assigners.union(second.assigners),
    filters: new Map([...first.filters, ...second.filters]),
    rules: new Map([...first.rules, ...second.rules]),
  }
}

function write({ world, place }: Written): Record<string, string> {
  const rolesOf = (at: number): string =>
    [...world.roles]
      .filter((role) => place[role] === at)
      .map((role) => writeRole(world, role))
      .join('\n')
  return Object.fromEntries(
    ['One', 'Two'].map((name, at) => [
      name,
      `<Rbac Name="${name}">\n  <!-- ${name} -->\n${rolesOf(at)}\n</Rbac>\n`,
    ]),
  )
}

function writeRole(world: World, role: string): string {
  const grants = RESOURCES.map((resource) => {
    const own = [...world.rights].filter((right) => right.startsWith(`${role} ${resource} `))
    const names = own.map((right) => right.split(' ')[2] ?? '')
    const verbs = names.filter((name) => VERBS.includes(name)).join(' ')
    const list = verbs === '' ? '' : ` Verbs="${verbs}"`
    const can = names.includes('Approve') ? ' Capabilities="Approve"' : ''
    return own.length === 0 ? '' : `    <Grant Resource="${resource}"${list}${can}/>`
  })
  const limits = CELLS.filter((cell) => cell.startsWith(`${role} `)).flatMap((cell) => {
    const resource = cell.split(' ')[1] ?? ''
    const filter = world.filters.get(cell)
    const rule = world.rules.get(cell)
    return [
      filter && `    <RowFilter Resource="${resource}">${filter}</RowFilter>`,
      rule && `    <FieldRule Resource="${resource}" Field="Name" Access="${rule}"/>`,
    ]
  })
  const by = [...world.assigners].flatMap((each) =>
    each.startsWith(`${role} `) ? [each.split(' ')[2] ?? ''] : [],
  )
  const lines = [...grants, ...limits].filter((line) => line !== undefined && line !== '')
  const head = `  <Role Name="${role}" AssignableBy="${by.length === 0 ? 'None' : by.join(' ')}"`
  return lines.length === 0 ? `${head}/>` : `${head}>\n${lines.join('\n')}\n  </Role>`
}

const words = (text: string | undefined): string[] =>
  (text ?? '').split(/\s+/).filter((word) => word !== '' && word !== 'None')

/** Statements of scripts, read from their elements. */
function read(scripts: readonly Script[]): World {
  const world: World = {
    roles: new Set(),
    rights: new Set(),
    assigners: new Set(),
    filters: new Map(),
    rules: new Map(),
  }
  for (const role of scripts.flatMap(({ element }) => element.children)) readRole(world, role)
  return world
}

function readRole(world: World, { attributes, children }: Element): void {
  const role = attributes.Name ?? ''
  expect(world.roles.has(role)).toBe(false)
  world.roles.add(role)
  for (const by of words(attributes.AssignableBy)) world.assigners.add(`${role} by ${by}`)
  for (const { name, attributes: own, text } of children) {
    const cell = `${role} ${own.Resource ?? ''}`
    if (name === 'RowFilter') world.filters.set(cell, text)
    else if (name === 'FieldRule') world.rules.set(cell, own.Access ?? '')
    else
      for (const right of [...words(own.Verbs), ...words(own.Capabilities)])
        world.rights.add(`${cell} ${right}`)
  }
}

async function parseAll(texts: Record<string, string>): Promise<Script[]> {
  const scripts: Script[] = []
  for (const [name, body] of Object.entries(texts)) {
    const parsed = await parseModelFile({ name: `${name}.xml`, body })
    expect(parsed.faults).toEqual([])
    scripts.push(...parsed.scripts)
  }
  return scripts
}

const NOBODY = { isReplaced: false, isRemovedHere: false }

function deploy(base: Record<string, string>, stored: readonly Script[], given: readonly Script[]) {
  const changedHere = stored
    .filter(({ name, body }) => base[name] !== body)
    .map(({ type, name }) => ({ type, name, deployedHash: undefined }))
  const catalog = planCatalog(stored, given, { prune: false, changedHere })
  const deployed = new Map(Object.entries(base))
  return planRbacDeploy(catalog, { given, deployed, ...NOBODY })
}

test('what either side changed holds, and what either took away is gone', async () => {
  let conflicts = 0
  let merges = 0
  await fc.assert(
    fc.asyncProperty(cases, async ({ base, here, file, before, moved, isPartial }) => {
      const flipped = moved.map((role) => [
        role,
        1 - ((before as Record<string, number>)[role] ?? 0),
      ])
      const after = isPartial ? before : { ...before, ...Object.fromEntries(flipped) }
      const said = isPartial ? combine(file, base, before) : file
      const deployed = write({ world: base, place: before })
      const stored = await parseAll(write({ world: here, place: before }))
      const all = await parseAll(write({ world: said, place: after }))
      const given = isPartial ? all.slice(0, 1) : all
      const { catalog, faults } = await deploy(deployed, stored, given)
      const expected = merge(base, here, said)
      if (!expected) {
        conflicts++
        expect(faults.length).toBeGreaterThan(0)
        return
      }
      merges++
      expect(faults).toEqual([])
      const told = catalog.merged.flatMap(({ result }) => result ?? [])
      expect(read(catalog.scripts)).toEqual(expected)
      for (const { body } of told) expect(body).toContain('<!--')
      const texts = Object.fromEntries(all.map(({ name, body }) => [name, body]))
      const again = await deploy(texts, catalog.scripts, given)
      expect(again.catalog.scripts.map(({ body }) => body)).toEqual(
        catalog.scripts.map(({ body }) => body),
      )
    }),
    { numRuns: 300 },
  )
  expect(Math.min(conflicts, merges)).toBeGreaterThan(20)
})
