/** Queries of the explorer for rows that rows of another object refer to, or none does. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { CLIENT_WORLDS, COUNT, startClients } from '../../support/explored-clients.ts'
import type { Row } from '../../support/objects.ts'
import { scaleCases } from '../../support/property.ts'

const big = { Filters: [{ Field: 'Amount', Operator: 'gt', Value: 3 }] }
const ofClients = { ObjectName: 'Sales', Field: 'ClientId' }

describe('rows of another object that refer to a row', () => {
  test.each<[string, Row, number[]]>([
    ['all', { Without: [ofClients] }, []],
    ['all', { With: [ofClients] }, [1, 2, 4]],
    ['all', { With: [{ ...ofClients, ...big }] }, [2, 4]],
    ['all', { Without: [{ ...ofClients, ...big }] }, [1]],
    [
      'all',
      { With: [ofClients], Without: [{ objectname: 'sales', field: 'clientid', ...big }] },
      [1],
    ],
    ['all', { Without: [{ ...ofClients, ...big }], Filters: [{ Field: 'Id', Value: 2 }] }, []],
    ['some', { With: [{ ...ofClients, ...big }] }, [4]],
    [
      'all',
      {
        ObjectName: 'Areas',
        Without: [
          { ObjectName: 'Clients', Field: 'AreaId', Filters: [{ Field: 'Kind', Value: 'b' }] },
        ],
      },
      [1],
    ],
    [
      'all',
      { ObjectName: 'Areas', With: [{ ...ofClients, Field: 'ClientId.AreaId', ...big }] },
      [2],
    ],
  ])('of %s, %j are %j', async (as, request, expected) => {
    await using world = await startClients()
    const asked = { ObjectName: 'Clients', Fields: ['Id'], Sort: [{ Field: 'Id' }], ...request }
    const { Rows } = await world.query(asked, as)
    expect(Rows.map(({ Id }) => Id)).toEqual(expected)
  })

  test('keep groups and counts, until a row of theirs changes', async () => {
    await using world = await startClients()
    const Without = [{ ...ofClients, ...big }]
    const request = { ObjectName: 'Clients', Without, GroupBy: ['Kind'], Aggregates: [COUNT] }
    const read = async () => (await world.query(request)).Rows.map(({ Kind, N }) => [Kind, N])
    expect(await read()).toEqual([['a', 1]])
    await world.app.store.write(
      (tx) => tx.run('INSERT INTO sales (CompanyId, ClientId, Amount) VALUES (1, 1, 9)'),
      { company: 'all', because: 'a test' },
    )
    expect(await read()).toEqual([])
    const root = { ...request, AllCompanies: true, With: [ofClients], Without: [] }
    const { Rows } = await world.query(root, 'root')
    expect(Rows.map(({ Kind, N }) => [Kind, N])).toEqual([
      ['a', 3],
      ['b', 1],
    ])
  })

  test.each<[string, Row, Row, string]>([
    [
      'none',
      { ObjectName: 'Clients', Field: 'AreaId' },
      { ObjectName: 'Sales' },
      "Without: there is no object 'Clients' that you may list",
    ],
    [
      'none',
      { ObjectName: 'Nothing', Field: 'AreaId' },
      { ObjectName: 'Sales' },
      "Without: there is no object 'Nothing' that you may list",
    ],
    ['blind', ofClients, {}, "Unknown field 'ClientId'"],
    ['all', { ...ofClients, Field: 'Nothing' }, {}, "Unknown field 'Nothing'"],
    [
      'all',
      { ...ofClients, Field: 'Amount' },
      {},
      "Without: Amount of 'Sales' names no row of Clients",
    ],
    [
      'some',
      { ...ofClients, Filters: [{ Field: 'ClientId.Secret', Value: 'c1' }] },
      {},
      "Unknown field 'ClientId.Secret'",
    ],
    [
      'some',
      { ...ofClients, Filters: [{ Field: 'ClientId.Name', ValueField: 'ClientId.Secret' }] },
      {},
      "Unknown field 'ClientId.Secret'",
    ],
  ])('of %s, %j without %j is refused', async (as, rows, of, message) => {
    await using world = await startClients()
    const { status, body } = await world.ask({ ObjectName: 'Clients', Without: [rows], ...of }, as)
    expect([status, body.error]).toEqual([400, message])
  })

  test('are of five objects at most', async () => {
    await using world = await startClients()
    const { status, body } = await world.ask({
      ObjectName: 'Clients',
      With: Array(3).fill(ofClients),
      Without: Array(3).fill(ofClients),
    })
    expect([status, body.error]).toEqual([
      ...[400, 'With and Without can name at most 5 objects together'],
    ])
  })
})

test('of random worlds: they are those that listing the objects one by one finds', async () => {
  await fc.assert(
    fc.asyncProperty(CLIENT_WORLDS, async (world) => {
      await using started = await startClients(world)
      for (const as of ['all', 'some', 'both']) {
        const list = async (ObjectName: string, more: Row = {}) =>
          (await started.query({ ObjectName, Limit: 1000, ...more }, as)).Rows
        const referring = {
          Clients: {
            ObjectName: 'Sales',
            Field: 'ClientId',
            Filter: { Field: 'Amount', Value: 5 },
          },
          Areas: { ObjectName: 'Clients', Field: 'AreaId', Filter: { Field: 'Kind', Value: 'b' } },
        }
        for (const [asked, { ObjectName, Field, Filter }] of Object.entries(referring)) {
          const others = await list(ObjectName)
          const named = new Set(
            others.filter((row) => row[Filter.Field] === Filter.Value).map((row) => row[Field]),
          )
          const ids = (await list(asked)).map(({ Id }) => Id)
          const rows = [{ ObjectName, Field, Filters: [Filter] }]
          const kept = await list(asked, { With: rows })
          expect(new Set(kept.map(({ Id }) => Id))).toEqual(
            new Set(ids.filter((id) => named.has(id))),
          )
          const left = await list(asked, { Without: rows })
          expect(new Set(left.map(({ Id }) => Id))).toEqual(
            new Set(ids.filter((id) => !named.has(id))),
          )
        }
      }
    }),
    { numRuns: scaleCases(8) },
  )
})
