/** The client before the executable, as `serve --demo --client` starts both, and its users. */
import type { Page } from 'playwright-core'
import { type ClosedPage, openClosedPage, type PageOptions } from './browser.ts'
import { builtExecutable, type RunningExecutable, startExecutable } from '../support/executable.ts'
import { until } from '../support/until.ts'

/** A demo in a fresh folder with the client beside it. */
export interface ClientWorld extends AsyncDisposable {
  /** Where the client is, such as `http://127.0.0.1:41234`. */
  address: string
  server: RunningExecutable
  /** A browser of its own that reaches the client alone. */
  open(options?: PageOptions): Promise<ClosedPage>
  /** The same with a user who is signed in, at `path`. */
  openAs(name: string, path: string, options?: PageOptions): Promise<ClosedPage>
  /** The data of the server's answer to a call of another user, past the client. */
  call(name: string, path: string, body?: object, method?: string): Promise<unknown>
}

/**
 * Starts the executable with its client, over the demo or a data folder that is there; browsers
 * that it opened close with it. Passwords are those of the demo: `ana-demo-password`.
 */
export async function openClientWorld(dataFolder?: string): Promise<ClientWorld> {
  const server = await startExecutable(
    dataFolder === undefined
      ? { args: ['--demo', '--client', '0'] }
      : { args: ['--client', '0'], dataFolder },
  )
  await until(() => /^client on /m.test(server.output()))
  const address = /^client on (\S+)$/m.exec(server.output())?.[1] ?? ''
  const pages: ClosedPage[] = []
  const open = async (options?: PageOptions): Promise<ClosedPage> => {
    const page = await openClosedPage(address, options)
    pages.push(page)
    return page
  }
  return {
    address,
    server,
    open,
    openAs: async (name, path, options) => {
      const closed = await open(options)
      await closed.page.goto(`${address}${path}`)
      await signIn(closed.page, name)
      return closed
    },
    call: (name, path, body, method) => callAs(server.url, name, path, body, method),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(pages.map((page) => page[Symbol.asyncDispose]()))
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Signs in by keyboard, as one does without a password manager, and waits for the frame. */
export async function signIn(page: Page, name: string): Promise<void> {
  await page.locator('input[autocomplete=username]').fill(name)
  await page.keyboard.press('Tab')
  await page.keyboard.type(`${name}-demo-password`)
  await page.keyboard.press('Enter')
  await page.locator('main.frame-main').waitFor()
}

/** The data of a server's answer to a call of a user. @throws Error for a refusal */
export async function callAs(
  url: string,
  name: string,
  path: string,
  body?: object,
  method = body === undefined ? 'GET' : 'POST',
): Promise<unknown> {
  const send = async (to: string, sent?: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}${to}`, {
      method: to === path ? method : 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(sent !== undefined && { body: JSON.stringify(sent) }),
    })
    const read = (await answer.json()) as { success: boolean; data?: unknown; error?: string }
    if (!read.success) throw new Error(`${to}: ${read.error}`)
    return read.data
  }
  const login = { UserName: name, Password: `${name}-demo-password` }
  const { AccessToken } = (await send('/api/v1/auth/login', login)) as { AccessToken: string }
  return send(path, body, { Authorization: `Bearer ${AccessToken}` })
}

/** Starts the client by itself, before a server that comes and goes. */
export async function startClient(api: string) {
  const words = [await builtExecutable(), 'client', '--port', '0', '--api', api]
  const child = Bun.spawn(words, { stdio: ['ignore', 'pipe', 'ignore'], cwd: '/' })
  const reader = child.stdout.getReader()
  let text = ''
  while (!/on (http\S+)/.test(text)) text += new TextDecoder().decode((await reader.read()).value)
  return {
    address: /on (http\S+)/.exec(text)?.[1] ?? '',
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await child.exited
    },
  }
}
