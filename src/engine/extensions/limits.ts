/** Bounds of extensions and their messages, each with its unit in the name. */

/** Most characters of a log: the rest is dropped, and the log ends with a line that says so. */
export const LOG_CHARACTERS_MAX = 256 * 1024

/** Most characters of a result as JSON: a larger one is refused. */
export const RESULT_CHARACTERS_MAX = 4 * 1024 * 1024

/** Most characters of the Parameters of a request as JSON. */
export const PARAMETERS_CHARACTERS_MAX = 256 * 1024

/** Rows that one `query` may give. */
export const QUERY_ROWS_MAX = 10_000

/** Time in which an extension has to declare its parts. */
export const DESCRIBE_MS_MAX = 10_000

/** Most characters of a job's message about its progress. */
export const PROGRESS_CHARACTERS_MAX = 1000

/** Jobs that one run of an extension may ask for. */
export const RUN_JOBS_MAX = 1000

/** Jobs of extensions that one user may have waiting by asking for them. */
export const USER_JOBS_MAX = 1000

/** The longest that a job may be put off. */
export const DELAY_MS_MAX = 366 * 24 * 60 * 60 * 1000

/** Most characters of all records as JSON that one check is given at once. */
export const CHECKED_CHARACTERS_MAX = 4 * 1024 * 1024
