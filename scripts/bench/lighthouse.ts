/**
 * Google's Lighthouse on the client's sign-in and on a grid, at a desk and on a phone. It is as
 * large as all else that the project installs, so it is installed for the run alone.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { openClientWorld, signIn } from '../../test/outside/client-world.ts'

const VERSION = '12.2.3'
const SCORE_WANTED = 95
const SHARE_SHOWN = 0.9

interface Audit {
  id: string
  score: number | null
  scoreDisplayMode: string
  displayValue?: string
}

interface Judgement {
  lhr: {
    categories: Readonly<Record<string, { score: number | null }>>
    audits: Readonly<Record<string, Audit>>
  }
}

type Lighthouse = (url: string, flags: object) => Promise<Judgement>

/** Installs Lighthouse in a folder of its own. */
async function install(folder: string): Promise<Lighthouse> {
  await Bun.write(join(folder, 'package.json'), '{}')
  const { exitCode, stderr } = Bun.spawnSync(
    [process.execPath, 'add', '--exact', `lighthouse@${VERSION}`],
    { cwd: folder },
  )
  if (exitCode !== 0) throw new Error(stderr.toString())
  const path = join(folder, 'node_modules/lighthouse/core/index.js')
  return ((await import(path)) as { default: Lighthouse }).default
}

/** As Lighthouse's own page has both: a desk is not slowed, a phone is four times slower. */
const DESK = {
  formFactor: 'desktop',
  throttling: { rttMs: 40, throughputKbps: 10_240, cpuSlowdownMultiplier: 1 },
  screenEmulation: { mobile: false, width: 1440, height: 900, deviceScaleFactor: 1 },
}
const PHONE = { formFactor: 'mobile' }

/** Prints each score of four categories, and the audits that cost most. */
export async function* measureLighthouse(): AsyncGenerator<string> {
  const folder = mkdtempSync(join(tmpdir(), 'lighthouse-'))
  try {
    const judge = await install(folder)
    await using world = await openClientWorld()
    const port = freePort()
    const browser = await chromium.launchPersistentContext(join(folder, 'profile'), {
      executablePath: Bun.which('chromium') ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', `--remote-debugging-port=${port}`],
    })
    const look = (path: string, form: object): Promise<Judgement> =>
      judge(`${world.address}${path}`, {
        port,
        disableStorageReset: true,
        onlyCategories: ['performance', 'accessibility', 'best-practices', 'seo'],
        ...form,
      })
    for (const form of [DESK, PHONE])
      yield* describe(`sign-in, ${form.formFactor}`, await look('/', form))
    const page = await browser.newPage()
    await page.goto(world.address)
    await signIn(page, 'ana')
    await page.close()
    for (const form of [DESK, PHONE])
      yield* describe(`grid, ${form.formFactor}`, await look('/object/orders', form))
    await browser.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function freePort(): number {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  const { port } = server
  server.stop()
  return port
}

function* describe(name: string, { lhr }: Judgement): Generator<string> {
  const scores = Object.entries(lhr.categories).map(
    ([category, { score }]) => `${category} ${score === null ? '?' : Math.round(score * 100)}`,
  )
  yield `lighthouse  ${name}: ${scores.join(', ')}, wanted ${SCORE_WANTED} each`
  for (const { id, score, scoreDisplayMode, displayValue } of Object.values(lhr.audits))
    if (score !== null && score < SHARE_SHOWN && scoreDisplayMode !== 'informative')
      yield `  ${id} ${score.toFixed(2)} ${displayValue ?? ''}`
}
