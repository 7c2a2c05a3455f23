/** The kinds of places that the client draws, by the first part of their addresses. */
const DRAWN_PLACES = ['object', 'account'] as const

/** The first part of the address of a place that is drawn. */
export type DrawnPlace = (typeof DRAWN_PLACES)[number]

/** True where the client draws such a place; the navbar leaves out all others. */
export const isDrawnPlace = (name: string): name is DrawnPlace =>
  DRAWN_PLACES.some((each) => each === name)
