/**
 * Limits that hold everywhere, each with its unit in the name. What an operator may move is a
 * setting.
 */

/** Deepest nesting of a JSON body; filters, the deepest that the engine reads, nest to 10. */
export const BODY_DEPTH_MAX = 64

/**
 * Most values of a JSON body: parsing and checking more of them takes the serving thread from
 * others.
 */
export const JSON_VALUES_MAX = 100_000

/** Most values of a JSON body whose schema has room for no more: no client has a use for them. */
export const FEW_VALUES_MAX = 10_000

/**
 * Longest text of a JSON body that is no value of a field, where its schema says no other, in
 * characters: names, words and comments. A body of 64 KB has no room for a longer one.
 */
export const TEXT_CHARACTERS_MAX = 64 * 1024

/**
 * Most members of a map of a JSON body (`Parameters`, `Values`): no view has as many fields, and
 * each is spelled, checked and looked up. A body of 64 KB has no room for so many.
 */
export const MAP_MEMBERS_MAX = 10_000

/** Size of a body on a route that asks for no token. */
export const OPEN_BODY_BYTES_MAX = 64 * 1024

/** Most bytes that the bodies in flight hold together. */
export const BODIES_BYTES_MAX = 256 * 1024 * 1024

/** Most members of `fieldErrors` in one answer. */
export const FIELD_ERRORS_MAX = 100

/** Longest bearer token that is read, in characters; the server issues no longer ones. */
export const TOKEN_CHARACTERS_MAX = 8192

/** Longest time for requests in flight to finish after SIGTERM, in milliseconds. */
export const DRAIN_MS = 15_000
