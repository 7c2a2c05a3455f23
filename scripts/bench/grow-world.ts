/** The world of a bench before it is copied: the demo grown to many orders, with its own views. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/kernel/clock.ts'
import { deployModel } from '../../src/model/deploy/deploy.ts'
import { SearchRebuild } from '../../src/engine/global-search/rebuild.ts'
import accessXml from '../../data/demo/access.xml' with { type: 'text' }
import copiesXml from './copies.xml' with { type: 'text' }
import importsXml from './imports.xml' with { type: 'text' }
import { openFolder } from './open-folder.ts'
import { countPool, POOL_SQL } from './pool.ts'
import reportsXml from './reports.xml' with { type: 'text' }
import runawayXml from './runaway.xml' with { type: 'text' }
import { growDemo } from '../grow.ts'

/** The user who imports in the bench: a row filter holds, as it does for others. */
const METER = `<Role Name="Meter">
  <Grant Resource="Measures" Verbs="View List Create Update Delete Import"/>
  <Grant Resource="ProductGroups" Verbs="View List"/>
  <Grant Resource="AuditedMeasures" Verbs="View List Create Update Delete Import"/>
  <RowFilter Resource="Measures">Amount &lt; 900000</RowFilter>
  <RowFilter Resource="AuditedMeasures">Amount &lt; 900000</RowFilter>
</Role>`

/** The user may read the reports of the bench, in the region. */
const REPORTS = `<Grant Resource="BenchPage" Verbs="View List"/>
  <Grant Resource="BenchRows" Verbs="View List"/>
  <RowFilter Resource="BenchPage">Region = @User_Region</RowFilter>`

const planAccess = (): string =>
  String(accessXml)
    .replace('</Rbac>', `${METER}</Rbac>`)
    .replace(/<Role Name="SalesRep"[^>]*>/, (role) => role + REPORTS)

/** Grows the demo and adds the views of the bench and the orders that writes take away. */
export async function growWorld(folder: string, orders: number): Promise<void> {
  await growDemo(folder, orders)
  const context = await openFolder(folder)
  const views = [
    { name: 'runaway.xml', body: String(runawayXml) },
    { name: 'copies.xml', body: String(copiesXml) },
    { name: 'imports.xml', body: String(importsXml) },
    { name: 'reports.xml', body: String(reportsXml) },
    { name: 'access.xml', body: planAccess() },
  ]
  try {
    const { plan } = await deployModel(context.store, context.models, views, {}, systemClock)
    if (plan.faults.length > 0) throw new Error(JSON.stringify(plan.faults))
    const all = { company: 'all', because: 'a data set for the bench' } as const
    const pool = { count: countPool(orders) }
    await context.store.write(
      (tx) => tx.silently(async () => void (await tx.run(POOL_SQL, pool))),
      all,
    )
    // Else each server would make its index while it is measured.
    await new SearchRebuild(context).run()
  } finally {
    await context.close()
  }
}

/** Sources that tables and stored texts depend on. */
const MADE_OF = [
  ...['src/model', 'src/store', 'src/engine/global-search', 'data/demo', 'scripts/grow.ts'],
  ...['scripts/bench/grow-world.ts', 'scripts/bench/pool.ts', 'scripts/bench/imports.xml'],
  ...['scripts/bench/copies.xml', 'scripts/bench/reports.xml', 'scripts/bench/runaway.xml'],
]

const ROOT = join(import.meta.dir, '../..')

function addTo(hasher: Bun.CryptoHasher, path: string): void {
  if (statSync(path).isDirectory())
    for (const name of readdirSync(path).sort()) addTo(hasher, join(path, name))
  else hasher.update(path.slice(ROOT.length)).update(readFileSync(path))
}

/**
 * The folder of a grown world in the machine's temporary folder; made first where none of the same
 * making is there. It takes the place of those of the same size and another making.
 */
export async function keepWorld(orders: number): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const part of MADE_OF) addTo(hasher, join(ROOT, part))
  const kept = join(tmpdir(), 'appengine-bench-worlds')
  const name = `${orders}-${hasher.digest('hex').slice(0, 16)}`
  const folder = join(kept, name)
  if (existsSync(folder)) return folder
  mkdirSync(kept, { recursive: true, mode: 0o700 })
  for (const other of readdirSync(kept))
    if (other.startsWith(`${orders}-`)) rmSync(join(kept, other), { recursive: true })
  const growing = join(kept, `growing-${process.pid}`)
  await growWorld(growing, orders)
  renameSync(growing, folder)
  return folder
}
