/** The screens of the client over the demo: a data table. A screen is ready when it says so. */
import type { Page } from 'playwright-core'

/** One screen, as a user of the demo opens it; nothing of it goes by words of a language. */
export interface Screen {
  name: string
  /** The user who is signed in; undefined where nobody is. */
  user: string | undefined
  path: string
  /** A CSS selector of what is seen once it is whole. */
  ready: string
  /** Steps that lead on from the path. */
  open?: (page: Page) => Promise<void>
}

const FORM = 'main .form'

export const SCREENS: readonly Screen[] = [
  { name: 'sign-in', user: undefined, path: '/', ready: 'vaadin-password-field' },
  { name: 'home', user: 'ana', path: '/', ready: '.tile' },
  { name: 'orders', user: 'ana', path: '/object/orders', ready: 'main :text("SO-20")' },
  { name: 'order', user: 'ana', path: '/object/orders/400', ready: FORM },
  {
    name: 'order-timeline',
    user: 'ana',
    path: '/object/orders/400?panel=timeline',
    ready: 'aside, [class*=beside]',
  },
  { name: 'order-new', user: 'ana', path: '/object/orders/new', ready: FORM },
  {
    name: 'order-line',
    user: 'ana',
    path: '/object/orders/400',
    ready: '.detail-table td',
    open: (page) => page.locator('.detail-table td').first().click(),
  },
  {
    name: 'order-actions',
    user: 'ana',
    path: '/object/orders/399',
    ready: '.action-bar',
    open: (page) => page.locator('.action-bar [aria-haspopup=menu]').click(),
  },
  {
    name: 'orders-selected',
    user: 'ana',
    path: '/object/orders',
    ready: 'main :text("SO-20")',
    open: async (page) => {
      await page.locator('.row-box').nth(1).click()
      await page.locator('.row-box').nth(2).click()
      await page.locator('.selection-bar').waitFor()
    },
  },
  {
    name: 'orders-approve',
    user: 'ana',
    path: '/object/orders/400',
    ready: '.action-bar button',
    open: async (page) => {
      await page.locator('.action-bar button').first().click()
      await page.locator('dialog[open] form').waitFor()
    },
  },
  { name: 'customers', user: 'ana', path: '/object/customers', ready: '.row-box >> nth=1' },
  { name: 'customer', user: 'ana', path: '/object/customers/1', ready: FORM },
  {
    name: 'keys',
    user: 'ana',
    path: '/object/orders/400',
    ready: '.detail-table td',
    open: async (page) => {
      await page.keyboard.press('?')
      await page.locator('dialog[open] .key-list').first().waitFor()
    },
  },
  { name: 'no-rows', user: 'ana', path: '/object/orders?search=zzzz', ready: 'main .empty' },
  { name: 'no-place', user: 'ana', path: '/nowhere', ready: 'main .empty' },
]
