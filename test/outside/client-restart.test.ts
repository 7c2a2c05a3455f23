/** `kill -9` of the server below an open page: nothing is lost, nothing is double, no reload. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { type ClosedPage, openClosedPage, sendOn } from './browser.ts'
import { callAs, signIn, startClient } from './client-world.ts'
import { type RunningExecutable, startExecutable, temporaryFolder } from '../support/executable.ts'
import { until } from '../support/until.ts'

const home = temporaryFolder()
const dataFolder = join(home.path, 'data')
let server: RunningExecutable
let client: Awaited<ReturnType<typeof startClient>>
let browser: ClosedPage
let page: Page

beforeAll(async () => {
  mkdirSync(dataFolder)
  server = await startExecutable({ dataFolder })
  client = await startClient(server.url)
  browser = await openClosedPage(client.address)
  page = browser.page
  await page.goto(`${client.address}/object/orders/400`)
  await signIn(page, 'ana')
})

afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await client[Symbol.asyncDispose]()
  await server.kill()
  home[Symbol.dispose]()
})

/** The same folder and port again, as a supervisor starts it. */
async function startAgain(): Promise<void> {
  server = await startExecutable({ dataFolder, port: Number(new URL(server.url).port) })
}

/** Marks the page: a reload would lose it. */
const mark = () => page.evaluate('void (globalThis.isSamePage = true)')
const isSamePage = () => page.evaluate('globalThis.isSamePage === true')

const answerOf = (path: string) =>
  page.waitForResponse((each) => each.url().endsWith(path) && each.status() === 200)

const keyOf = (answer: { request(): { headers(): Record<string, string> } }) =>
  answer.request().headers()['idempotency-key']

interface Order {
  Id: number
  Customer: string
  Reference: string | null
  Documents: { FileName: string }[] | null
}

const readOrder = async (Id: number): Promise<Order> => {
  const path = '/api/v1/svc/object/orders/form'
  const found = await callAs(server.url, 'ana', path, { Parameters: { Id } })
  return (found as { Values: Order }).Values
}

/** The orders that bear a reference. */
async function findOrders(reference: string): Promise<Order[]> {
  const Filters = [{ Field: 'Reference', Operator: 'eq', Value: reference }]
  const found = await callAs(server.url, 'ana', '/api/v1/svc/object/orders/table', { Filters })
  return (found as { Rows: Order[] }).Rows
}

const REFERENCE = 'Your reference'

test('amid typing: what was typed stays, and the save needs no reload', async () => {
  await mark()
  const field = page.getByLabel(REFERENCE)
  await field.fill('')
  await field.pressSequentially('before ')
  await server.kill()
  await field.pressSequentially('and after')
  expect(await field.inputValue()).toBe('before and after')
  // The save is asked for while nobody is there, and reaches the server that comes.
  const saved = answerOf('/submit')
  await page.keyboard.press('Control+s')
  await page.getByText('The server is starting').waitFor()
  await startAgain()
  await saved
  expect((await readOrder(400)).Reference).toBe('before and after')
  expect(await isSamePage()).toBe(true)
})

test('amid a save: asked again under its key, answered as before, one record', async () => {
  const { Customer } = (await findOrders('before and after'))[0]!
  await page.goto(`${client.address}/object/orders/new`)
  await mark()
  await page.locator('vaadin-combo-box[name=CustomerId] input').click()
  await page.keyboard.type(Customer)
  await page.getByRole('option', { name: Customer }).first().click()
  const region = page.locator('vaadin-combo-box[name=Region] input')
  await until(async () => (await region.inputValue()) !== '')
  await page.getByLabel(REFERENCE).fill('restart once')
  // The server stores and answers; the answer is lost with it.
  const keys: (string | undefined)[] = []
  await page.route(
    '**/submit',
    async (route) => {
      const { answer, key } = await sendOn(route)
      expect(answer.status).toBe(200)
      keys.push(key)
      await server.kill()
      await route.abort('connectionreset')
    },
    { times: 1 },
  )
  const saved = answerOf('/submit')
  await page.keyboard.press('Control+s')
  await page.getByText('The server is starting').waitFor()
  await startAgain()
  const answer = await saved
  expect(answer.headers()['idempotency-replayed']).toBe('true')
  expect(keys).toEqual([expect.stringMatching(/^\w{36}$/)])
  expect(keyOf(answer)).toBe(keys[0] ?? '')
  await page.waitForURL(/\/object\/orders\/\d+/)
  const made = await findOrders('restart once')
  expect(made).toHaveLength(1)
  expect(page.url()).toContain(`/object/orders/${made[0]?.Id}`)
  expect(await isSamePage()).toBe(true)
})

test('amid an upload: the file arrives once, and is saved once', async () => {
  await page.goto(`${client.address}/object/orders/400`)
  const input = page.locator('.files input[type=file]')
  await input.waitFor({ state: 'attached' })
  await mark()
  const before = (await readOrder(400)).Documents?.length ?? 0
  // A slow line, so that the file is on its way when the server goes.
  const network = await page.context().newCDPSession(page)
  const throttle = (uploadThroughput: number) =>
    network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    })
  await throttle(200_000)
  const keys: (string | undefined)[] = []
  page.on('request', (each) => {
    if (each.url().endsWith('/upload')) keys.push(each.headers()['idempotency-key'])
  })
  const buffer = Buffer.alloc(2_000_000, 'Signed.\n')
  await input.setInputFiles({ name: 'signed.txt', mimeType: 'text/plain', buffer })
  const progress = page.getByRole('progressbar', { name: 'signed.txt is uploaded' })
  await progress.and(page.locator('[value]:not([value="0"])')).waitFor()
  await server.kill()
  await throttle(-1)
  const file = page.getByRole('button', { name: 'signed.txt', exact: true })
  await startAgain()
  await file.waitFor()
  expect(keys.length).toBeGreaterThan(1)
  expect(new Set(keys).size).toBe(1)
  const saved = answerOf('/submit')
  await page.keyboard.press('Control+s')
  await saved
  const { Documents } = await readOrder(400)
  expect(Documents).toHaveLength(before + 1)
  expect(Documents?.filter(({ FileName }) => FileName === 'signed.txt')).toHaveLength(1)
  expect(await page.getByRole('button', { name: 'signed.txt', exact: true }).count()).toBe(1)
  expect(await isSamePage()).toBe(true)
  expect(browser.outside).toEqual([])
})
