/** A full disk: writes are refused whole, reads go on, and all is well once there is room again. */
import { join } from 'node:path'
import type { Random } from '../../data/demo/random.ts'
import type { Ledger } from './ledger.ts'
import { type Bench, printFigures, type Report } from './report.ts'
import { Shop } from './shop.ts'
import { SmallDisk } from './small-disk.ts'

const FAILURES = 12
const SUCCESSES = 24

/** Fills a small disk under a loaded server, to the last byte or nearly; again. */
export async function verifyFullDisks(bench: Bench): Promise<Report> {
  const disk = await SmallDisk.mount(join(bench.home, 'disk'))
  if (disk === undefined) return { figures: 'left out: no mount is allowed here', faults: [] }
  try {
    return await fillDisk(bench, disk)
  } finally {
    disk.end()
  }
}

async function fillDisk(bench: Bench, disk: SmallDisk): Promise<Report> {
  const figures = { rounds: 0, acked: 0, failed: 0, lost: 0, half: 0, restarts: 0 }
  const shop = await Shop.open({
    command: [...disk.command, bench.executable],
    folder: join(disk.path, 'data'),
    look: () => disk.copy('data', join(bench.home, 'copy')),
    random: bench.random,
  })
  try {
    for (let round = 1; round <= bench.rounds; round++) {
      const ledger = await runRound(shop, disk, bench.random)
      const findings = await shop.check(ledger, { isWhole: true })
      figures.acked += ledger.count('acked')
      figures.failed += ledger.count('failed')
      figures.lost += findings.lost.length
      figures.half += findings.half.length
      await restart(shop, disk, bench.random)
      figures.restarts++
      figures.rounds++
    }
  } finally {
    await shop.server.kill()
  }
  return { figures: printFigures(figures), faults: shop.readFaults() }
}

async function runRound(shop: Shop, disk: SmallDisk, random: Random): Promise<Ledger> {
  const ledger = shop.begin()
  disk.fill(random)
  for (const chain of shop.chains) chain.mayFail = true
  const stop = shop.load(ledger)
  await ledger.whenAnswered(FAILURES, 'failed')
  await stop()
  await checkReads(shop)
  for (const { outcome, reason } of ledger.writes)
    if (outcome === 'failed' && !ENVELOPE.test(reason)) shop.faults.push(`answered ${reason}`)
  disk.free()
  for (const chain of shop.chains) chain.mayFail = false
  const again = shop.load(ledger)
  await ledger.whenAnswered(SUCCESSES, 'acked')
  await again()
  if (ledger.writes.at(-1)?.outcome !== 'acked')
    shop.faults.push('a write failed though there is room again')
  await checkReady(shop)
  return ledger
}

const ENVELOPE =
  /^503 \{"success":false,"error":"[^"]+","code":"[A-Z_]+","traceId":"[0-9a-f]{32}"\}$/

async function checkReady(shop: Shop): Promise<void> {
  const { status } = await shop.api.send('/health/ready', undefined)
  if (status !== 200) shop.faults.push(`/health/ready is ${status}`)
}

async function checkReads(shop: Shop): Promise<void> {
  const token = shop.clients[0]?.trader.token ?? ''
  const rows = await shop.api.loadRows(token, 'orders', { PageSize: 20 })
  const me = await shop.api.send('/api/v1/auth/me', undefined, { token })
  if (rows.length === 0 || me.status !== 200) shop.faults.push('reads failed on a full disk')
}

/** Stopped or killed on a full disk; a start there may be refused, the one after must not be. */
async function restart(shop: Shop, disk: SmallDisk, random: Random): Promise<void> {
  disk.fill(random)
  if (random.chance(0.5)) await shop.server.kill()
  else {
    const exitCode = await shop.server.stop()
    if (exitCode !== 0)
      shop.faults.push(`SIGTERM on a full disk: ${exitCode} ${shop.server.errors}`)
  }
  const full = shop.launch()
  await full.listening.catch(async (error: Error) => {
    if ((await full.exited) !== 1 || !/disk is full/.test(error.message))
      shop.faults.push(`a start on a full disk: ${error.message}`)
  })
  await full.kill()
  disk.free()
  await shop.start()
}
