/** A rule that a record must meet. */
import type { AuthoredSql } from './authored-sql.ts'
import type { ModelText } from '../model-text.ts'
import type { Place } from '../parse/element.ts'

export type Comparison = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'

/** `compare` rules go to the client; `sql` rules stay on the server. */
export type Validate = {
  field: string | undefined
  message: ModelText
  place: Place
} & (
  | {
      kind: 'compare'
      operator: Comparison
      compare: string | undefined
      value: string | undefined
    }
  | { kind: 'sql'; sql: AuthoredSql }
)
