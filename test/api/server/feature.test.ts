/** A feature is a folder and one line: without them, nothing of it is there, and all else is. */
import { expect, test } from 'bun:test'
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { temporaryFolder } from '../../support/executable.ts'
import { describeProduct, type Product } from '../../support/product.ts'

const ROOT = resolve(import.meta.dir, '../../..')

const PROBE = `
import { describeProduct } from './test/support/product.ts'
console.log(JSON.stringify(await describeProduct()))
`

/** A copy of the product without the folder of a feature, and without the lines that name it. */
async function describeWithout(feature: { folder: string; name: string }): Promise<Product> {
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
  rmSync(join(home.path, 'src/features', feature.folder), { recursive: true })
  const app = join(home.path, 'src/app.ts')
  const lines = readFileSync(app, 'utf8').split('\n')
  const rest = lines.filter((line) => !new RegExp(`\\b${feature.name}\\b`).test(line))
  // Its import and its entry in the list.
  expect(lines.length - rest.length).toBe(2)
  writeFileSync(app, rest.join('\n'))
  writeFileSync(join(home.path, 'probe.ts'), PROBE)
  const child = Bun.spawn([process.execPath, 'probe.ts'], {
    cwd: home.path,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [answer, complaint] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if ((await child.exited) !== 0) throw new Error(complaint)
  return JSON.parse(answer) as Product
}

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
    sentence: 'You cannot act as yourself',
    background: [],
  },
  {
    folder: 'object',
    name: 'objectFeature',
    routes: ['POST /api/v1/svc/object/:name/table', 'POST /api/v1/svc/object/submit'],
    areas: ['Objects', 'Handlers'],
    settings: ['Svc:Imports:Concurrency', 'Svc:Imports:UndoFor', 'Svc:Uploads:MaxFileBytes'],
    sentence: 'You have too many imports running. Please try again later.',
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
    const [before, after] = [await describeProduct(), await describeWithout(feature)]
    const lost = (part: 'routes' | 'areas' | 'settings' | 'sentences' | 'background'): string[] =>
      before[part].filter((name) => !after[part].includes(name))
    expect(lost('routes')).toEqual(expect.arrayContaining(feature.routes))
    expect(lost('areas')).toEqual(feature.areas)
    expect(lost('settings')).toEqual(expect.arrayContaining(feature.settings))
    expect(lost('sentences')).toContain(feature.sentence)
    expect(lost('background')).toEqual(feature.background)
    expect([after.health, after.signedIn]).toEqual([200, 200])
  },
)
