/**
 * Limits that hold everywhere, each with its unit in the name. What an operator may move is a
 * setting.
 */

/** How deep a JSON body may be nested; filters, the deepest of what we read, nest to 10. */
export const BODY_DEPTH_MAX = 64

/**
 * How many values a JSON body may hold: parsing and checking more of them takes the serving thread
 * from others.
 */
export const JSON_VALUES_MAX = 100_000

/** Size of a body on a route that asks for no token. */
export const OPEN_BODY_BYTES_MAX = 64 * 1024

/** Most bytes that the bodies in flight hold together. */
export const BODIES_BYTES_MAX = 256 * 1024 * 1024

/** How many members `fieldErrors` may name in one answer. */
export const FIELD_ERRORS_MAX = 100

/** Longest bearer token that is read, in characters; the server issues no longer ones. */
export const TOKEN_CHARACTERS_MAX = 8192

/** How long requests in flight may take to finish after SIGTERM. */
export const DRAIN_MS = 15_000
