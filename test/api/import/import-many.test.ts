/** Imports of more rows than one statement writes, or loads, at a time. */
import { expect, test } from 'bun:test'
import { ADDED_ROWS, CHUNK_ROWS } from '../../../src/engine/object/import/import-stage.ts'
import { startImports } from '../../support/imports.ts'

const ROWS = ADDED_ROWS + CHUNK_ROWS + 7
/** Lines in the first part of a statement, in a later one, and in the last statement. */
const LINES = [3, CHUNK_ROWS + 40, ROWS - 2]

const writeFile = (head: string, toRow: (at: number, line: number) => string): string =>
  [head, ...Array.from({ length: ROWS }, (_, at) => toRow(at, at + 2))].join('\n')

const listLines = (errors: Record<string, string> | undefined): number[] =>
  Object.keys(errors ?? {}).map((name) => Number(/\d+/.exec(name)?.[0]))

const people = writeFile('Name,Email,Status,Note', (at, line) => {
  const status = LINES.includes(line) ? 'old' : 'new'
  return `P${at},p${at}@x.org,${status},n`
})

test('rows that would leave the caller’s are told by their lines, wherever they are', async () => {
  await using app = await startImports()
  const refused = await app.send('narrow', { objectName: 'People', file: people })
  expect(listLines(refused.body.fieldErrors)).toEqual(LINES)
  const skipping = { objectName: 'People', file: people, fields: { onError: 'skip' } }
  expect(await app.take('narrow', skipping)).toMatchObject({
    Inserted: ROWS - LINES.length,
    Failed: LINES.length,
  })
  const [stored] = await app.stored('SELECT count(*) AS Rows FROM people')
  expect(stored?.Rows).toBe(ROWS - LINES.length)
  const [audited] = await app.stored(
    `SELECT count(DISTINCT RecordKey) AS Rows FROM svc_audit WHERE Entity = 'Person'`,
  )
  expect(audited?.Rows).toBe(ROWS - LINES.length)
})

test('a rule that the table alone can tell is told of the rows that break it', async () => {
  await using app = await startImports()
  // Unique among values over 900000: the first of each pair is written, the second is not.
  const readings = writeFile('Code,Value,Day', (at, line) =>
    LINES.includes(line) || LINES.includes(line - 1)
      ? `R${at},900001,2026-01-${10 + LINES.findIndex((each) => each >= line - 1)}`
      : `R${at},1,2026-02-01`,
  )
  const refused = await app.send('clerk', { objectName: 'Readings', file: readings })
  expect(listLines(refused.body.fieldErrors)).toEqual(LINES.map((line) => line + 1))
  expect(await app.stored('SELECT Id FROM readings')).toEqual([])
  const skipping = { objectName: 'Readings', file: readings, fields: { onError: 'skip' } }
  expect(await app.take('clerk', skipping)).toMatchObject({ Inserted: ROWS - 3, Failed: 3 })
})
