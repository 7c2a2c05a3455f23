/** Backups, restores and rehearsals beside a loaded server: killed, or on a full disk. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readTime } from '../../src/engine/backups/names.ts'
import { BackupShop } from './backup-shop.ts'
import { type CommandEnd, runToEnd } from './process.ts'
import { type Bench, printFigures, type Report } from './report.ts'
import { SmallDisk } from './small-disk.ts'

const FIGURES = {
  rounds: 0,
  'backups killed': 0,
  'restores killed': 0,
  'rehearsals killed': 0,
  'disks full': 0,
  'orders compared': 0,
}

/** Longest until a kill: a little more than the work takes. */
const KILL_MS_MAX = 900

/** One kind of fault after the other, each at a moment by chance. */
export async function verifyBackups(bench: Bench): Promise<Report> {
  const figures = { ...FIGURES }
  const faults: string[] = []
  const shop = await BackupShop.open(bench)
  const disk = await SmallDisk.mount(join(bench.home, 'disk'), DISK_MIB)
  const kinds = [killBackup, killRestore, killRehearsal, ...(disk ? [fillDisk] : [])]
  try {
    for (let round = 0; round < bench.rounds; round++) {
      const home = join(bench.home, `round-${round}`)
      mkdirSync(home)
      const run = kinds[round % kinds.length] ?? killBackup
      const found = await run({ bench, shop, disk, home, figures })
      faults.push(...found.map((fault) => `round ${round + 1}, ${run.name}: ${fault}`))
      figures.rounds++
      rmSync(home, { recursive: true, force: true })
    }
  } finally {
    await shop.close()
    disk?.end()
  }
  return { figures: printFigures(figures), faults }
}

interface Round {
  bench: Bench
  shop: BackupShop
  disk: SmallDisk | undefined
  /** A folder of its own. */
  home: string
  figures: typeof FIGURES
}

/** The file is whole or not there; the next backup is as good as any. */
async function killBackup({ bench, shop, home, figures }: Round): Promise<string[]> {
  const { executable, random } = bench
  const backUp = (name: string, killAfterMs?: number): Promise<CommandEnd> =>
    runToEnd([executable, 'backup', join(home, name), '--data', shop.folder], killAfterMs)
  await backUp('killed', random.next() * KILL_MS_MAX)
  figures['backups killed']++
  const killed = join(home, 'killed')
  const faults = existsSync(killed) ? await restoreFaults(executable, killed, home) : []
  const before = shop.ackedCount
  const next = await backUp('next')
  const after = shop.sentCount
  if (next.exitCode !== 0) return [...faults, `the next backup: ${next.stderr}`]
  const names = [...readdirSync(home), ...readdirSync(shop.folder)]
  const left = names.filter((name) => /^\.(?:appengine-)?backup/.test(name))
  const restored = join(home, 'restored')
  const end = await runToEnd([executable, 'restore', join(home, 'next'), '--data', restored])
  if (end.exitCode !== 0) return [...faults, `its restore: ${end.stderr}`]
  const compared = shop.compare(restored, { before, after })
  figures['orders compared'] += compared.orders
  return [...faults, ...left.map((name) => `${name} was left`), ...compared.faults]
}

async function restoreFaults(executable: string, file: string, home: string): Promise<string[]> {
  const target = join(home, 'of-killed')
  const end = await runToEnd([executable, 'restore', file, '--data', target])
  return end.exitCode === 0 ? [] : [`${file} is there and not whole: ${end.stderr}`]
}

/** The folder is whole or not there, below a folder or as one that is there already. */
async function killRestore({ bench, shop, home, figures }: Round): Promise<string[]> {
  const { executable, random } = bench
  const target = join(home, 'target')
  if (random.next() < 0.5) mkdirSync(target)
  const restore = (killAfterMs?: number): Promise<CommandEnd> =>
    runToEnd([executable, 'restore', shop.backup, '--data', target], killAfterMs)
  await restore(random.next() * KILL_MS_MAX)
  figures['restores killed']++
  const isThere = existsSync(target) && readdirSync(target).length > 0
  const end = isThere ? undefined : await restore()
  if (end !== undefined && end.exitCode !== 0) return [`the next restore: ${end.stderr}`]
  const check = await runToEnd([executable, 'check', '--data', target])
  const left = isThere ? [] : readdirSync(home).filter((name) => name.startsWith('target.'))
  return [
    ...(check.exitCode === 0 ? [] : [`the folder is not whole: ${check.stderr}`]),
    ...left.map((name) => `${name} was left`),
  ]
}

/** The server goes amid a job; after its next start a backup is made and rehearsed. */
async function killRehearsal({ bench, shop, figures }: Round): Promise<string[]> {
  const { executable, random } = bench
  await shop.askBackup()
  await Bun.sleep(random.next() * 2 * KILL_MS_MAX)
  await shop.restart()
  figures['rehearsals killed']++
  const faults: string[] = []
  const folder = join(shop.folder, 'backups')
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (!readTime(name)) continue
    const end = await runToEnd([executable, 'restore', join(folder, name), '--list'])
    if (end.exitCode !== 0) faults.push(`${name} is there and not whole: ${end.stderr}`)
  }
  faults.push(...(await shop.makeBackup()))
  const left = readdirSync(folder).filter((name) => /^\.(?:rehearsal|appengine-backup)/.test(name))
  rmSync(folder, { recursive: true })
  return [...faults, ...left.map((name) => `${name} was left`)]
}

/** More than what is kept free beside a backup of the demo. */
const DISK_MIB = 80

/** Either the work is done, or it says why and leaves nothing. */
async function fillDisk({ bench, shop, disk, figures }: Round): Promise<string[]> {
  if (!disk) return []
  const { random } = bench
  const within = [...disk.command, bench.executable]
  const place = join(disk.path, 'place')
  await runToEnd([...disk.command, 'mkdir', '-p', place])
  const isBackup = random.next() < 0.5
  const made = join(place, 'made')
  const words = isBackup
    ? ['backup', made, '--data', shop.folder]
    : ['restore', shop.backup, '--data', made]
  const running = runToEnd([...within, ...words])
  await Bun.sleep(random.next() * KILL_MS_MAX)
  disk.fill(random)
  const end = await running
  disk.free()
  figures['disks full']++
  const names = (await runToEnd([...disk.command, 'ls', '-A', place])).stdout.split('\n')
  const found = names.filter((name) => name !== '')
  await runToEnd([...disk.command, 'rm', '-rf', place])
  const expected = end.exitCode === 0 ? ['made'] : []
  return [
    ...(found.join() === expected.join() ? [] : [`${found.join()} after ${end.stderr}`]),
    ...(end.exitCode === 0 || SENTENCE.test(end.stderr) ? [] : [`it says ${end.stderr}`]),
  ]
}

const SENTENCE = /ENOSPC|disk is full|bytes free|SQLITE_FULL|no disk space/
