/** Text that is typed into a control whose list or calendar is still open. */

/** A control of Vaadin with an overlay. */
type Opened = HTMLElement & { close?(): void }

/**
 * Closes open lists and calendars, upon which their controls take what was typed: a save by
 * keyboard comes while the focus is in one, and would go without it.
 */
export function settleTyped(): void {
  for (const each of document.querySelectorAll<Opened>('[opened]')) each.close?.()
}
