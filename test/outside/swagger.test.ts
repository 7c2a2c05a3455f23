import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { type ClosedPage, openClosedPage } from './browser.ts'
import { startExecutable } from '../support/executable.ts'

/** One page for all tests, signed in by the first: it takes long to draw the document. */
let server: Awaited<ReturnType<typeof startExecutable>>
let browser: ClosedPage

beforeAll(async () => {
  server = await startExecutable()
  browser = await openClosedPage(server.url)
  await signIn(browser.page, server.url)
})

afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

/** The block of one operation, opened in its area; "Try it out" is on by itself. */
async function openOperation(page: Page, operationId: string, area = 'Objects'): Promise<Locator> {
  const block = page.locator(`[id$="-${operationId}"]`)
  const head = page.locator(`[data-tag="${area}"]`)
  await head.waitFor()
  if ((await head.getAttribute('data-is-open')) !== 'true') await head.click()
  await block.locator('.opblock-summary-control').click()
  await block.locator('button.execute').waitFor()
  return block
}

/** Presses Execute and reads the body of the live answer. */
async function execute(block: Locator): Promise<unknown> {
  await block.locator('button.execute').click()
  const answer = block.locator('.live-responses-table .response-col_description pre').first()
  await answer.waitFor()
  return JSON.parse((await answer.textContent()) ?? '') as unknown
}

async function authorize(page: Page, token: string): Promise<void> {
  await page.locator('.auth-wrapper button.authorize').first().click()
  const dialog = page.locator('.dialog-ux')
  await dialog.locator('input[type="text"]').fill(token)
  await dialog.locator('button.authorize').click()
  await dialog.locator('button.btn-done').click()
}

/** Opens the page, signs in by it and authorizes what follows. */
async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/swagger`)
  const login = (await execute(await openOperation(page, 'login', 'Sign-in'))) as {
    data: { AccessToken: string }
  }
  await authorize(page, login.data.AccessToken)
}

test('in a browser without a network: signed in and authorized, load a grid', async () => {
  const { page } = browser
  const block = await openOperation(page, 'loadTable')
  const example = block.locator('tr.response[data-code="200"] .highlight-code').first()
  expect(JSON.parse((await example.textContent()) ?? '')).toMatchObject({
    success: true,
    data: { Rows: [{}], Pagination: { Page: 1, PageSize: 50 } },
  })
  const table = (await execute(block)) as {
    success: boolean
    data: { Rows: Record<string, unknown>[] }
  }
  expect(table.success).toBe(true)
  expect(table.data.Rows.length).toBeGreaterThan(0)
  expect(table.data.Rows[0]).toHaveProperty('Number')
  expect(browser.outside).toEqual([])
  expect(browser.complaints).toEqual([])
})

test('a file is uploaded from the page', async () => {
  const { page } = browser
  const block = await openOperation(page, 'uploadFiles')
  await block.locator('button.json-schema-form-item-add').click()
  const file = { name: 'note.txt', mimeType: 'text/html', buffer: Buffer.from('from a page') }
  await block.locator('input[type="file"]').first().setInputFiles(file)
  expect(await execute(block)).toMatchObject({
    success: true,
    data: [{ FileName: 'note.txt', ContentType: 'text/plain', Size: 11 }],
  })
  expect(browser.outside).toEqual([])
})

/** Opens an operation, gives it a body and executes it; resolves to what the server said. */
async function executeWith(block: Locator, body: object): Promise<unknown> {
  await block.locator('textarea.body-param__text').fill(JSON.stringify(body))
  return execute(block)
}

test('two mutations that are tried out both run, in the language of the browser', async () => {
  const { page } = browser
  const keys: (string | undefined)[] = []
  const languages: (string | undefined)[] = []
  page.on('request', (request) => {
    if (!request.url().includes('/svc/object/')) return
    keys.push(request.headers()['idempotency-key'])
    languages.push(request.headers()['accept-language'])
  })
  const block = await openOperation(page, 'submit')
  const names: unknown[] = []
  for (const Name of ['Tried once', 'Tried twice']) {
    const body = { FormName: 'customers', Parameters: { Name, Region: 'Coast' } }
    const answer = (await executeWith(block, body)) as { data: { Values: { Name: string } } }
    names.push(answer.data.Values.Name)
    await block.locator('button.btn-clear').click()
  }
  expect(names).toEqual(['Tried once', 'Tried twice'])
  expect(new Set(keys).size).toBe(2)
  expect(keys.every((key) => /^[0-9a-f]{32}$/.test(key ?? ''))).toBe(true)
  expect(languages.join()).not.toContain('de-AT')
  expect(browser.complaints).toEqual([])
})
