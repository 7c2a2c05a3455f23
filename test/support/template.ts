/**
 * Data folders that tests start from: made once a process for each application, the demo once a
 * test run, with every user signed in, then copied. Each begins as a copy of one empty folder,
 * whose keys and tables they share: making these costs more than most applications do.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/kernel/clock.ts'
import { createLog } from '../../src/kernel/log.ts'
import { deployModel } from '../../src/model/deploy/deploy.ts'
import { openContext, type OpenContext } from '../../src/server/open-context.ts'
import { configure, createApp } from '../../src/app.ts'
import { temporaryFolder } from './executable.ts'
import { type People, savePeople } from './people.ts'

/** A model with those who use it, in place of the demo. */
export interface TestApplication extends People {
  files: readonly { name: string; body: string }[]
}

/** An application with more in it: a copy of its folder, so that both have the same sessions. */
export interface FilledApplication {
  base: TestApplication
  fill: (context: OpenContext) => Promise<void>
}

/** The password of every user of a `TestApplication`. */
export const TEST_PASSWORD = 'a long pass phrase'

/** A prepared folder and the access tokens of its users, good for a day. */
export interface Template {
  folder: string
  tokens: Readonly<Record<string, string>>
}

const templates = new Map<TestApplication | FilledApplication | 'demo', Promise<Template>>()
let folders = 0
const home = temporaryFolder()
process.on('exit', () => home[Symbol.dispose]())

/** The demo of a whole test run, where one was made before: `saveDemo` says where. */
const SAVED_DEMO = Bun.env.TEST_DEMO
const DATA = 'data'
const TOKENS = 'tokens.json'
const EMPTY = 'empty'

/** Makes the demo in a folder that `TEST_DEMO` names for the processes that test. */
export async function saveDemo(folder: string): Promise<void> {
  const empty = makeEmpty(join(folder, EMPTY))
  const { tokens } = await makeTemplate(join(folder, DATA), { application: 'demo', empty })
  writeFileSync(join(folder, TOKENS), JSON.stringify(tokens))
}

let emptyFolder: Promise<string> | undefined

/** A data folder with the engine's tables and keys, and nothing else. */
function findEmpty(): Promise<string> {
  if (SAVED_DEMO !== undefined) return Promise.resolve(join(SAVED_DEMO, EMPTY))
  return (emptyFolder ??= makeEmpty(join(home.path, EMPTY)))
}

async function makeEmpty(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true })
  await (await open(folder)).close()
  return folder
}

function open(folder: string): Promise<OpenContext> {
  const flags = { 'Svc:Tokens:AccessLifetime': '24h' }
  const settings = configure({ dataFolder: folder, env: {}, flags, environment: 'Development' })
  return openContext({
    folder,
    settings,
    clock: systemClock,
    log: createLog(systemClock, () => {}),
  })
}

const readDemo = (folder: string): Template => ({
  folder: join(folder, DATA),
  tokens: JSON.parse(readFileSync(join(folder, TOKENS), 'utf8')) as Template['tokens'],
})

/** The template of an application, made at the first call. */
export function findTemplate(
  application: TestApplication | FilledApplication | 'demo',
): Promise<Template> {
  const found = templates.get(application)
  if (found) return found
  const made = openTemplate(join(home.path, String(folders++)), application)
  templates.set(application, made)
  return made
}

function openTemplate(
  folder: string,
  application: TestApplication | FilledApplication | 'demo',
): Promise<Template> {
  if (application === 'demo' && SAVED_DEMO !== undefined)
    return Promise.resolve(readDemo(SAVED_DEMO))
  if (application !== 'demo' && 'base' in application) return makeFilled(folder, application)
  return makeTemplate(folder, { application, empty: findEmpty() })
}

/** Copies a template into a folder that does not exist yet. */
export function copyTemplate({ folder }: Template, to: string): void {
  cpSync(folder, to, { recursive: true })
}

async function makeTemplate(
  folder: string,
  { application, empty }: { application: TestApplication | 'demo'; empty: Promise<string> },
): Promise<Template> {
  cpSync(await empty, folder, { recursive: true })
  const context = await open(folder)
  try {
    const passwords =
      application === 'demo' ? await fillDemo(context) : await fill(context, application)
    return { folder, tokens: await signInAll(context, passwords) }
  } finally {
    await context.close()
  }
}

async function makeFilled(folder: string, { base, fill }: FilledApplication): Promise<Template> {
  const template = await findTemplate(base)
  copyTemplate(template, folder)
  const context = await open(folder)
  try {
    await fill(context)
  } finally {
    await context.close()
  }
  return { folder, tokens: template.tokens }
}

type Passwords = readonly { userName: string; password: string }[]

async function fillDemo(context: OpenContext): Promise<Passwords> {
  const { prepareDemo } = await import('../../src/commands/demo.ts')
  const { demoUsers } = await import('../../data/demo/demo.ts')
  await prepareDemo(context)
  return demoUsers
}

/** A hash that takes next to no time to check: it says itself how it was made. */
const CHEAP = { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 } as const

let cheapHash: Promise<string> | undefined

async function fill(context: OpenContext, application: TestApplication): Promise<Passwords> {
  const { store, models, clock } = context
  await deployModel(store, models, application.files, {}, clock)
  const passwordHash = await (cheapHash ??= Bun.password.hash(TEST_PASSWORD, CHEAP))
  await savePeople(context, application, { passwordHash })
  return application.users.map(({ userName }) => ({ userName, password: TEST_PASSWORD }))
}

export async function signInAll(
  context: OpenContext,
  users: Passwords,
): Promise<Record<string, string>> {
  const app = createApp(context)
  const tokens: Record<string, string> = {}
  for (const { userName, password } of users) {
    const answer = await app.handle(
      new Request('http://localhost/api/v1/auth/login', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ UserName: userName, Password: password }),
      }),
    )
    const { data } = (await answer.json()) as { data?: { AccessToken: string } }
    if (!data) throw new Error(`${userName} could not sign in: ${answer.status}`)
    tokens[userName] = data.AccessToken
  }
  return tokens
}
