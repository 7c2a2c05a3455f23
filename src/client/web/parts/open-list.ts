/** Lists and calendars that are open over a cell. */

/** True where a key is pressed in an open one: Enter and Esc are its own. */
export const isListOpen = (event: KeyboardEvent): boolean =>
  event.composedPath().some((each) => each instanceof HTMLElement && each.hasAttribute('opened'))
