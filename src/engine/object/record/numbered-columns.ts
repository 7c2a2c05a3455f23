/** The columns that hold a sequence's numbers: which are taken, and which is the highest. */
import type { SqlArg } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import type { Column, Entity, Sequence } from '../../../model/compiled/entity.ts'
import type { Model } from '../../../model/model.ts'
import { quote } from '../../../model/sql/quote.ts'
import {
  composePattern,
  type NumberPart,
  type NumberPattern,
  planPattern,
} from './number-pattern.ts'

/** A column with its entity. */
export interface NumberedColumn {
  entity: Entity
  column: Column
}

const columnsOf = new WeakMap<Model, Map<string, NumberedColumn[]>>()

/** The columns that draw from a sequence. */
export function listNumberedColumns(model: Model, sequence: Sequence): readonly NumberedColumn[] {
  const known = columnsOf.get(model) ?? groupColumns(model)
  columnsOf.set(model, known)
  return known.get(sequence.name) ?? []
}

function groupColumns({ entities }: Model): Map<string, NumberedColumn[]> {
  const all = [...entities.values()].flatMap((entity) =>
    entity.columns.map((column) => ({ entity, column })),
  )
  return Map.groupBy(all, ({ column }) => column.sequence ?? '')
}

/** The scope that a sequence counts in, as its numbers tell. */
interface NumberScope {
  /** 0 for a sequence that all companies share. */
  company: number
  period: string
  companyCode: string
}

/**
 * The highest number of a sequence's format that a column holds, among the records of the company
 * that counts by itself; undefined for none. Parts of a format about a record are that record's.
 */
export async function findHighest(
  reader: Pick<Reader, 'get'>,
  sequence: Sequence,
  numbered: NumberedColumn,
  scope: NumberScope,
): Promise<number | undefined> {
  const { entity } = numbered
  const own: string[] = []
  const add = (sql: string): NumberPart => ({ kind: 'own', sql: `f${own.push(sql) - 1}` })
  const code: NumberPart = { kind: 'text', text: scope.companyCode }
  const pattern = planPattern(sequence, {
    period: scope.period,
    company:
      scope.company === 0 && entity.company !== undefined
        ? add(
            `coalesce((SELECT c.Code FROM main.svc_companies c
              WHERE c.Id = t.${quote(entity.company)}), '')`,
          )
        : code,
    own: (name) => {
      const column = entity.columnByName.get(name)
      return column
        ? add(`coalesce(CAST(t.${quote(column.name)} AS TEXT), '')`)
        : { kind: 'text', text: '' }
    },
  })
  return findOfPattern(reader, numbered, { sequence, pattern, own, scope })
}

/** The highest number between two texts; undefined if there is none. */
export function findHighestBetween(
  reader: Pick<Reader, 'get'>,
  sequence: Sequence,
  numbered: NumberedColumn,
  { scope, head, digits, tail }: { scope: NumberScope; head: string; digits: number; tail: string },
): Promise<number | undefined> {
  const toParts = (text: string): NumberPart[] => (text === '' ? [] : [{ kind: 'text', text }])
  const pattern = { head: toParts(head), digits, tail: toParts(tail) }
  // A key is one for all companies.
  const shared = numbered.column.key ? { ...scope, company: 0 } : scope
  return findOfPattern(reader, numbered, { sequence, pattern, own: [], scope: shared })
}

async function findOfPattern(
  reader: Pick<Reader, 'get'>,
  { entity, column }: NumberedColumn,
  {
    sequence,
    pattern,
    own,
    scope,
  }: { sequence: Sequence; pattern: NumberPattern; own: readonly string[]; scope: NumberScope },
): Promise<number | undefined> {
  const {
    where: isNumber,
    digits,
    args: patternArgs,
  } = composePattern(pattern, sequence, scope.period)
  const args: Record<string, SqlArg> = { ...patternArgs }
  const value = `t.${quote(column.name)}`
  const conditions = [`${value} IS NOT NULL`]
  if (entity.company !== undefined && scope.company !== 0) {
    conditions.push(`t.${quote(entity.company)} = @company`)
    args.company = scope.company
  }
  const [first] = pattern.head
  if (first?.kind === 'text') {
    // A range, so that the index of a unique column finds it.
    conditions.push(`${value} >= @low AND ${value} < @high`)
    args.low = first.text
    args.high = `${first.text}${LAST_CHARACTER}`
  }
  const cells = [`${value} AS v`, ...own.map((sql, at) => `${sql} AS f${at}`)].join(', ')
  const where = conditions.join(' AND ')
  const rows = `SELECT ${cells} FROM main.${quote(entity.table)} t WHERE ${where}`
  const sql = `SELECT max(CAST(${digits} AS INTEGER)) AS Highest FROM (${rows}) WHERE ${isNumber}`
  return (await reader.get<{ Highest: number | null }>(sql, args))?.Highest ?? undefined
}

/** The highest character: no text continues another one with a character above it. */
const LAST_CHARACTER = '\u{10FFFF}'

/** Tells whether a company's record has this text in a column, which an index should find. */
export async function holdsNumber(
  reader: Pick<Reader, 'get'>,
  { entity, column }: NumberedColumn,
  text: string,
  company: number,
): Promise<boolean> {
  const isHeld = entity.company !== undefined && !column.key
  const held = isHeld ? ` AND ${quote(entity.company ?? '')} = @company` : ''
  const found = await reader.get(
    `SELECT 1 AS Taken FROM main.${quote(entity.table)}
     WHERE ${quote(column.name)} = @text${held} LIMIT 1`,
    isHeld ? { text, company } : { text },
  )
  return found !== undefined
}
