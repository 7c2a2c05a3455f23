/**
 * Names and queues of parts of extensions. Loads nothing: each process of an extension loads this,
 * and TypeBox takes longer to load than most extensions run.
 */

/** Names of scripts, jobs, handlers, hosted services and parameters. */
export const PART_NAME = /^[A-Za-z][A-Za-z0-9_]{0,127}$/

/** Names and slugs of objects, and keys of reports. */
export const ADDRESS = /^[A-Za-z][A-Za-z0-9_-]{0,127}$/

/** The queue of extension jobs that name none: each takes a process. */
export const JOBS_QUEUE = 'extensions'

/** Names of queues of jobs. */
export const QUEUE_NAME = /^[a-z][a-z0-9-]{0,63}$/

/** Keys of reports that come with the engine. */
export const BUILT_IN_REPORT_KEYS: ReadonlySet<string> = new Set(['record', 'list', 'page'])

/** `object.event`. */
export const EVENT = /^([A-Za-z][A-Za-z0-9_-]{0,127})\.([A-Za-z][A-Za-z0-9_]{0,127})$/
