/**
 * `svc_zone`, the caller's zone as rows: no table of the data, but a value of each statement that
 * reads it, behind which the engine sets it as a common table expression.
 */
import { ZONE_YEARS } from '../../kernel/zone-spans.ts'

/** Name of the table that authors read. */
export const ZONE_TABLE = 'svc_zone'
/** The same with a row for each year of a span; no author can name it. */
export const ZONE_YEARS_TABLE = 'svc_zone_years'
/** The year of a row of `ZONE_YEARS_TABLE`. */
export const ZONE_YEAR_COLUMN = '_zone_year'
/** The parameter that holds the spans as `composeSpans` writes them. The engine binds it. */
export const ZONE_PARAMETER = '_zone'

/** Composes the SQL for an instant's year, held to the years that a zone has rows for. */
export const composeZoneYear = (instant: string): string =>
  `max('${ZONE_YEARS.first}', min('${ZONE_YEARS.last}', substr(${instant}, 1, 4)))`

const NAMED = new RegExp(`\\b${ZONE_TABLE}\\b["\\]\`]?(?:\\s+AS)?\\s+["[\`]?(\\w+)`, 'gi')

/** Lists a statement's names for the table: query plans name it so, and no index would spare it. */
export const listZoneAliases = (text: string): ReadonlySet<string> =>
  new Set([ZONE_TABLE, ...[...text.matchAll(NAMED)].flatMap(([, alias]) => alias ?? [])])

/** Places of the parts in a text of `composeSpans`, behind the four digits of the year. */
const FROM_AT = 5
const TO_AT = 29
const SHIFT = 53

/** The common table expressions: by years, and of those the spans, each once. */
export const ZONE_SHADOW =
  `${ZONE_YEARS_TABLE} AS MATERIALIZED (SELECT substr(value, 1, 4) AS ${ZONE_YEAR_COLUMN}, ` +
  `substr(value, ${FROM_AT}, 24) AS FromAt, substr(value, ${TO_AT}, 24) AS ToAt, ` +
  `substr(value, ${SHIFT}) AS Shift FROM json_each(@${ZONE_PARAMETER}) WHERE key > 0), ` +
  `${ZONE_TABLE} AS MATERIALIZED (SELECT FromAt, ToAt, Shift FROM ${ZONE_YEARS_TABLE} ` +
  `WHERE ${ZONE_YEAR_COLUMN} = ${composeZoneYear('FromAt')})`
