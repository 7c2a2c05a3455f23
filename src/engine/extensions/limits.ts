/** Bounds of what extensions say, each with its unit in the name. */

/** Of a log: what is beyond is dropped, and the log ends with a line that says so. */
export const LOG_CHARACTERS_MAX = 256 * 1024

/** Of a result as JSON: what is larger is refused. */
export const RESULT_CHARACTERS_MAX = 4 * 1024 * 1024

/** Of the Parameters of a request as JSON. */
export const PARAMETERS_CHARACTERS_MAX = 256 * 1024

/** Rows that one `query` may give. */
export const QUERY_ROWS_MAX = 10_000

/** Time in which an extension has to declare its parts. */
export const DESCRIBE_MS_MAX = 10_000
