/**
 * What the first number of an array says of the rest. An empty array is undefined; a number from 0
 * on is that of the shape of an object, whose values follow.
 */
export const TAG = {
  array: -1,
  map: -2,
  set: -3,
  regex: -4,
  /** The number of an object that this part has already. */
  own: -5,
  /** A part, and the number of an object within it. */
  other: -6,
  /** A text of the model, with its base and its translations. */
  text: -7,
  /** A label of the engine, by its template. */
  message: -8,
} as const
