/** Filters of a grid in a browser: addresses, requests, words, drafts. Parts that need no page. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type FilterNode,
  readFilters,
  readSentFilters,
  toSentFilters,
  writeFilters,
} from '../../src/client/web/state/filter-tree.ts'
import type { MetadataField } from '../../src/client/web/fields/field-kind.ts'
import { listFilterFields } from '../../src/client/web/fields/filter-fields.ts'
import { isComparable, operatorsOf } from '../../src/client/web/fields/filter-kinds.ts'
import type * as ValueFilters from '../../src/client/web/parts/filters/add-filter.ts'
import {
  changeNode,
  listConditions,
  listFilters,
  listGiven,
  planDraft,
  takesGroup,
  withOperator,
} from '../../src/client/web/parts/filters/filter-draft.ts'
import { findFault } from '../../src/client/web/parts/filters/filter-faults.ts'
import { sayFilter } from '../../src/client/web/parts/filters/filter-words.ts'
import { queryOfPage } from './page-globals.ts'

// It reads the address of the page as it loads.
const { addFilter, planGroupFilter, planValueFilter }: typeof ValueFilters =
  await import('../../src/client/web/parts/filters/add-filter.ts')

const NEW = { Field: 'Status', Operator: 'eq', Value: 'new' } as const

describe('the filters of an address', () => {
  test.each<[string, string, FilterNode[]]>([
    ['a triple', '[["Status","eq","new"]]', [NEW]],
    [
      'a list, a number, no value',
      '[["Status","in",["new","open"]],["Total","gt",100],["Remark","isNull",null]]',
      [
        { Field: 'Status', Operator: 'in', Value: ['new', 'open'] },
        { Field: 'Total', Operator: 'gt', Value: 100 },
        { Field: 'Remark', Operator: 'isNull', Value: null },
      ],
    ],
    [
      'another field',
      '[["Stock","lt",{"field":"Level"}]]',
      [{ Field: 'Stock', Operator: 'lt', Value: null, ValueField: 'Level' }],
    ],
    [
      'groups in groups',
      '[{"or":[["Status","eq","new"],{"and":[["Status","eq","new"]]}]}]',
      [{ Logic: 'or', Filters: [NEW, { Logic: 'and', Filters: [NEW] }] }],
    ],
    ['an operator in other letters', '[["Status","EQ","new"]]', [NEW]],
    [
      'parts that are no filters, among one that is',
      '[5,null,["Status"],["Status","eq","new"],["Status","like","x"],["Status","in","new"],' +
        '["Total","between",[1]],["Total","eq",[1]],["A","contains",{"field":"B"}],' +
        '["A","eq",{"other":"B"}],{"xor":[]},{"or":[]},{"or":[7]},[1,"eq",2]]',
      [NEW],
    ],
    ['no JSON', '[["Status"', []],
    ['no list', '{"or":[["Status","eq","new"]]}', []],
  ])('%s', (_, text, filters) => {
    expect(readFilters(text)).toEqual(filters)
  })

  test('groups below the tenth level and conditions behind the 200th are passed over', () => {
    const nest = (levels: number): unknown =>
      levels === 0 ? ['Status', 'eq', 'new'] : { or: [nest(levels - 1)] }
    expect(readFilters(JSON.stringify([nest(9)]))).toHaveLength(1)
    expect(readFilters(JSON.stringify([nest(10)]))).toEqual([])
    const many = Array.from({ length: 201 }, () => ['Status', 'eq', 'new'])
    expect(readFilters(JSON.stringify(many))).toHaveLength(200)
  })

  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean())
  const field = fc.constantFrom('Status', 'Total')
  const condition = fc.oneof(
    fc.record({ Field: field, Operator: fc.constant('eq'), Value: scalar }),
    fc.record({ Field: field, Operator: fc.constant('in'), Value: fc.array(scalar) }),
    fc.record({
      Field: field,
      Operator: fc.constant('lt'),
      Value: fc.constant(null),
      ValueField: field,
    }),
  ) as fc.Arbitrary<FilterNode>
  const { node } = fc.letrec<{ node: FilterNode }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', maxDepth: 4 },
      condition,
      fc.record({
        Logic: fc.constantFrom('and' as const, 'or' as const),
        Filters: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
      }),
    ),
  }))

  test('written and read, sent and read back, built without a change, they are the same', () => {
    fc.assert(
      fc.property(fc.array(node, { maxLength: 4 }), (filters) => {
        expect(readFilters(writeFilters(filters) ?? '[]')).toEqual(filters)
        expect(readSentFilters(toSentFilters(filters))).toEqual(filters)
        expect(listFilters(planDraft(filters, true))).toEqual(filters)
      }),
    )
  })
})

describe('the filters of a saved view', () => {
  test.each<[string, unknown, FilterNode[]]>([
    ['none', null, []],
    ['a condition alone, its operator left out', { Field: 'Status', Value: 'new' }, [NEW]],
    ['a group of all', { Filters: [NEW, NEW] }, [NEW, NEW]],
    ['a group of any', { logic: 'OR', filters: [NEW] }, [{ Logic: 'or', Filters: [NEW] }]],
    [
      'a list with a blank value',
      [{ field: 'Status', operator: 'In', value: ['new', null] }],
      [{ Field: 'Status', Operator: 'in', Value: ['new', ''] }],
    ],
  ])('%s', (_, sent, filters) => {
    expect(readSentFilters(sent)).toEqual(filters)
  })
})

const plan = (given: Partial<MetadataField> & Pick<MetadataField, 'Name'>): MetadataField =>
  ({
    Label: given.Name,
    Type: 'Text',
    Options: [],
    Lookup: null,
    DataSet: null,
    References: null,
    LabelField: null,
    Multiple: false,
    Scale: null,
    Format: null,
    Key: false,
    Hidden: false,
    Stamp: false,
    In: ['Grid'],
    ...given,
  }) as MetadataField

const LOOKUP = { View: 'Customers', Search: [], Label: [], Fill: [], DependsOn: [] }
const STATUS = plan({
  Name: 'Status',
  Options: ['New', 'Open', 'Late', 'Sent', 'Paid'].map((Label) => ({
    Value: Label.toLowerCase(),
    Label,
  })),
})
const CUSTOMER = plan({
  Name: 'CustomerId',
  Label: 'Customer',
  Type: 'Integer',
  Lookup: LOOKUP,
  References: 'Customer',
  LabelField: 'CustomerId__Label',
})
const NAME = plan({ Name: 'Customer' })
const TOTAL = plan({ Name: 'Total', Type: 'Decimal', Scale: 2 })
const COUNT = plan({ Name: 'Count', Type: 'Integer' })
const ORDERED = plan({ Name: 'OrderedAt', Label: 'Ordered', Type: 'DateTime' })
const DUE = plan({ Name: 'DueOn', Label: 'Due', Type: 'Date' })
const ACTIVE = plan({ Name: 'Active', Type: 'Boolean' })
const FILES = plan({ Name: 'Files', Type: 'File' })
const FIELDS = [STATUS, NAME, CUSTOMER, TOTAL, COUNT, ORDERED, DUE, ACTIVE, FILES]

describe('a filter in words', () => {
  const scope = {
    metadata: { Fields: FIELDS },
    labelOf: (_: unknown, value: unknown) => (value === 31 ? 'Amber Gardens' : undefined),
  }
  test.each<[string, string]>([
    ['["Status","eq","new"]', 'Status is New'],
    ['["Status","in",["new","open"]]', 'Status is New or Open'],
    [
      '["Status","notIn",["new","open","late","sent","paid"]]',
      'Status is not New, Open, Late, Sent, or 1 more',
    ],
    ['["CustomerId","eq",31]', 'Customer is Amber Gardens'],
    ['["CustomerId","eq",32]', 'Customer is 32'],
    ['["CustomerId__Label","contains","mill"]', 'Customer contains mill'],
    ['["Total","between",[10,1000]]', 'Total is between 10.00 and 1,000.00'],
    ['["Total","gt","abc"]', 'Total is above abc'],
    ['["OrderedAt","eq","last7Days"]', 'Ordered is in the last 7 days'],
    ['["OrderedAt","lt","LAST7DAYS"]', 'Ordered is before the last 7 days'],
    ['["DueOn","eq","thisMonth"]', 'Due is this month'],
    ['["DueOn","ge","2026-10-03"]', 'Due is no earlier than Oct 3, 2026'],
    ['["OrderedAt","eq","2026-10-03"]', 'Ordered is Oct 3, 2026'],
    ['["OrderedAt","eq","2026-13-45"]', 'Ordered is 2026-13-45'],
    ['["OrderedAt:weekday","eq",1]', 'Ordered (weekday) is 1'],
    ['["OrderedAt","lt",{"field":"DueOn"}]', 'Ordered is before Due'],
    ['["Active","eq",true]', 'Active is Yes'],
    ['["Active","eq","false"]', 'Active is No'],
    ['["Files","isNotNull",null]', 'Files is not empty'],
    ['["Gone","eq","x"]', 'Gone is x'],
    [
      '{"or":[["Status","eq","new"],["Total","gt",100]]}',
      '(Status is New or Total is above 100.00)',
    ],
  ])('%s', (entry, words) => {
    expect(readFilters(`[${entry}]`).map((filter) => sayFilter(filter, scope))).toEqual([words])
  })
})

describe('fields of filters', () => {
  test('of two with one label the one that is chosen from a list is offered', () => {
    expect(listFilterFields({ Fields: FIELDS }).map(({ Name }) => Name)).not.toContain('Customer')
  })

  test.each<[MetadataField, MetadataField, boolean]>([
    [TOTAL, COUNT, true],
    [ORDERED, DUE, true],
    [TOTAL, DUE, false],
    [CUSTOMER, COUNT, false],
    [CUSTOMER, { ...CUSTOMER, Name: 'Payer' }, true],
    [FILES, { ...FILES, Name: 'Others' }, false],
    [TOTAL, TOTAL, false],
    [STATUS, NAME, false],
    [STATUS, { ...STATUS, Name: 'Before' }, true],
  ])('compare with each other where they are alike: %#', (one, other, holds) => {
    expect(isComparable(one, other)).toBe(holds)
  })

  test('offer the operators of what they hold', () => {
    expect(operatorsOf(FILES)).toEqual(['isNotNull', 'isNull'])
    expect(operatorsOf(CUSTOMER)).toEqual(['eq', 'ne', 'in', 'notIn', 'isNull', 'isNotNull'])
    expect(operatorsOf(TOTAL)).toContain('between')
  })
})

describe('a filter by a value that is seen', () => {
  test.each<[MetadataField, unknown, string]>([
    [STATUS, 'new', '["Status","eq","new"]'],
    [STATUS, null, '["Status","isNull",null]'],
    [CUSTOMER, 31, '["CustomerId","eq",31]'],
    [{ ...CUSTOMER, Multiple: true }, [1, 2], '["CustomerId","in",[1,2]]'],
    [ORDERED, '2026-10-03T12:00:00Z', '["OrderedAt","eq","2026-10-03"]'],
    [ACTIVE, false, '["Active","eq",false]'],
    [FILES, [{ FileName: 'a.pdf' }], '["Files","isNotNull",null]'],
  ])('%#', (field, value, entry) => {
    expect(writeFilters([planValueFilter(field, value)])).toBe(`[${entry}]`)
  })

  test.each<[MetadataField, unknown, string]>([
    [STATUS, 'new', '["Status","ne","new"]'],
    [STATUS, null, '["Status","isNotNull",null]'],
    [{ ...CUSTOMER, Multiple: true }, [1, 2], '["CustomerId","notIn",[1,2]]'],
    [ORDERED, '2026-10-03T12:00:00Z', '["OrderedAt","ne","2026-10-03"]'],
    [FILES, [{ FileName: 'a.pdf' }], '["Files","isNull",null]'],
  ])('or the one that excludes it, %#', (field, value, entry) => {
    expect(writeFilters([planValueFilter(field, value, true)])).toBe(`[${entry}]`)
  })

  test.each<[string, unknown, boolean, string]>([
    ['Status', 'new', false, '[["Status","eq","new"]]'],
    ['Status', 'new', true, '[["Status","ne","new"]]'],
    ['Status', null, true, '[["Status","isNotNull",null]]'],
    [
      'OrderedAt:month',
      '2026-02',
      false,
      '[["OrderedAt","ge","2026-02-01"],["OrderedAt","le","2026-02-28"]]',
    ],
    [
      'OrderedAt:month',
      '2026-02',
      true,
      '[{"or":[["OrderedAt","lt","2026-02-01"],["OrderedAt","gt","2026-02-28"]]}]',
    ],
  ])('the filters of a group, %#', (name, value, isExcluded, entries) => {
    expect(writeFilters(planGroupFilter(name, value, isExcluded))).toBe(entries)
  })

  test('stands in the address beside the others, once', () => {
    addFilter(STATUS, 'new')
    addFilter(CUSTOMER, 31)
    addFilter(STATUS, 'new')
    expect(queryOfPage().get('filters')).toBe('[["Status","eq","new"],["CustomerId","eq",31]]')
  })
})

describe('a draft of filters', () => {
  const begin = (text: string) => planDraft(readFilters(text))

  test('a single group of any is the draft itself, beside another condition a part of it', () => {
    const text = '[{"or":[["Status","eq","new"],["Total","gt",1]]}]'
    expect(begin(text).logic).toBe('or')
    expect(planDraft(readFilters(text), true).logic).toBe('and')
    expect(writeFilters(listFilters(begin(text)))).toBe(text)
  })

  test('a group that loses its last condition goes, too', () => {
    const root = begin('[["Total","gt",1],{"or":[["Status","eq","new"]]}]')
    const [, status] = listConditions(root)
    const left = changeNode(root, status?.id ?? 0, () => undefined)
    expect(writeFilters(listFilters(left))).toBe('[["Total","gt",1]]')
  })

  test('another operator keeps what was typed where it fits', () => {
    const [total] = listConditions(begin('[["Total","gt",100]]'))
    const between = withOperator(total!, 'between')
    expect(between.values).toEqual([100, null])
    expect(withOperator(between, 'in').values).toEqual([100])
    expect(withOperator(withOperator(between, 'isNull'), 'eq').value).toBe(100)
    const [fields] = listConditions(begin('[["Total","gt",{"field":"Count"}]]'))
    expect(withOperator(fields!, 'le').valueField).toBe('Count')
    expect(withOperator(fields!, 'in').valueField).toBeUndefined()
  })

  test('choices depend on what holds beside them', () => {
    const root = begin('[["Country","eq","PT"],{"or":[["Zip","eq","1"],["City","eq","x"]]}]')
    const city = listConditions(root).find(({ field }) => field === 'City')
    expect(listGiven(root, city?.id ?? 0)).toEqual({ Country: 'PT' })
  })

  test('groups are nested as deep as the server takes them', () => {
    const all = begin('[["Total","gt",1],["Total","gt",2]]')
    const any = begin('[{"or":[["Total","gt",1],["Total","gt",2]]}]')
    expect([takesGroup(all, 9), takesGroup(all, 10)]).toEqual([true, false])
    expect([takesGroup(any, 8), takesGroup(any, 9)]).toEqual([true, false])
  })

  test.each<[MetadataField, string, string | undefined]>([
    [TOTAL, '["Total","gt",100]', undefined],
    [TOTAL, '["Total","gt",null]', 'Enter a value'],
    [TOTAL, '["Total","gt","twelve"]', 'This value does not fit the field'],
    [COUNT, '["Count","eq",1.5]', 'This value does not fit the field'],
    [TOTAL, '["Total","between",[100,""]]', 'Enter a value'],
    [TOTAL, '["Total","between",[100,10]]', 'The first value is above the second'],
    [DUE, '["DueOn","between",["2026-10-03","2026-10-02"]]', 'The first value is above the second'],
    [DUE, '["DueOn","between",["lastMonth","2026-10-02"]]', undefined],
    [DUE, '["DueOn","eq","someday"]', 'This value does not fit the field'],
    [TOTAL, '["Total","in",[]]', 'Enter a value'],
    [TOTAL, '["Total","in",[1,"x"]]', 'This value does not fit the field'],
    [TOTAL, '["Total","lt",{"field":""}]', 'Enter a value'],
    [STATUS, '["Status","isNull",null]', undefined],
  ])('%# its faults', (field, entry, fault) => {
    const [condition] = listConditions(planDraft(readFilters(`[${entry}]`)))
    expect(findFault(field, condition!)).toBe(fault)
  })
})
