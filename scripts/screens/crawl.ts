/** A walk through an application that is not known: each object, a record of it, a new one. */
import type { Page } from 'playwright-core'

const SEEN_MS = 15_000

/** A row that is drawn, in a grid or as a card. */
const ROW = '.grid-lines [data-line] [data-column="1"]'

/** Words that a value left behind which was drawn without its kind. */
const RAW = /\[object \w+\]|\bundefined\b|\bNaN\b|Invalid Date|<\/?[a-z]+>/

/** Addresses of the objects on the first page of the signed-in user, such as `/object/hubs`. */
export async function listObjects(page: Page): Promise<string[]> {
  await page.locator('.tile, main .empty').first().waitFor()
  const addresses = await page
    .locator('a.tile')
    .evaluateAll((tiles) => tiles.map((tile) => tile.getAttribute('href') ?? ''))
  return [...new Set(addresses)].filter((each) => each.startsWith('/object/'))
}

/**
 * Visits the grid, the first record and the new record of an object; resolves to what is wrong,
 * with what `ask` finds on each of them.
 */
export async function crawlObject(
  page: Page,
  origin: string,
  path: string,
  ask: (page: Page) => Promise<string[]> = () => Promise.resolve([]),
): Promise<string[]> {
  const faults: string[] = []
  const look = async (where: string): Promise<void> => {
    for (const fault of [...(await findFaults(page)), ...(await ask(page))])
      faults.push(`${where}: ${fault}`)
  }
  await page.goto(`${origin}${path}`)
  await page.locator('main h1').first().waitFor({ timeout: SEEN_MS })
  await page.locator(`${ROW}, main .empty, main .fault`).first().waitFor({ timeout: SEEN_MS })
  await look(path)
  const row = page.locator(ROW).first()
  if ((await row.count()) > 0) {
    await row.click()
    await page.locator('main .form, main .fault').first().waitFor({ timeout: SEEN_MS })
    await look(new URL(page.url()).pathname)
  }
  await page.goto(`${origin}${path}/new`)
  await page.locator('main .form, main .fault').first().waitFor({ timeout: SEEN_MS })
  await look(`${path}/new`)
  return faults
}

interface Seen {
  text: string
  heading: string
  told: string[]
  /** Pixels by which the page is wider than its window. */
  tooWide: number
}

/** Faults of the page as it is now: told ones, raw values, an empty heading, what does not fit. */
async function findFaults(page: Page): Promise<string[]> {
  await page.waitForLoadState('networkidle')
  const seen = await page.evaluate<Seen>(`({
    text: document.querySelector('main')?.innerText ?? '',
    heading: document.querySelector('main h1')?.textContent.trim() ?? '',
    told: [...document.querySelectorAll('main .fault')].map(({ textContent }) => textContent),
    tooWide: document.documentElement.scrollWidth - innerWidth,
  })`)
  const raw = RAW.exec(seen.text.replaceAll('<b>not bold</b>', ''))?.[0]
  return [
    ...seen.told.filter((text) => text.trim() !== '').map((text) => `told: ${text}`),
    ...(raw === undefined ? [] : [`raw value: ${raw}`]),
    ...(seen.heading === '' ? ['no heading'] : []),
    ...(seen.tooWide > 1 ? [`${seen.tooWide} pixels too wide`] : []),
  ]
}
