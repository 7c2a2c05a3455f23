/** Which output column says of what record a row is made; nothing where that is not certain. */
import { beforeAll, describe, expect, test } from 'bun:test'
import type { Model } from '../../src/model/model.ts'
import { findOwnTable, findReferring } from '../../src/engine/object/read/query-shape.ts'
import { compileSound } from '../support/compile-text.ts'

const ENTITIES = ['Letter', 'Author', 'Town'].map(
  (name) => `<Entity Name="${name}" Table="${name.toLowerCase()}s">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text"/><Column Name="AuthorId" Type="Integer"/>
  <Column Name="TownId" Type="Integer"/><Column Name="Code" Type="Text"/>
</Entity>`,
)

const OUT = 'l.Id, l.AuthorId, l.Code'

/** Queries over letters by the column that refers to authors in them. */
const CASES: [query: string, column: string | undefined][] = [
  [`SELECT ${OUT}, a.Name FROM letters l JOIN authors a ON a.Id = l.AuthorId`, 'AuthorId'],
  [`SELECT ${OUT} FROM letters AS l LEFT JOIN authors AS a ON l.AuthorId == a.Id`, 'AuthorId'],
  [`SELECT ${OUT} FROM letters l, authors a WHERE a.Id = l.AuthorId`, 'AuthorId'],
  ['SELECT letters.* FROM letters JOIN authors ON authors.Id = letters.AuthorId', 'AuthorId'],
  [
    `SELECT l.Id, l.AuthorId AS Writer, (SELECT a.Name FROM "authors" a WHERE a.Id = l.AuthorId) AS N FROM letters l`,
    'Writer',
  ],
  [
    `SELECT ${OUT} FROM letters l JOIN authors a ON a.Id = l.AuthorId JOIN towns t ON t.Id = a.TownId WHERE l.Name <> 'x' OR a.Name = 'y'`,
    'AuthorId',
  ],
  ['SELECT l.Id FROM letters l JOIN authors a ON a.Id = l.AuthorId', undefined],
  [`SELECT ${OUT} FROM letters l JOIN authors a ON a.Id = l.AuthorId OR a.Name = 'x'`, undefined],
  [`SELECT ${OUT} FROM letters l JOIN authors a ON a.Id = l.AuthorId + 1`, undefined],
  [`SELECT ${OUT} FROM letters l JOIN authors a ON a.Id >= l.AuthorId`, undefined],
  [`SELECT ${OUT} FROM letters l JOIN authors a ON NOT a.Id = l.AuthorId`, undefined],
  [`SELECT ${OUT} FROM letters l JOIN authors a ON a.TownId = l.AuthorId`, undefined],
  [`SELECT ${OUT} FROM letters l JOIN authors a ON a.Id = l.Code`, undefined],
  [`SELECT ${OUT} FROM letters l JOIN authors a`, undefined],
  [
    `SELECT ${OUT} FROM letters l JOIN authors a ON a.Id = l.AuthorId JOIN authors b ON b.Id = l.TownId`,
    undefined,
  ],
  [
    `SELECT ${OUT}, (SELECT count(*) FROM authors a WHERE a.AuthorId = l.Id) AS N FROM letters l`,
    undefined,
  ],
  [
    `SELECT ${OUT}, (SELECT l.Name FROM authors a, towns l WHERE a.Id = l.AuthorId) AS N FROM letters l`,
    undefined,
  ],
  [
    `SELECT ${OUT}, (SELECT a.Name FROM authors a WHERE a.Id = l.AuthorId UNION SELECT 'x') AS N FROM letters l`,
    undefined,
  ],
]

let model: Model
beforeAll(async () => {
  const views = CASES.map(
    ([query], at) =>
      `<ObjectView Name="V${at}" Entity="Letter"><TableQuery><![CDATA[${query}]]></TableQuery></ObjectView>`,
  )
  model = await compileSound({
    'model.xml': `<Model>${ENTITIES.join('')}${views.join('')}</Model>`,
  })
})

describe('the records of another table', () => {
  test.each(CASES.map(([query, column], at) => [query, column, at] as const))(
    '%s',
    (_, column, at) => {
      const query = model.views.get(`V${at}`)?.query
      if (!query) throw new Error('There is no such view')
      expect(findOwnTable(query, 'Id', model)).toBe('letters')
      expect(findReferring(query, 'authors', model)).toBe(column)
    },
  )
})
