/** A walk through the client by keyboard alone: places, rows, a record, Back, palette, sign-out. */
import type { Page } from 'playwright-core'

const SEEN_MS = 15_000

/** Tabs that a user may need to come from the start of a page to what is wanted. */
const TABS_MAX = 80

/** The element with the focus, as the page describes it. */
interface Focused {
  isWanted: boolean
  /** False where nothing shows that it has the focus. */
  isSeen: boolean
  name: string
}

const readFocus = (page: Page, wanted: string): Promise<Focused> =>
  page.evaluate(`(() => {
    let element = document.activeElement
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    const host = document.activeElement
    const marks = [element, host, host?.parentElement].filter(Boolean).map(getComputedStyle)
    const isSeen = marks.some(({ outlineStyle, boxShadow }) =>
      outlineStyle !== 'none' || boxShadow !== 'none')
    return {
      isWanted: host?.matches(${JSON.stringify(wanted)}) ?? false,
      isSeen: host === document.body || isSeen || host?.localName.startsWith('vaadin-'),
      name: host?.outerHTML.slice(0, 90) ?? '',
    }
  })()`)

/** Presses Tab until an element has the focus that is meant; tells what is wrong on the way. */
async function tabTo(page: Page, wanted: string, faults: string[]): Promise<boolean> {
  for (let tab = 0; tab < TABS_MAX; tab++) {
    await page.keyboard.press('Tab')
    const { isWanted, isSeen, name } = await readFocus(page, wanted)
    if (!isSeen) faults.push(`the focus is not seen: ${name}`)
    if (isWanted) return true
  }
  faults.push(`not reached by Tab: ${wanted}`)
  return false
}

/** Opens the first row and comes back to it. */
async function walkRow(page: Page, faults: string[]): Promise<void> {
  await page
    .locator('main .grid-title, main .empty, main .fault')
    .first()
    .waitFor({ timeout: SEEN_MS })
  if ((await page.locator('.grid-title').count()) === 0) return
  if (!(await tabTo(page, '.grid-lines [data-column]', faults))) return
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.locator('main .form, main .fault').first().waitFor({ timeout: SEEN_MS })
  // Alt and the left arrow are the browser's own, which has no window here.
  await page.goBack()
  await page.locator('.grid-title').first().waitFor({ timeout: SEEN_MS })
  await page.locator('.grid-lines :focus').waitFor({ timeout: SEEN_MS, state: 'attached' })
}

/** Opens a dialog by a key, closes it by Esc, and sees that the focus is where it was. */
async function walkDialog(page: Page, key: string, faults: string[]): Promise<void> {
  const before = await readFocus(page, '*')
  await page.keyboard.press(key)
  await page.locator('dialog[open]').waitFor({ timeout: SEEN_MS })
  await page.keyboard.press('Escape')
  await page.locator('dialog[open]').waitFor({ timeout: SEEN_MS, state: 'detached' })
  const after = await readFocus(page, '*')
  if (after.name !== before.name) faults.push(`${key}: the focus went from ${before.name}`)
}

/** Walks as the user who is signed in, from their first page; resolves to what is wrong. */
export async function walkByKeys(page: Page): Promise<string[]> {
  const faults: string[] = []
  try {
    await page.locator('.tile, main .empty').first().waitFor({ timeout: SEEN_MS })
    if ((await page.locator('a.tile[href^="/object/"]').count()) > 0) {
      if (!(await tabTo(page, 'a.tile[href^="/object/"]', faults))) return faults
      await page.keyboard.press('Enter')
      await page.locator('main h1').first().waitFor({ timeout: SEEN_MS })
      await walkRow(page, faults)
    }
    await walkDialog(page, 'Shift+?', faults)
    await walkDialog(page, 'Control+k', faults)
    await page.keyboard.press('Control+k')
    await page.locator('dialog[open]').waitFor({ timeout: SEEN_MS })
    await page.keyboard.type('sign out')
    await page.locator('dialog[open] [role=option]').first().waitFor({ timeout: SEEN_MS })
    await page.keyboard.press('Enter')
    await page.locator('input[autocomplete=username]').waitFor({ timeout: SEEN_MS })
  } catch (thrown) {
    faults.push(
      thrown instanceof Error ? thrown.message.split('\n').slice(0, 3).join(' ') : String(thrown),
    )
  }
  return faults
}
