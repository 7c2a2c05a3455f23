/**
 * Pictures of the client: `bun run screens [DIR] [--only SCREEN] [--variant NAME]` starts the demo
 * with `dist/appengine` and makes a PNG of each screen in each variant (light, dark, phone, German,
 * Arabic, high contrast); without DIR in `data/local/screens`, which is not in the repository.
 */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { closeBrowser } from '../test/outside/browser.ts'
import { openClientWorld } from '../test/outside/client-world.ts'
import { VARIANTS } from './screens/variants.ts'
import { visitScreens } from './screens/visit.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    variant: { type: 'string', multiple: true, default: Object.keys(VARIANTS) },
  },
})
const folder = resolve(positionals[0] ?? 'data/local/screens')
mkdirSync(folder, { recursive: true })
await using world = await openClientWorld()
let pictures = 0
for (const variant of values.variant) {
  const options = VARIANTS[variant]
  if (!options) throw new Error(`No variant ${variant}: ${Object.keys(VARIANTS).join(' ')}`)
  const faults = await visitScreens(
    world,
    options,
    async ({ name }, page) => {
      await page.screenshot({ path: join(folder, `${name}-${variant}.png`) })
      pictures++
    },
    values.only,
  )
  for (const fault of faults) process.stdout.write(`${variant} ${fault}\n`)
  if (faults.length > 0) process.exitCode = 1
}
process.stdout.write(`${pictures} pictures in ${folder}\n`)
await closeBrowser()
