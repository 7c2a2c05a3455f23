/** Days and instants in browsers of far zones, and in the nights in which clocks are changed. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type ClientWorld, openClientWorld } from './client-world.ts'

let world: ClientWorld

beforeAll(async () => {
  world = await openClientWorld()
})

afterAll(() => world[Symbol.asyncDispose]())

interface Order {
  RowVersion: string
  OrderedAt: string
  DueOn: string | null
  Reference: string | null
}

async function readOrder(Id: number): Promise<Order> {
  const found = await world.call('ana', '/api/v1/svc/object/orders/form', { Parameters: { Id } })
  return (found as { Values: Order }).Values
}

/** Stores values in an order, past the client. */
async function change(Id: number, values: Partial<Order>): Promise<void> {
  const { RowVersion } = await readOrder(Id)
  const Parameters = { Id, RowVersion, ...values }
  await world.call('ana', '/api/v1/svc/object/submit', { FormName: 'orders', Parameters })
}

const setZone = (TimeZone: string | null) =>
  world.call('ana', '/api/v1/svc/timezone', { TimeZone }, 'PUT')

const day = (page: Page) => page.locator('vaadin-date-picker[name=DueOn] input')
/** The day and the time of the order's instant, as they are typed. */
const orderedDay = (page: Page) => page.locator('vaadin-date-time-picker input').first()
const orderedTime = (page: Page) => page.locator('vaadin-date-time-picker input').nth(1)

/** Types over what a field has, as one does by keyboard. */
async function typeOver(page: Page, field: ReturnType<typeof day>, text: string): Promise<void> {
  await field.press('Control+a')
  await page.keyboard.type(text)
  await page.keyboard.press('Tab')
}

async function save(page: Page): Promise<object> {
  const [answer] = await Promise.all([
    page.waitForResponse((each) => each.url().endsWith('/submit')),
    page.keyboard.press('Control+s'),
  ])
  expect(answer.status()).toBe(200)
  return (answer.request().postDataJSON() as { Parameters: object }).Parameters
}

/**
 * Browsers by zone, each beside a user of another zone, and the days that are typed in them: the
 * last one of a year, and those on which Berlin changes its clocks.
 */
const PLACES = [
  { browser: 'Pacific/Kiritimati', user: 'Pacific/Pago_Pago', days: ['2027-12-31'] },
  { browser: 'Pacific/Pago_Pago', user: 'Pacific/Kiritimati', days: ['2027-12-31'] },
  { browser: 'Europe/Berlin', user: 'Europe/Berlin', days: ['2027-10-31', '2027-03-28'] },
]

const typed = (date: string): string => {
  const [year, month, of] = date.split('-').map(Number)
  return `${month}/${of}/${year}`
}

const written = (date: string, dateStyle: 'short' | 'medium'): string =>
  new Intl.DateTimeFormat('en-US', { dateStyle, timeZone: 'UTC' }).format(new Date(date))
/** A day as its editor shows it, and as a cell does. */
const shown = (date: string): string => written(date, 'short')
const told = (date: string): string => written(date, 'medium')

/** Told by a calendar that is still fading as the editor of its cell goes. */
const LEFT_BEHIND = 'Skip setting aria-hidden'

/** The cell of a column in the first row. */
async function cellOf(page: Page, label: string) {
  const grid = page.getByRole('grid')
  const head = grid.getByRole('columnheader', { name: label, exact: true })
  const column = await head.getAttribute('data-column')
  return grid.getByRole('row').nth(1).locator(`[data-column="${column}"]`)
}

for (const { browser, user, days } of PLACES)
  test(`a day is that day in ${browser}, for a user of ${user}`, async () => {
    await setZone(user)
    await change(400, { DueOn: null })
    const form = `${world.address}/object/orders/400`
    const { page, complaints } = await world.openAs('ana', '/object/orders/400', {
      timezoneId: browser,
      takes: '**/submit',
    })
    for (const date of days) {
      await typeOver(page, day(page), typed(date))
      expect(await save(page)).toMatchObject({ DueOn: date })
      expect((await readOrder(400)).DueOn).toBe(date)
      await page.reload()
      await day(page).waitFor()
      expect(await day(page).inputValue()).toBe(shown(date))
    }
    // In the grid it is the same day, and another one that is typed into the cell, too.
    const only = encodeURIComponent(JSON.stringify([['Id', 'eq', 400]]))
    await page.goto(`${world.address}/object/orders?filters=${only}`)
    const cell = await cellOf(page, 'Due on')
    await cell.getByText(told(days.at(-1) ?? '')).waitFor()
    await cell.focus()
    await page.keyboard.press('F2')
    await page.locator('.grid-editor input').waitFor()
    await page.keyboard.type(typed('2027-06-30'))
    await page.locator('vaadin-date-picker-overlay-content').waitFor()
    // The first closes the calendar with the day, the second stores it.
    await page.keyboard.press('Enter')
    await page.locator('.grid-editor [opened]').waitFor({ state: 'detached' })
    const stored = page.waitForResponse((each) => each.url().endsWith('/submit'))
    await page.keyboard.press('Enter')
    expect((await stored).status()).toBe(200)
    expect((await readOrder(400)).DueOn).toBe('2027-06-30')
    await page.reload()
    await cell.getByText(told('2027-06-30')).waitFor()
    await page.goto(form)
    await day(page).waitFor()
    expect(await day(page).inputValue()).toBe(shown('2027-06-30'))
    expect(complaints.filter((each) => !each.includes(LEFT_BEHIND))).toEqual([])
  })

test('an instant is shown and typed in the zone of the user, not of the browser', async () => {
  await setZone('Europe/Berlin')
  await change(400, { DueOn: null, OrderedAt: '2026-03-28T23:30:00Z' })
  const { page, complaints } = await world.openAs('ana', '/object/orders/400', {
    timezoneId: 'Pacific/Kiritimati',
    takes: '**/submit',
  })
  await orderedDay(page).waitFor()
  expect(await orderedDay(page).inputValue()).toBe(shown('2026-03-29'))
  expect(await orderedTime(page).inputValue()).toBe('00:30')
  // An hour later than the clock says, since it is set forward at two.
  await typeOver(page, orderedTime(page), '03:15')
  await save(page)
  expect((await readOrder(400)).OrderedAt).toStartWith('2026-03-29T01:15:00')
  await page.reload()
  await orderedTime(page).waitFor()
  expect(await orderedTime(page).inputValue()).toBe('03:15')
  expect(complaints).toEqual([])
})

test('instants of the repeated hour stay when another field is saved', async () => {
  for (const instant of ['2026-10-25T00:30:45Z', '2026-10-25T01:30:45Z']) {
    await change(400, { OrderedAt: instant })
    const { OrderedAt } = await readOrder(400)
    const { page } = await world.openAs('ana', '/object/orders/400', {
      timezoneId: 'Pacific/Pago_Pago',
      takes: '**/submit',
    })
    await orderedTime(page).waitFor()
    expect(await orderedTime(page).inputValue()).toBe('02:30')
    await page.getByLabel('Your reference').fill(`kept ${instant}`)
    expect(await save(page)).not.toHaveProperty('OrderedAt')
    const after = await readOrder(400)
    expect(after.Reference).toBe(`kept ${instant}`)
    expect(after.OrderedAt).toBe(OrderedAt)
  }
})
