/** Facts about a statement that passed the gate; fits `AuthoredSql` and `AuthoredCondition`. */
import { findNearestName } from '../../kernel/nearest-name.ts'
import { SqlFault } from './fault.ts'
import { isWord, isWriteVerb, mayReadTable, type Outline } from './outline.ts'
import type { Catalog, Program } from './program.ts'
import { isSteady } from './steady.ts'
import { ZONE_PARAMETER, ZONE_TABLE } from '../read/zone-table.ts'

/** An output column; `table` and `column` where it comes straight from a table. */
export interface GateColumn {
  name: string
  table: string | undefined
  column: string | undefined
}

/** The known effects of a condition that passed. */
export interface ConditionFacts {
  /** Names of its parameters without `@`, each once; that of the zone, where it reads one. */
  parameters: readonly string[]
  /** Every table that it may read, by its name in the database; never one too few. */
  reads: readonly string[]
  /** False when it recurses, or takes as long as the values make it that it meets. */
  mayRunInline: boolean
}

/** The known effects of a statement that passed. */
export interface GateFacts extends ConditionFacts {
  /** The table that it changes. */
  writes: readonly string[]
  columns: readonly GateColumn[]
  /** `table.Column` of every cell that it takes from a table, but for keys found by an index. */
  cells: readonly string[]
  /** Offset behind the `WITH [RECURSIVE]` that opens a data-changing statement. */
  withAt: number | undefined
}

/** The facts that statements and conditions share. */
export function planFacts(
  shape: Outline,
  { tables }: Catalog,
  opened: Pick<Program, 'reads'>,
): ConditionFacts {
  const names = shape.tokens.flatMap(({ kind, value }) => (kind === 'parameter' ? value : []))
  const mentioned = listMentioned(shape).flatMap((key) => tables.get(key)?.name ?? [])
  const reads = new Set([...mentioned, ...opened.reads])
  if (reads.has(ZONE_TABLE)) names.push(ZONE_PARAMETER)
  return {
    parameters: [...new Set(names)],
    reads: [...reads],
    mayRunInline: !isRecursive(shape) && isSteady(shape.tokens),
  }
}

/**
 * Lists lower-case names at places where a table may be read. With the tables that SQLite opens
 * they make the tables that a statement reads: one that was optimised away here may be read when
 * composed otherwise.
 */
export function listMentioned({ tokens, targetAt }: Outline): string[] {
  return tokens.flatMap(({ key }, at) => (at !== targetAt && mayReadTable(tokens, at) ? [key] : []))
}

const isRecursive = ({ tokens, ctes }: Outline): boolean =>
  ctes.some(({ name, open, close }) =>
    tokens.some(
      ({ key }, at) => at > open && at < close && key === name.key && mayReadTable(tokens, at),
    ),
  )

/** @throws SqlFault unless the statement is a query */
export function requireRead({ tokens, verb }: Outline): void {
  const first = tokens[0]
  if (isWriteVerb(verb))
    throw new SqlFault(`Only reading is available here: no ${verb?.value}`, verb?.start ?? 0)
  if (!isWord(first, 'select', 'with', 'values') || !isWord(verb, 'select', 'values'))
    throw new SqlFault(adviseOpening(first), first?.start ?? 0)
}

/** Keywords that a statement may open with. */
const OPENINGS = ['SELECT', 'WITH', 'VALUES', 'INSERT', 'UPDATE', 'DELETE']

/** Advises what to do about a text that opens with another word. */
function adviseOpening(first: Outline['tokens'][number] | undefined): string {
  const word = first?.kind === 'word' ? first.value : ''
  if (isWord(first, 'create', 'alter', 'drop'))
    return `No ${word} here: tables come from the entities of the model`
  if (isWord(first, 'pragma', 'attach', 'detach', 'begin', 'commit', 'rollback', 'vacuum'))
    return `No ${word} here: the engine does that`
  const nearest = word === '' ? undefined : findNearestName(word, OPENINGS)
  if (nearest !== undefined) return `No statement starts with ${word}; did you mean ${nearest}?`
  return 'It opens with SELECT, WITH or VALUES: write SELECT before an expression'
}

/** @throws SqlFault unless it is an INSERT, UPDATE or DELETE, without REPLACE or ROLLBACK */
export function requireWrite({ tokens, verb, verbAt }: Outline): void {
  if (verb?.kind !== 'word' || !isWriteVerb(verb))
    throw new SqlFault('It opens with INSERT, UPDATE or DELETE', verb?.start ?? 0)
  if (verb.key === 'replace')
    throw new SqlFault('REPLACE deletes rows: write INSERT … ON CONFLICT … DO UPDATE', verb.start)
  const resolution = tokens[verbAt + 2]
  if (isWord(tokens[verbAt + 1], 'or') && !isWord(resolution, 'ignore', 'abort'))
    throw new SqlFault(
      `OR ${resolution?.value ?? ''} is not available: write ON CONFLICT, or OR IGNORE`,
      resolution?.start ?? verb.start,
    )
}

/** @throws SqlFault for a condition that is a statement */
export function requireExpression({ tokens }: Outline): void {
  if (isWord(tokens[0], 'select', 'with', 'values'))
    throw new SqlFault('A condition is an expression: put a SELECT in brackets', 0)
}

/** @throws SqlFault when two output columns bear one name, as SQLite and requests compare names */
export function requireDistinct(columns: readonly GateColumn[], { tokens }: Outline): void {
  const names = new Set<string>()
  for (const { name } of columns) {
    const key = name.toLowerCase()
    if (names.has(key))
      throw new SqlFault(
        `Two output columns are named ${name}: give one of them another name by AS`,
        tokens.findLast((token) => token.key === key)?.start ?? 0,
      )
    names.add(key)
  }
}
