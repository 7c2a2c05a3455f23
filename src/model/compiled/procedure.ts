/** A stored procedure. */
import type { ActionParameter } from './action.ts'
import type { AuthoredSql } from './authored-sql.ts'
import type { Schedule } from './schedule.ts'
import type { ModelText } from '../model-text.ts'

/** Statements with parameters, called by name, in one transaction. */
export interface Procedure {
  name: string
  label: ModelText
  resource: string
  /** The store lets no statement of a reading one write. */
  mode: 'Read' | 'Write'
  parameters: readonly ActionParameter[]
  statements: readonly ProcedureStatement[]
  schedules: readonly Schedule[]
}

export interface ProcedureStatement {
  sql: AuthoredSql
  /** The name under which its rows are returned. */
  result: string | undefined
  /** Number of rows that it must touch. */
  rows: number | undefined
  message: ModelText | undefined
  /** The name under which the first cell of its result is bound in what follows. */
  into: string | undefined
}
