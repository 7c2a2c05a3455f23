/** Filters in the client: built by mouse and keyboard, told in words, kept in address and view. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type ClosedPage, sendOn } from './browser.ts'
import { type ClientWorld, openClientWorld } from './client-world.ts'
import { until } from '../support/until.ts'

let world: ClientWorld
let browser: ClosedPage

beforeAll(async () => {
  world = await openClientWorld()
  browser = await world.openAs('ana', '/object/orders')
})

afterAll(() => world[Symbol.asyncDispose]())

const filtersOf = (page: Page): unknown =>
  JSON.parse(new URL(page.url()).searchParams.get('filters') ?? '[]')

/** Filters of the address, once there are some. */
async function untilFilters(page: Page, filters: unknown): Promise<void> {
  await until(() => Bun.deepEquals(filtersOf(page), filters))
}

/** Words of the chips, once they are these. */
async function untilChips(page: Page, words: string[]): Promise<void> {
  const chips = page.locator('.chip-text')
  await until(async () => Bun.deepEquals(await chips.allInnerTexts(), words))
}

/** The number of rows that the head tells, once the grid shows these filters. */
async function countRows(page: Page, filters: object): Promise<void> {
  const found = (await world.call('ana', '/api/v1/svc/object/orders/table', {
    Filters: filters,
    CountMode: 'exact',
    PageSize: 1,
  })) as { Pagination: { TotalRows: number } }
  const rows = `${found.Pagination.TotalRows} row`
  await page.locator('header [role=status]', { hasText: new RegExp(`^${rows}`) }).waitFor()
}

const openAt = (page: Page, filters: unknown, object = 'orders') =>
  page.goto(
    `${world.address}/object/${object}?filters=${encodeURIComponent(JSON.stringify(filters))}`,
  )

const row = (page: Page, number: number) =>
  page.getByRole('group', { name: `Condition ${number}`, exact: true })

/** Chooses from a combo box as one who types does. */
async function pick(page: Page, number: number, label: string, text: string): Promise<void> {
  const box = row(page, number).getByRole('combobox', { name: label, exact: true }).first()
  await box.click()
  await page.keyboard.type(text)
  await page.getByRole('option', { name: text }).first().click()
}

test('a filter of several values is built by mouse, told, changed by its chip', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Add filter' }).click()
  await pick(page, 1, 'Field', 'Status')
  await row(page, 1).getByLabel('Comparison').selectOption({ label: 'is one of' })
  await pick(page, 1, 'Value', 'New')
  await pick(page, 1, 'Value', 'Approved')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Apply' }).click()
  await untilFilters(page, [['Status', 'in', ['new', 'approved']]])
  await untilChips(page, ['Status is New or Approved'])
  await countRows(page, [{ Field: 'Status', Operator: 'in', Value: ['new', 'approved'] }])

  await page.getByRole('button', { name: 'Change filter: Status is New or Approved' }).click()
  await row(page, 1).getByLabel('Comparison').selectOption({ label: 'is none of' })
  await page.getByRole('button', { name: 'Add condition' }).click()
  await pick(page, 2, 'Field', 'Customer')
  await pick(page, 2, 'Value', 'Amber Gardens Group')
  await page.getByRole('button', { name: 'Apply' }).click()
  await untilFilters(page, [
    ['Status', 'notIn', ['new', 'approved']],
    ['CustomerId', 'eq', 31],
  ])
  await untilChips(page, ['Status is not New or Approved', 'Customer is Amber Gardens Group'])
})

test('reload and Back give the same with labels; chips go one by one and all at once', async () => {
  const { page } = browser
  await page.reload()
  await page.getByText('Customer is Amber Gardens Group').waitFor()
  await page.getByRole('button', { name: 'Remove filter: Status is not New or Approved' }).click()
  await untilFilters(page, [['CustomerId', 'eq', 31]])
  expect(await page.evaluate('document.activeElement?.textContent')).toBe(
    'Customer is Amber Gardens Group',
  )
  await page.goBack()
  await page.getByRole('button', { name: 'Clear all' }).click()
  await untilFilters(page, [])
  await page.goBack()
  await page.getByText('Status is not New or Approved').waitFor()
})

test('a group in a group is built by keyboard alone', async () => {
  const { page } = browser
  await page.goto(`${world.address}/object/orders`)
  await page.getByText('SO-2026-00200').waitFor()
  await page.keyboard.press('f')
  await row(page, 1).waitFor()
  const focused = () => page.evaluate(`document.activeElement?.getAttribute('aria-label')`)
  await until(async () => (await focused()) === 'Field')
  await page.keyboard.type('Total')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.type('is above')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type('1,000')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement?.textContent')).toBe('Add group')
  await page.keyboard.press('Enter')
  await until(async () => (await focused()) === 'Field')
  await page.keyboard.type('Ordered at')
  await page.keyboard.press('Enter')
  for (const key of ['Tab', 'Tab', 'Period', 'Tab', 'This year so far'])
    if (key === 'Tab') await page.keyboard.press(key)
    else await page.keyboard.type(key)
  await page.keyboard.press('Control+Enter')
  await untilFilters(page, [['Total', 'gt', 1000], { or: [['OrderedAt', 'eq', 'yearToDate']] }])
  await untilChips(page, ['Total is above 1,000.00', '(Ordered at is this year so far)'])
  expect(await page.evaluate('document.activeElement?.textContent')).toBe('Add filter')
})

test('wrong and missing values are told at their condition, refusals in the dialog', async () => {
  const { page } = browser
  await openAt(page, [['Total', 'gt', 1]])
  await page.getByRole('button', { name: /^Change filter/ }).click()
  await row(page, 1).getByLabel('Value', { exact: true }).fill('twelve')
  await page.getByRole('button', { name: 'Apply' }).click()
  await row(page, 1).getByText('This value does not fit the field').waitFor()
  await row(page, 1).getByLabel('Value', { exact: true }).fill('')
  await page.getByRole('button', { name: 'Apply' }).click()
  await row(page, 1).getByText('Enter a value').waitFor()
  await row(page, 1).getByLabel('Comparison').selectOption({ label: 'is between' })
  await row(page, 1).getByLabel('From').fill('20')
  await row(page, 1).getByLabel('To', { exact: true }).fill('10')
  await page.getByRole('button', { name: 'Apply' }).click()
  await row(page, 1).getByText('The first value is above the second').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('dialog[open]').waitFor({ state: 'detached' })
  expect(await page.evaluate('document.activeElement?.textContent')).toBe('Total is above 1.00')
})

test('what the server refuses of an address is told at its chip, and mended there', async () => {
  const { page } = browser
  await openAt(page, [['Status', 'eq', 'new'], ['Nope', 'eq', 'x'], 5, ['Status', 'like', 'n']])
  const fault = page.locator('.filters').getByText(/Unknown field 'Nope'/)
  await fault.waitFor()
  expect(await page.locator('.chip.refused').allInnerTexts()).toEqual(['Nope is x\n×'])
  await page.getByText('The server refuses the filters that are marked.').waitFor()
  expect(await page.getByText(/Unknown field 'Nope'/).count()).toBe(1)
  await page.getByRole('button', { name: 'Remove filter: Nope is x' }).click()
  await fault.waitFor({ state: 'detached' })
  await countRows(page, [{ Field: 'Status', Operator: 'eq', Value: 'new' }])
})

test('a grid of one row shows them all again once its filter is gone', async () => {
  const { page } = browser
  await openAt(page, [['Number', 'eq', 'SO-2026-00200']])
  await page.locator('header [role=status]', { hasText: '1 row' }).waitFor()
  await page.getByRole('button', { name: /^Remove filter/ }).click()
  await page.getByText('SO-2026-00199').waitFor()
})

test('a saved view keeps its groups, and an old one of the server shows them', async () => {
  const { page } = browser
  const group = {
    or: [
      ['Region', 'eq', 'coast'],
      ['Total', 'gt', 100],
    ],
  }
  await openAt(page, [['Status', 'ne', 'cancelled'], group])
  await page.getByRole('button', { name: /^View:/ }).click()
  await page.getByRole('menuitem', { name: /^Save as/ }).click()
  await page.getByLabel('Name').fill('Coast or large')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'View: Coast or large ▾' }).waitFor()
  await page.goto(`${world.address}/object/orders`)
  await page.getByRole('button', { name: /^View:/ }).click()
  await page.getByRole('menuitem', { name: 'Coast or large' }).click()
  await untilFilters(page, [['Status', 'ne', 'cancelled'], group])
  await page.getByRole('button', { name: 'View: Coast or large ▾' }).waitFor()
  await page.getByRole('button', { name: /^Remove filter: \(/ }).click()
  await page.getByRole('button', { name: 'View: Coast or large • ▾' }).waitFor()

  await world.call('ana', '/api/v1/svc/views', {
    Object: 'orders',
    Name: 'From outside',
    Filters: {
      Logic: 'or',
      Filters: [
        { Field: 'Total', Operator: 'gt', Value: 5000 },
        { Field: 'Status', Value: 'new' },
      ],
    },
  })
  await page.reload()
  await page.getByRole('button', { name: /^View:/ }).click()
  await page.getByRole('menuitem', { name: 'From outside' }).click()
  await untilFilters(page, [
    {
      or: [
        ['Total', 'gt', 5000],
        ['Status', 'eq', 'new'],
      ],
    },
  ])
})

test('fields compare with each other; choices follow the condition beside them', async () => {
  const { page } = browser
  await page.goto(`${world.address}/object/products`)
  await page.getByRole('button', { name: 'Add filter' }).click()
  await pick(page, 1, 'Field', 'On hand')
  await row(page, 1).getByLabel('Comparison').selectOption({ label: 'is below' })
  await row(page, 1).getByLabel('Value: Kind of value').selectOption({ label: 'Another field' })
  await row(page, 1).getByLabel('Other field').selectOption({ label: 'Reorder level' })
  await page.getByRole('button', { name: 'Apply' }).click()
  await untilFilters(page, [['OnHand', 'lt', { field: 'ReorderLevel' }]])
  await untilChips(page, ['On hand is below Reorder level'])

  await openAt(
    page,
    [
      ['CountryCode', 'eq', 'PT'],
      ['CityId__Label', 'contains', 'por'],
    ],
    'customers',
  )
  await page.getByText('Country is Portugal').waitFor()
  await page.getByRole('button', { name: 'Change filter: City contains por' }).click()
  await row(page, 2).getByLabel('Comparison').selectOption({ label: 'is' })
  await pick(page, 2, 'Value', 'Porto')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('City is Porto').waitFor()
})

test('lines of typed values are numbers of the language; the dialog speaks German', async () => {
  const { page } = await world.openAs('ana', '/object/orders', { locale: 'de-DE' })
  await page.getByRole('button', { name: 'Filter hinzufügen' }).click()
  const first = page.getByRole('group', { name: 'Bedingung 1', exact: true })
  await first.getByRole('combobox', { name: 'Feld' }).first().click()
  await page.keyboard.type('Summe')
  await page.getByRole('option', { name: 'Summe' }).click()
  await first.getByLabel('Vergleich').selectOption({ label: 'ist eines von' })
  await first.getByLabel('Wert', { exact: true }).fill('1.234,50\n80')
  await page.getByRole('button', { name: 'Bedingung hinzufügen' }).click()
  const second = page.getByRole('group', { name: 'Bedingung 2', exact: true })
  await second.getByRole('combobox', { name: 'Feld' }).first().click()
  await page.keyboard.type('Fällig am')
  await page.getByRole('option', { name: 'Fällig am' }).click()
  await second.getByLabel('Wert: Art des Werts').selectOption({ label: 'Letzte oder nächste …' })
  await second.getByLabel('Richtung').selectOption({ label: 'Nächste' })
  await second.getByLabel('Anzahl').fill('2')
  await second.getByLabel('Einheit').selectOption({ label: 'Wochen' })
  await page.getByRole('button', { name: 'Anwenden' }).click()
  await untilFilters(page, [
    ['Total', 'in', [1234.5, 80]],
    ['DueOn', 'eq', 'next2Weeks'],
  ])
  await untilChips(page, [
    'Summe ist 1.234,50 oder 80,00',
    'Fällig am ist in den nächsten 2 Wochen',
  ])
})

test('a phone shows chips and builder whole, right to left too', async () => {
  const filters = JSON.stringify([
    ['Status', 'in', ['new', 'approved', 'shipped']],
    {
      or: [
        ['Total', 'between', [100, 5000]],
        ['OrderedAt', 'eq', 'last30Days'],
      ],
    },
  ])
  const { page, complaints } = await world.openAs(
    'ana',
    `/object/orders?filters=${encodeURIComponent(filters)}`,
    { locale: 'ar', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  )
  await page
    .getByRole('button', { name: /^تعديل عامل التصفية/ })
    .last()
    .click()
  await page.locator('dialog[open] .filter-row').last().waitFor()
  const outside = await page.evaluate(`
    [...document.querySelectorAll('.filters, dialog[open] *')]
      .filter((each) => {
        const { left, right, width } = each.getBoundingClientRect()
        return width > 0 && (left < -1 || right > innerWidth + 1)
      })
      .map((each) => each.outerHTML.slice(0, 80))`)
  expect(outside).toEqual([])
  expect(await page.evaluate('document.dir')).toBe('rtl')
  expect(complaints).toEqual([])
})

test('an object without rows says what to do, and to narrowed ones how to widen', async () => {
  const company = { Code: 'NEW', Name: 'New Trading', TimeZone: 'Europe/Berlin' }
  await world.call('root', '/api/v1/svc/company', company)
  const { page } = await world.openAs('root', '/')
  await page.getByRole('button', { name: 'System' }).click()
  await page.getByRole('menuitemradio', { name: 'New Trading' }).click()
  await page.getByRole('link', { name: 'New Trading' }).waitFor()
  await page.goto(`${world.address}/object/orders`)
  await page.getByText('Make the first one with “New”.').waitFor()
  await openAt(page, [['Status', 'eq', 'new']])
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByText('Make the first one with “New”.').waitFor()
})

test('where counting takes too long the total says that there are more', async () => {
  const { page } = await world.openAs('ana', '/')
  await page.route('**/object/orders/table', async (route) => {
    const { CountMode } = route.request().postDataJSON() as { CountMode: string }
    if (CountMode === 'exact') {
      const json = { success: false, error: 'The statement took too long', code: 'SQL_TIMEOUT' }
      return route.fulfill({ status: 400, json })
    }
    if (CountMode !== 'bounded') return route.fallback()
    const { answer } = await sendOn(route)
    const json = (await answer.json()) as { data: { Pagination: object } }
    Object.assign(json.data.Pagination, { TotalRows: 10_000, TotalIsExact: false })
    return route.fulfill({ json })
  })
  await page.goto(`${world.address}/object/orders`)
  await page.getByText('more than 10,000 rows').waitFor()
  await page.getByText('SO-2026-00200').waitFor()
})

test('the policy refused nothing of it', () => {
  expect(browser.outside).toEqual([])
  expect(browser.complaints.filter((each) => !each.includes('status of 400'))).toEqual([])
})
