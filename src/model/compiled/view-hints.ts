/** Hints for clients: how a view is drawn beside its grid. All are names of its fields. */

/** Cards in columns. */
interface BoardHint {
  groupBy: string
  title: string
  /** The order of the cards of a column; undefined: that of the grid. */
  order: string | undefined
}

/** Entries on days. */
interface CalendarHint {
  from: string
  /** The last day or instant of an entry; undefined: an entry is of one. */
  to: string | undefined
  title: string
  /** The field whose options colour an entry. */
  tone: string | undefined
}

/** Pictures with titles. */
interface GalleryHint {
  image: string
  title: string
}

export interface ViewHints {
  board?: BoardHint
  calendar?: CalendarHint
  gallery?: GalleryHint
  /** Fields that the head of a record shows. */
  header?: readonly string[]
}
