/** A feature is a folder and one line: without them, nothing of it is there, and all else is. */
import { expect, test } from 'bun:test'
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { temporaryFolder } from '../support/executable.ts'

const ROOT = resolve(import.meta.dir, '../..')

/** What a copy of the product has, told by a process of its own that starts it. */
interface Product {
  routes: string[]
  areas: string[]
  settings: string[]
  german: string[]
  background: string[]
  /** Status of routes of other features. */
  health: number
  signedIn: number
}

const PROBE = `
import { createApp, listAreas, listBackground, listParts } from './src/app.ts'
import { startBackground } from './src/kernel/background.ts'
import { startApp } from './test/support/app.ts'
await using app = await startApp()
const background = listBackground(app.context)
await using _background = await startBackground(background)
const { status: health } = await app.fetch('/health/ready')
const { status: signedIn } = await app.fetch('/api/v1/auth/me', { as: 'ana' })
console.log(JSON.stringify({
  routes: createApp(app.context).routes.map(({ method, path }) => method + ' ' + path),
  areas: listAreas().map(({ name }) => name),
  settings: app.context.settings.describe().map(({ name }) => name),
  german: listParts().flatMap(({ german }) => (german ?? []).map(([english]) => english)),
  background: background.map(({ name }) => name),
  health, signedIn,
}))
`

/** The product without the folder of a feature, and without the lines that name it. */
async function startCopy(without?: { folder: string; name: string }): Promise<Product> {
  using home = temporaryFolder()
  for (const name of [
    'src',
    'data/demo',
    'test/support',
    'scripts',
    'package.json',
    'tsconfig.json',
  ])
    cpSync(join(ROOT, name), join(home.path, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(home.path, 'node_modules'))
  if (without) {
    rmSync(join(home.path, 'src/features', without.folder), { recursive: true })
    const app = join(home.path, 'src/app.ts')
    const lines = readFileSync(app, 'utf8').split('\n')
    const rest = lines.filter((line) => !new RegExp(`\\b${without.name}\\b`).test(line))
    // Its import and its entry in the list.
    expect(lines.length - rest.length).toBe(2)
    writeFileSync(app, rest.join('\n'))
  }
  writeFileSync(join(home.path, 'probe.ts'), PROBE)
  const child = Bun.spawn([process.execPath, 'probe.ts'], {
    ...{ cwd: home.path, stdout: 'pipe', stderr: 'pipe' },
  })
  const [answer, complaint] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if ((await child.exited) !== 0) throw new Error(complaint)
  return JSON.parse(answer) as Product
}

const whole = startCopy()

interface Removed {
  folder: string
  name: string
  routes: string[]
  areas: string[]
  settings: string[]
  sentence: string
  background: string[]
}

const REMOVED: Removed[] = [
  {
    folder: 'impersonation',
    name: 'impersonationFeature',
    routes: ['POST /api/v1/impersonation/start', 'POST /api/v1/impersonation/stop'],
    areas: ['Impersonation'],
    settings: ['Svc:Impersonation:MaxTime'],
    sentence: 'Nobody acts as themselves',
    background: [],
  },
  {
    folder: 'object',
    name: 'objectFeature',
    routes: ['POST /api/v1/svc/object/:name/table', 'POST /api/v1/svc/object/submit'],
    areas: ['Objects', 'Handlers'],
    settings: ['Svc:Imports:Concurrency', 'Svc:Imports:UndoFor', 'Svc:Uploads:MaxFileBytes'],
    sentence: 'Too many imports at the same time',
    background: [
      'uploads that expire',
      'imports that expire',
      'exports that expire',
      'files of imports',
    ],
  },
]

test.each(REMOVED)(
  'without $folder nothing of it is there, and all else starts',
  async (feature) => {
    const [before, after] = [await whole, await startCopy(feature)]
    const lost = (part: 'routes' | 'areas' | 'settings' | 'german' | 'background'): string[] =>
      before[part].filter((name) => !after[part].includes(name))
    expect(lost('routes')).toEqual(expect.arrayContaining(feature.routes))
    expect(lost('areas')).toEqual(feature.areas)
    expect(lost('settings')).toEqual(expect.arrayContaining(feature.settings))
    expect(lost('german')).toContain(feature.sentence)
    expect(lost('background')).toEqual(feature.background)
    expect([after.health, after.signedIn]).toEqual([200, 200])
  },
)
