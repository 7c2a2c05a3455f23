/** The screens of the client over the demo: a data table. A screen is ready when it says so. */
import type { Page } from 'playwright-core'
import { openConflict, openRowFaults, openRowsConflict } from './conflicts.ts'
import { openJobs } from './job-screen.ts'
import { addFiles, FILTERS, IMPORT, importArticles, typeCustomer } from './screen-steps.ts'
import { openComments, openMails } from './timeline-screens.ts'

/** One screen, as a user of the demo opens it; nothing of it goes by words of a language. */
export interface Screen {
  name: string
  /** The user who is signed in; undefined where nobody is. */
  user: string | undefined
  path: string
  /** A CSS selector of what is seen once it is whole. */
  ready: string
  /** The status of a refusal that the screen shows: the browser complains of it, as it should. */
  refusal?: number
  /** Steps that lead on from the path. */
  open?: (page: Page) => Promise<void>
}

const FORM = 'main .form'

export const SCREENS: readonly Screen[] = [
  { name: 'sign-in', user: undefined, path: '/', ready: 'vaadin-password-field' },
  { name: 'home', user: 'ana', path: '/', ready: '.tile' },
  {
    name: 'user-menu',
    user: 'dee',
    path: '/',
    ready: '.tile',
    open: (page) => page.locator('.frame-bar [aria-haspopup=menu]').click(),
  },
  { name: 'orders', user: 'ana', path: '/object/orders', ready: 'main :text("SO-20")' },
  { name: 'order', user: 'ana', path: '/object/orders/400', ready: FORM },
  {
    name: 'order-timeline',
    user: 'ana',
    path: '/object/orders/400?panel=timeline',
    ready: 'aside, [class*=beside]',
  },
  {
    name: 'order-mails',
    user: 'ana',
    path: '/object/orders/400?panel=timeline',
    ready: '.comment-box',
    open: openMails,
  },
  {
    name: 'order-comments',
    user: 'ana',
    path: '/object/orders/400?panel=timeline',
    ready: '.comment-box',
    open: openComments,
  },
  {
    name: 'order-comment-change',
    user: 'ana',
    path: '/object/orders/400?panel=timeline',
    ready: '.comment-box',
    open: async (page) => {
      await openComments(page)
      await page.locator('.comment-actions button').first().click()
      await page.locator('.timeline .comment-box').waitFor()
    },
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
  {
    name: 'order-choices',
    user: 'ana',
    path: '/object/orders/new',
    ready: FORM,
    open: (page) => typeCustomer(page, 'Har'),
  },
  {
    name: 'order-new-customer',
    user: 'ana',
    path: '/object/orders/new',
    ready: FORM,
    open: async (page) => {
      await typeCustomer(page, 'Harbour Chandlers')
      await page.getByRole('option').last().click()
      await page.locator('dialog[open] .form').waitFor()
    },
  },
  {
    name: 'order-print',
    user: 'ana',
    path: '/object/orders/400',
    ready: '.action-bar',
    open: async (page) => {
      await page.locator('.place-tools > button[aria-haspopup=menu]').click()
      await page.locator('.place-tools > .menu [role=menuitem]').first().click()
      await page.locator('.file-pdf').waitFor()
    },
  },
  { name: 'order-files', user: 'ana', path: '/object/orders/400', ready: FORM, open: addFiles },
  {
    name: 'customer-faults',
    user: 'ana',
    path: '/object/customers/new',
    ready: FORM,
    refusal: 400,
    open: async (page) => {
      await page.locator('.fold-button').nth(1).click()
      await page.keyboard.press('Control+s')
      await page.locator('.form-faults').waitFor()
    },
  },
  {
    name: 'product-tabs',
    user: 'ana',
    path: '/object/products/1',
    ready: '[role=tab]',
    refusal: 400,
    open: async (page) => {
      await page.locator('[role=tab]').nth(1).click()
      await page.locator('[data-field=Price] input').fill('0.01')
      await page.keyboard.press('Tab')
      await page.locator('[role=tab]').first().click()
      await page.keyboard.press('Control+s')
      await page.locator('.tab-faults').waitFor()
    },
  },
  { name: 'product-tab', user: 'ana', path: '/object/products/1?tab=1', ready: '[role=tab]' },
  { name: 'order-copy', user: 'ana', path: '/object/orders/new?copy=400', ready: '.detail-table' },
  {
    name: 'order-of-grid',
    user: 'ana',
    path: '/object/orders/400?from=preset%3DOpen&at=1',
    ready: '[data-way=next]',
  },
  {
    name: 'order-conflict',
    user: 'ana',
    path: '/object/orders/400',
    ready: FORM,
    refusal: 409,
    open: openConflict,
  },
  {
    name: 'order-rows-conflict',
    user: 'ana',
    path: '/object/orders/400',
    ready: FORM,
    refusal: 409,
    open: openRowsConflict,
  },
  {
    name: 'order-row-faults',
    user: 'ana',
    path: '/object/orders/400',
    ready: FORM,
    refusal: 400,
    open: openRowFaults,
  },
  {
    name: 'orders-filters',
    user: 'ana',
    path: `/object/orders?filters=${encodeURIComponent(FILTERS)}`,
    ready: '.filters .chip',
    open: async (page) => {
      await page.locator('.filters .chip-text').first().click()
      await page.locator('dialog[open] .filter-row').first().waitFor()
    },
  },
  {
    name: 'orders-cell-menu',
    user: 'ana',
    path: '/object/orders',
    ready: '.grid-title',
    open: async (page) => {
      const cell = page.locator('.grid [data-line="3"] [data-field], .grid [data-line="3"] > *')
      await cell.nth(3).click({ button: 'right' })
      await page.locator('.menu-layer [role=menu]').waitFor()
    },
  },
  {
    name: 'orders-refused-filter',
    user: 'ana',
    path: `/object/orders?filters=${encodeURIComponent('[["Nope","eq","x"]]')}`,
    ready: '.chip.refused',
    refusal: 400,
  },
  { name: 'customers', user: 'ana', path: '/object/customers', ready: '.row-box >> nth=1' },
  {
    name: 'orders-grouped',
    user: 'ana',
    path: '/object/orders?group=Status&totals=Total:sum&columns=Number,Customer,Total',
    ready: '.grid-group .grid-total',
    open: async (page) => {
      await page.locator('.grid-group').first().click()
      await page.locator('.grid-title').first().waitFor()
    },
  },
  {
    name: 'orders-layout',
    user: 'ana',
    path: '/object/orders',
    ready: '.grid-title',
    open: async (page) => {
      await page.locator('.place-tools > button:has(svg)').last().click()
      await page.locator('.layout-table').waitFor()
    },
  },
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
  {
    name: 'palette',
    user: 'ana',
    path: '/object/orders/400',
    ready: FORM,
    open: async (page) => {
      await page.keyboard.press('Control+k')
      await page.locator('.palette-entry').first().waitFor()
    },
  },
  {
    name: 'palette-found',
    user: 'ana',
    path: '/object/orders',
    ready: 'main :text("SO-20")',
    open: async (page) => {
      await page.locator('.palette-button').click()
      await page.locator('.palette-field').fill('granite')
      await page.locator('.palette-entry mark').first().waitFor()
    },
  },
  {
    name: 'jobs',
    user: 'ana',
    path: '/object/orders',
    ready: 'main :text("SO-20")',
    open: openJobs,
  },
  { name: 'account', user: 'ana', path: '/account', ready: '.account-fields vaadin-combo-box' },
  { name: 'account-channels', user: 'ana', path: '/account/notifications', ready: '.channels' },
  { name: 'account-security', user: 'ana', path: '/account/security', ready: '.session-list li' },
  {
    name: 'account-factor',
    user: 'ana',
    path: '/account/security',
    ready: '#account-factor ~ .button',
    open: async (page) => {
      await page.locator('#account-factor ~ .button').click()
      await page.locator('dialog[open] input[type=password]').fill('ana-demo-password')
      await page.keyboard.press('Enter')
      await page.locator('dialog[open] .qr').waitFor()
    },
  },
  {
    name: 'impersonation',
    user: 'root',
    path: '/',
    ready: '.tile',
    open: async (page) => {
      await page.locator('.frame-bar [aria-haspopup=menu]').click()
      await page.locator('.frame-bar [role=menuitem]').nth(1).click()
      await page.locator('dialog[open] vaadin-combo-box').waitFor()
    },
  },
  {
    name: 'import-file',
    user: 'ana',
    path: '/object/products',
    ready: IMPORT,
    open: async (page) => {
      await page.locator(IMPORT).click()
      await page.locator('.import-drop').waitFor()
    },
  },
  {
    name: 'import-mapping',
    user: 'ana',
    path: '/object/products',
    ready: IMPORT,
    open: async (page) => {
      await importArticles(page)
      await page.locator('.import-columns').waitFor()
    },
  },
  {
    name: 'import-check',
    user: 'ana',
    path: '/object/products',
    ready: IMPORT,
    open: (page) => importArticles(page, '.import-fault-table'),
  },
  { name: 'no-rows', user: 'ana', path: '/object/orders?search=zzzz', ready: 'main .empty' },
  { name: 'no-place', user: 'ana', path: '/nowhere', ready: 'main .empty' },
]
