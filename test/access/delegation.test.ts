/** Roles that may be handed out: a table of roles that are held and given. */
import { describe, expect, test } from 'bun:test'
import type { AuthoredCondition } from '../../src/model/compiled/authored-sql.ts'
import type { FieldRule, Role, Verb } from '../../src/model/compiled/role.ts'
import type { Model } from '../../src/model/model.ts'
import { findExcess, mayGive } from '../../src/access/rights/delegation.ts'

const condition = (text: string): AuthoredCondition => ({
  text,
  place: { file: 'x', line: 1, column: 1 },
  parameters: [],
  reads: [],
  mayRunInline: true,
})

interface Declared {
  verbs?: string
  capabilities?: string
  resource?: string
  /** Conditions, each with the verbs and the dataset that it holds for. */
  filters?: { text: string; verbs?: string; dataSet?: string }[]
  rules?: Record<string, FieldRule['access']>
}

const words = (text: string | undefined): string[] => text?.split(' ') ?? []

function role(name: string, declared: Declared): Role {
  const resource = declared.resource ?? 'Orders'
  const verbs = words(declared.verbs ?? 'View List') as Verb[]
  return {
    name,
    label: name,
    assignableBy: [],
    grants: [
      { resource, verbs: new Set(verbs), capabilities: new Set(words(declared.capabilities)) },
    ],
    rowFilters: (declared.filters ?? []).map((filter) => ({
      resource,
      verbs: filter.verbs === undefined ? undefined : new Set(words(filter.verbs) as Verb[]),
      dataSet: filter.dataSet,
      misfits: [],
      condition: condition(filter.text),
    })),
    fieldRules: Object.entries(declared.rules ?? {}).map(([field, access]) => ({
      resource,
      field,
      access,
    })),
  }
}

/** True when who holds `own` may give `given`. */
function gives(own: readonly Declared[], given: Declared): boolean {
  const held = own.map((declared, at) => role(`Held${at}`, declared))
  const roles = [...held, role('Given', given)].map((each) => [each.name, each] as const)
  const model = { roles: new Map(roles), capabilities: new Map() } as unknown as Model
  return mayGive({ roles: held.map(({ name }) => name) }, model, 'Given')
}

const REGION = { text: 'Region = @User_Region' }
const OPEN = { text: "Status = 'open'" }

describe('verbs and capabilities', () => {
  test.each([
    ['the same', [{}], {}, true],
    ['fewer', [{ verbs: 'View List Update' }], { verbs: 'View' }, true],
    ['one more', [{ verbs: 'View' }], {}, false],
    ['those of two roles', [{ verbs: 'View' }, { verbs: 'List' }], {}, true],
    ['another resource', [{}], { resource: 'Lines' }, false],
    ['a capability', [{}], { capabilities: 'Approve' }, false],
    ['a capability held', [{ capabilities: 'Approve Ship' }], { capabilities: 'Ship' }, true],
  ] as [string, Declared[], Declared, boolean][])('%s', (_, own, given, expected) => {
    expect(gives(own, given)).toBe(expected)
  })
})

describe('rows', () => {
  test.each([
    ['all, of all', [{}], { filters: [REGION] }, true],
    ['all, of some', [{ filters: [REGION] }], {}, false],
    ['the same', [{ filters: [REGION] }], { filters: [{ text: ` ${REGION.text}\n` }] }, true],
    ['others', [{ filters: [REGION] }], { filters: [OPEN] }, false],
    ['narrower ones', [{ filters: [REGION] }], { filters: [REGION, OPEN] }, true],
    ['wider ones', [{ filters: [REGION, OPEN] }], { filters: [REGION] }, false],
    [
      'by one of two roles',
      [{ filters: [REGION] }, { filters: [OPEN] }],
      { filters: [OPEN] },
      true,
    ],
    [
      'more of one verb',
      [{ filters: [REGION] }],
      { filters: [{ ...REGION, verbs: 'List' }] },
      false,
    ],
    [
      'of a dataset, narrowed for the giver alone',
      [{ filters: [{ ...REGION, dataSet: 'Sums' }] }],
      {},
      false,
    ],
    [
      'of a dataset, narrowed for both',
      [{ filters: [{ ...REGION, dataSet: 'Sums' }] }],
      { filters: [REGION] },
      true,
    ],
  ] as [string, Declared[], Declared, boolean][])('%s', (_, own, given, expected) => {
    expect(gives(own, given)).toBe(expected)
  })
})

describe('fields', () => {
  const hidden = { rules: { Cost: 'Hidden' } } as const
  const readOnly = { verbs: 'View Update', rules: { Cost: 'ReadOnly' } } as const
  test.each([
    ['hidden from the giver alone', [hidden], {}, false],
    ['hidden from both', [hidden], { rules: { cost: 'Hidden' } }, true],
    ['hidden from one role of the giver', [hidden, {}], {}, true],
    [
      'hidden from the giver, written blindly',
      [{ ...hidden, verbs: 'View Update' }],
      { verbs: 'Update' },
      false,
    ],
    ['read by both, written by the given', [readOnly], { verbs: 'Update' }, false],
    ['read-only for both', [readOnly], { ...readOnly }, true],
    [
      'read-only for the giver, hidden for the given',
      [readOnly],
      { ...hidden, verbs: 'Update' },
      true,
    ],
  ] as [string, Declared[], Declared, boolean][])('%s', (_, own, given, expected) => {
    expect(gives(own, given)).toBe(expected)
  })
})

describe('built-in roles', () => {
  const model = { roles: new Map(), capabilities: new Map() } as unknown as Model
  test.each([
    ['System', 'System', true],
    ['Admin', 'System', false],
    ['AccessManager', 'System', false],
    ['Admin', 'Admin', true],
    ['Admin', 'AccessManager', true],
    ['AccessManager', 'Admin', false],
    ['AccessManager', 'AccessManager', true],
    ['Clerk', 'AccessManager', false],
  ])('%s gives %s: %p', (own, given, expected) => {
    expect(mayGive({ roles: [own] }, model, given)).toBe(expected)
  })

  test('what the model grants to a built-in role is judged as well', () => {
    const roles = new Map([['Admin', role('Admin', {})]])
    const extended = { ...model, roles }
    expect(mayGive({ roles: ['Admin'] }, extended, 'Admin')).toBe(true)
    expect(findExcess({ roles: ['AccessManager'] }, extended, role('New', {}))).toBe('Orders')
    expect(findExcess({ roles: ['System'] }, extended, role('New', {}))).toBeUndefined()
  })
})
