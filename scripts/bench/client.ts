/**
 * The client over 1,000,000 orders in Chromium, four times slowed: how soon a grid is filled, how
 * long frames and answers to keys and clicks take, and what the heap holds after long use.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CDPSession, Page } from 'playwright-core'
import { closeBrowser, openClosedPage } from '../../test/outside/browser.ts'
import { openClientWorld, signIn } from '../../test/outside/client-world.ts'
import { until } from '../../test/support/until.ts'
import { growDemo } from '../grow.ts'

const ORDERS = 1_000_000
const QUICK_ORDERS = 20_000
const SLOWED = 4
const LOADS = 5
const LEAPS = 60
const SETTLED_MS = 2000

/** Lines that are seen in the window at least: once they have their titles, the grid is filled. */
const LINES_SEEN = 14

/** Between keys, as a key that is held repeats. */
const REPEAT_MS = 33

/** Rounds of use, of which each opens a record, goes back, searches and sorts. */
const ROUNDS = 300

/**
 * Watches for the rows in sight, for frames and for answers to input, from before the page. An
 * answer lasts from the input to the end of the frame that follows it on the page's thread: the
 * browser's own figure waits for the screen, of which there is none here, and is seconds for frames
 * that were drawn at once.
 */
const WATCH = `
  window.bench = { filled: 0, gaps: [], answers: [] }
  new MutationObserver(() => {
    const drawn = '.grid-lines .grid-row:not([data-hidden]) .grid-title'
    if (!window.bench.filled && document.querySelectorAll(drawn).length >= ${LINES_SEEN})
      window.bench.filled = performance.now()
  }).observe(document, { attributes: true, childList: true, subtree: true })
  const answer = ({ timeStamp }) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => window.bench.answers.push(performance.now() - timeStamp)
    port2.postMessage(0)
  })
  for (const type of ['keydown', 'input', 'pointerdown', 'click'])
    addEventListener(type, answer, { capture: true, passive: true })
  let last = 0
  const tick = (now) => {
    if (last) window.bench.gaps.push(now - last)
    last = now
    requestAnimationFrame(tick)
  }
  requestAnimationFrame(tick)
`

const read = async (page: Page, member: string): Promise<number[]> =>
  page.evaluate(`[window.bench.${member}].flat()`)

const clear = async (page: Page): Promise<void> => {
  await page.evaluate('window.bench.gaps = []; window.bench.answers = []')
}

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? 0

const ms = (value: number): string => `${Math.round(value)} ms`

/** Prints the figures of the client; with `isQuick` over fewer orders and in fewer rounds. */
export async function* measureClient(isQuick: boolean): AsyncGenerator<string> {
  const folder = mkdtempSync(join(tmpdir(), 'appengine-bench-client-'))
  const orders = isQuick ? QUICK_ORDERS : ORDERS
  try {
    yield `growing the demo to ${orders.toLocaleString('en')} orders …`
    await growDemo(folder, orders)
    await using world = await openClientWorld(folder)
    await untilSearched(world.server.url)
    await using browser = await openClosedPage(world.address)
    const { page } = browser
    await page.addInitScript(WATCH)
    await page.goto(world.address)
    await signIn(page, 'ana')
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
    const address = `${world.address}/object/orders`
    yield* measureLoads(page, session, address)
    yield* measureScroll(page, address)
    yield* measureInput(page, address)
    yield* measureHeap(page, session, address, isQuick ? ROUNDS / 10 : ROUNDS)
  } finally {
    await closeBrowser()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Waits until the server has read all orders for its search: it is at rest from then on. */
async function untilSearched(url: string): Promise<void> {
  const readWork = async (): Promise<string> => {
    const figures = await (await fetch(`${url}/metrics`)).text()
    return /^appengine_search_work (\d+)$/m.exec(figures)?.[1] ?? ''
  }
  while ((await readWork()) !== '0') await Bun.sleep(1000)
}

async function* measureLoads(
  page: Page,
  session: CDPSession,
  address: string,
): AsyncGenerator<string> {
  const load = async (isCold: boolean): Promise<number> => {
    if (isCold) await session.send('Network.clearBrowserCache')
    await page.goto(address)
    await page
      .locator('.grid-title')
      .nth(LINES_SEEN - 1)
      .waitFor()
    await until(async () => (await read(page, 'filled'))[0] !== 0)
    return (await read(page, 'filled'))[0] ?? 0
  }
  for (const [name, isCold, wanted] of [
    ['from nothing', true, 1500],
    ['again', false, 400],
  ] as const) {
    const times: number[] = []
    for (let at = 0; at < LOADS; at++) times.push(await load(isCold))
    yield `client  a filled grid, ${name}: ${ms(percentile(times, 0.5))}, wanted ${ms(wanted)}`
  }
}

async function* measureScroll(page: Page, address: string): AsyncGenerator<string> {
  await page.goto(address)
  await page
    .getByText(/\d{2,} rows/)
    .first()
    .waitFor()
  await clear(page)
  for (let leap = 1; leap <= LEAPS; leap++) {
    await page.evaluate(`{
      const grid = document.querySelector('.grid')
      grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * ${leap / LEAPS}
    }`)
    await page.waitForTimeout(100)
  }
  const gaps = await read(page, 'gaps')
  const longest = `longest gap ${ms(Math.max(...gaps))}, wanted 100 ms`
  yield `client  end to end in ${LEAPS} leaps: ${longest}, p99 ${ms(percentile(gaps, 0.99))}`
  await page.locator('.grid-lines .grid-title').last().waitFor()
}

async function* measureInput(page: Page, address: string): AsyncGenerator<string> {
  await page.goto(address)
  await page.locator('.grid-title').first().waitFor()
  // Behind the rows comes what can wait: keys are measured once it is there.
  await page.waitForTimeout(SETTLED_MS)
  await page.locator('.grid [tabindex="0"]').focus()
  await clear(page)
  const keys = { ArrowDown: 40, ArrowRight: 8, PageDown: 5 }
  for (const [key, count] of Object.entries(keys)) {
    for (let at = 0; at < count; at++) {
      await page.keyboard.press(key)
      await page.waitForTimeout(REPEAT_MS)
    }
    yield* tellAnswers(page, `${key} in the grid`)
  }
  for (let at = 0; at < 6; at++) {
    await page
      .locator('.grid-lines .row-box')
      .nth(at + 8)
      .click()
    await page.waitForTimeout(200)
  }
  yield* tellAnswers(page, 'clicks on boxes')
  await page.locator('input[type=search]').pressSequentially('granite', { delay: 80 })
  await page.waitForTimeout(1500)
  yield* tellAnswers(page, 'typing a search')
  for (let at = 0; at < 3; at++) {
    await page.locator('.grid-heads button').nth(at).click()
    await page.waitForTimeout(1500)
  }
  yield* tellAnswers(page, 'clicks that sort')
  await page.locator('.grid-lines .grid-title').first().click()
  await page.locator('.form').waitFor()
  await page.waitForTimeout(1500)
  yield* tellAnswers(page, 'opening a record')
  await page.goto(`${address}/new`)
  await page.locator('.form input').first().pressSequentially('x 4711', { delay: 60 })
  await page.waitForTimeout(500)
  yield* tellAnswers(page, 'typing in a form')
}

/** Tells the longest answer, and that of half of them. */
async function* tellAnswers(page: Page, name: string): AsyncGenerator<string> {
  const answers = await read(page, 'answers')
  await clear(page)
  const longest = `longest ${ms(Math.max(0, ...answers))}, median ${ms(percentile(answers, 0.5))}`
  yield `client  ${name}: ${longest} to the end of the next frame, wanted 100 ms`
}

async function* measureHeap(
  page: Page,
  session: CDPSession,
  address: string,
  rounds: number,
): AsyncGenerator<string> {
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await page.goto(address)
  const heap = async (): Promise<number> => {
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    return usedSize / 1024 / 1024
  }
  let warm = 0
  for (let round = 0; round < rounds; round++) {
    await page
      .locator('.grid-lines .grid-title')
      .nth(round % 8)
      .click()
    await page.locator('.form').waitFor()
    await page.goBack()
    await page.locator('.grid-lines .grid-title').first().waitFor()
    await page
      .locator('.grid-heads button')
      .nth(round % 4)
      .click()
    await page.locator('input[type=search]').fill(round % 2 === 0 ? 'stone' : '')
    await page.waitForTimeout(400)
    await page.locator('.grid-lines .grid-title').first().waitFor()
    if (round === Math.floor(rounds / 10)) warm = await heap()
  }
  const grown = `${warm.toFixed(1)} MB after a tenth, ${(await heap()).toFixed(1)} MB at the end`
  yield `client  heap over ${rounds} rounds of use: ${grown}`
}
