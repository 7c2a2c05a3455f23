/** An XML element of a model file after validation: what `parse.ts` makes and `compile/` reads. */

/** A place in a model file; lines and columns begin at 1. */
export interface Place {
  file: string
  line: number
  column: number
}

/** An element with its attributes as written and its text (of itself, not of its children). */
export interface Element {
  name: string
  attributes: Readonly<Record<string, string>>
  children: readonly Element[]
  text: string
  place: Place
  /** Places of the attributes' names. */
  attributePlaces?: Readonly<Record<string, Place>>
}

/** A fault of a model: its place, its cause and a way to fix it. */
export interface Diagnostic {
  place: Place
  message: string
  /** Of a warning that nothing in the model has a resource: an extension may bring it. */
  resource?: string
}

/** Compares places by file, line and column: `0` for the same place. */
export function comparePlaces(a: { place: Place }, b: { place: Place }): number {
  if (a.place.file !== b.place.file) return a.place.file < b.place.file ? -1 : 1
  return a.place.line - b.place.line || a.place.column - b.place.column
}
