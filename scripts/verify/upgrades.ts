/** Upgrades of an older data folder, and rollbacks: killed at any moment, or on a full disk. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS } from '../../src/store/engine-tables.ts'
import { readDatabase } from './database.ts'
import { BEFORE_LAST, makeOlderFolder } from './older-folder.ts'
import { type CommandEnd, runToEnd } from './process.ts'
import { type Bench, printFigures, type Report } from './report.ts'
import { SmallDisk } from './small-disk.ts'
import { findObstacle } from './strace.ts'

const FIGURES = {
  rounds: 0,
  'upgrades killed': 0,
  'rollbacks killed': 0,
  'folders old': 0,
  'folders new': 0,
  'rollbacks finished': 0,
  'disks full': 0,
  'without room': 0,
}

/** More than what is kept free beside a backup of the demo. */
const DISK_MIB = 84

/** A company that is made after the upgrade: it is in a new folder, and not in an old one. */
const AFTER = 'AFTER'

/** One kind of fault after the other, each at a moment by chance. */
export async function verifyUpgrades(bench: Bench): Promise<Report> {
  const figures = { ...FIGURES }
  const faults: string[] = []
  const world = await UpgradeWorld.make(bench)
  const disk = await SmallDisk.mount(join(bench.home, 'disk'), DISK_MIB)
  const kinds = [killUpgrade, killRollback, ...(disk ? [fillUpgrade, fillRollback, lackRoom] : [])]
  try {
    for (let round = 0; round < bench.rounds; round++) {
      const home = join(bench.home, `round-${round}`)
      mkdirSync(home)
      const run = kinds[round % kinds.length] ?? killUpgrade
      const found = await run({ world, disk, home, figures })
      faults.push(...found.map((fault) => `round ${round + 1}, ${run.name}: ${fault}`))
      figures.rounds++
      rmSync(home, { recursive: true, force: true })
    }
  } finally {
    disk?.end()
  }
  return { figures: printFigures(figures), faults }
}

interface Round {
  world: UpgradeWorld
  disk: SmallDisk | undefined
  /** A folder of its own. */
  home: string
  figures: typeof FIGURES
}

/** System calls that write, move or remove, or bring to the disk: a kill comes at one of them. */
const CALLS = ['rename', 'unlink', 'unlinkat', 'mkdir', 'fsync', 'fdatasync', 'pwrite64']
const TRACED = CALLS.map((call) => `?${call}`).join(',')

/** The share of kills that come late, and where that begins. */
const LATE = 0.6

type Work = 'upgrade' | 'rollback'

/** Cost of work: milliseconds, and how often its main thread makes each of those calls. */
interface Cost {
  ms: number
  calls: Map<string, number>
}

/** An older folder, the same after its upgrade, and what both take. */
class UpgradeWorld {
  readonly older: string
  readonly newer: string
  readonly #bench: Bench
  readonly #isTraced = findObstacle() === undefined
  readonly #costs: Record<Work, Cost> = {
    upgrade: { ms: 0, calls: new Map() },
    rollback: { ms: 0, calls: new Map() },
  }

  private constructor(bench: Bench) {
    this.#bench = bench
    this.older = join(bench.home, 'older')
    this.newer = join(bench.home, 'newer')
  }

  static async make(bench: Bench): Promise<UpgradeWorld> {
    const world = new UpgradeWorld(bench)
    makeOlderFolder(bench.demo, world.older)
    cpSync(world.older, world.newer, { recursive: true })
    await world.#measure('upgrade', world.newer)
    const tried = join(bench.home, 'tried')
    cpSync(world.newer, tried, { recursive: true })
    await world.#measure('rollback', tried)
    rmSync(tried, { recursive: true })
    return world
  }

  get random() {
    return this.#bench.random
  }

  /** A command that writes, which upgrades the folder first; or the way back. */
  run(what: Work, folder: string, ...more: string[]): Promise<CommandEnd> {
    return runToEnd(this.#plan(what, folder, more))
  }

  /** The same by another command, which comes before. */
  runWithin(before: readonly string[], what: Work, folder: string, ...more: string[]) {
    return runToEnd([...before, ...this.#plan(what, folder, more)])
  }

  check(folder: string): Promise<CommandEnd> {
    return runToEnd([this.#bench.executable, 'check', '--data', folder])
  }

  /** At a moment, or at a call that moves or writes files: those are close together. */
  kill(what: Work, folder: string): Promise<CommandEnd> {
    const { ms, calls } = this.#costs[what]
    const command = this.#plan(what, folder)
    const { random } = this
    const [one, ...others] = calls.keys()
    if (one === undefined || random.chance(0.3)) return runToEnd(command, random.next() * ms)
    const call = random.pick([one, ...others])
    const count = calls.get(call) ?? 1
    // Folders are put in place at the end: most kills come there.
    const first = random.chance(LATE) ? Math.ceil(count * LATE) : 1
    const inject = `inject=${call}:signal=SIGKILL:when=${random.int(first, count)}`
    return runToEnd([...this.#trace('/dev/null'), '-e', inject, ...command])
  }

  /** A moment within one of both. */
  planMoment(what: Work): number {
    return this.random.next() * this.#costs[what].ms
  }

  #trace(log: string): string[] {
    // With --seccomp-bpf no signal is sent.
    return ['strace', '-f', '-qq', '-o', log, '-e', `trace=${TRACED}`]
  }

  #plan(what: Work, folder: string, more: readonly string[] = []): string[] {
    const words =
      what === 'upgrade' ? ['company', 'create', AFTER, '--name', AFTER] : ['rollback', '--yes']
    return [this.#bench.executable, ...words, '--data', folder, ...more]
  }

  async #measure(what: Work, folder: string): Promise<void> {
    const log = join(this.#bench.home, 'calls')
    const at = performance.now()
    const command = this.#plan(what, folder)
    const end = await runToEnd(this.#isTraced ? [...this.#trace(log), ...command] : command)
    if (end.exitCode !== 0) throw new Error(end.stderr)
    this.#costs[what] = {
      ms: performance.now() - at,
      calls: this.#isTraced ? countCalls(readFileSync(log, 'utf8')) : new Map(),
    }
  }
}

/** Calls of the thread that made most of them: strace counts those of each thread. */
function countCalls(log: string): Map<string, number> {
  const lines = [...log.matchAll(/^(\d+) +(\w+)\(/gm)]
  const threads = [...Map.groupBy(lines, ([, thread]) => thread).values()]
  const [busiest = []] = threads.toSorted((a, b) => b.length - a.length)
  const byCall = Map.groupBy(busiest, ([, , call = '']) => call)
  return new Map([...byCall].map(([call, { length }]) => [call, length]))
}

/** The side that a folder is on: of the older version, or of this one. */
type Side = 'old' | 'new' | { fault: string }

/** Where half of an upgrade lies, state.db is put back by the next start. */
const KEPT = 'state.db.before-upgrade'

function findSide(folder: string): Side {
  const schemaOf = (name: 'engine' | 'state'): number =>
    readDatabase(folder, name, (database) => {
      const row = database.query<{ user_version: number }, []>('PRAGMA user_version').get()
      return row?.user_version ?? 0
    })
  const [engine, state] = [schemaOf('engine'), schemaOf('state')]
  const isOld = engine === BEFORE_LAST.engine
  const isStateOld = state === BEFORE_LAST.state || existsSync(join(folder, KEPT))
  if (isOld && isStateOld) return 'old'
  if (engine === MIGRATIONS.engine.length && state === MIGRATIONS.state.length) return 'new'
  return { fault: `engine.db has the schema ${engine} and state.db ${state}` }
}

const hasCompany = (folder: string): boolean =>
  readDatabase(
    folder,
    'engine',
    (database) => database.query('SELECT 1 FROM svc_companies WHERE Code = ?').get(AFTER) !== null,
  )

const countOrders = (folder: string): number =>
  readDatabase(
    folder,
    'engine',
    (database) =>
      database.query<{ Count: number }, []>('SELECT count(*) AS Count FROM orders').get()?.Count ??
      0,
  )

/** Faults of a folder that is to be whole, of one side, with nothing left over. */
async function inspect(world: UpgradeWorld, folder: string, side: 'old' | 'new') {
  const found = findSide(folder)
  const check = await world.check(folder)
  const place = join(folder, 'backups')
  const backups = existsSync(place) ? readdirSync(place) : []
  const left = [...readdirSync(folder), ...backups].filter((name) =>
    /^\.|before-upgrade$|\.new$|\.part$/.test(name),
  )
  const archives = backups.filter((name) => name.endsWith('.zst'))
  return [
    ...(found === side ? [] : [`${JSON.stringify(found)} instead of ${side}`]),
    ...(check.exitCode === 0 ? [] : [`it is not whole: ${check.stderr}`]),
    ...(countOrders(folder) === countOrders(world.older) ? [] : ['orders are missing']),
    ...(hasCompany(folder) === (side === 'new') ? [] : [`${AFTER} on the ${side} side`]),
    ...left.map((name) => `${name} was left`),
    ...(archives.length === 1 ? [] : [`${archives.length} backups: ${archives.join()}`]),
  ]
}

/** The folder is old or new, the next command goes on, and the way back leads back. */
async function killUpgrade({ world, home, figures }: Round): Promise<string[]> {
  const folder = join(home, 'data')
  cpSync(world.older, folder, { recursive: true })
  await world.kill('upgrade', folder)
  figures['upgrades killed']++
  const side = findSide(folder)
  if (typeof side === 'object') return [side.fault]
  figures[`folders ${side}`]++
  const next = hasCompany(folder) ? undefined : await world.run('upgrade', folder)
  if (next && next.exitCode !== 0) return [`the next command: ${next.stderr}`]
  const faults = await inspect(world, folder, 'new')
  const back = await world.run('rollback', folder)
  if (back.exitCode !== 0) return [...faults, `the rollback: ${back.stderr}`]
  return [...faults, ...(await inspect(world, folder, 'old'))]
}

/** The folder is new until the rollback is decided; from then on it is old once that ended. */
async function killRollback({ world, home, figures }: Round): Promise<string[]> {
  const folder = join(home, 'data')
  cpSync(world.newer, folder, { recursive: true })
  await world.kill('rollback', folder)
  figures['rollbacks killed']++
  const faults: string[] = []
  if (existsSync(join(folder, '.rollback', 'folder', 'engine.db'))) {
    const start = await world.run('upgrade', folder)
    if (start.exitCode === 0 || !start.stderr.includes('was interrupted'))
      faults.push(`a start amid a rollback: ${start.stderr}`)
    figures['rollbacks finished']++
  } else {
    const side = findSide(folder)
    if (typeof side === 'object') return [side.fault]
    figures[`folders ${side}`]++
    if (side === 'new') {
      const check = await world.check(folder)
      if (check.exitCode !== 0 || !hasCompany(folder))
        faults.push(`the new folder is not whole: ${check.stderr}`)
    }
  }
  const isOver = !existsSync(join(folder, '.rollback')) && findSide(folder) === 'old'
  const next = isOver ? undefined : await world.run('rollback', folder)
  if (next && next.exitCode !== 0 && !/knows of no upgrade/.test(next.stderr))
    return [...faults, `the next rollback: ${next.stderr}`]
  return [...faults, ...(await inspect(world, folder, 'old'))]
}

/** Room for neither the backup nor the trial: a sentence names the way out, which leads on. */
async function lackRoom({ world, disk, home, figures }: Round): Promise<string[]> {
  if (!disk) return []
  const data = join(disk.path, 'data')
  await runToEnd([...disk.command, 'cp', '-r', world.older, data])
  const ballast = join(disk.path, 'other')
  await runToEnd([...disk.command, 'fallocate', '-l', `${BALLAST_MIB}M`, ballast])
  const refused = await world.runWithin(disk.command, 'upgrade', data)
  const seen = disk.copy('data', join(home, 'seen'))
  const way = '--Svc:Backup:BeforeUpgrade=false'
  const made = await world.runWithin(disk.command, 'upgrade', data, way)
  const upgraded = disk.copy('data', join(home, 'made'))
  await runToEnd([...disk.command, 'rm', '-rf', data, ballast])
  figures['without room']++
  return [
    ...(refused.exitCode !== 0 && refused.stderr.includes(way) && /bytes free/.test(refused.stderr)
      ? []
      : [`without room it says ${refused.stderr}`]),
    ...(findSide(seen) === 'old' && !existsSync(join(seen, 'backups')) ? [] : ['it was changed']),
    ...(made.exitCode === 0 && made.stderr.includes('is not tried on a copy first')
      ? []
      : [`without a backup it says ${made.stderr}`]),
    ...(findSide(upgraded) === 'new' ? [] : ['it was not upgraded']),
  ]
}

/** Leaves less than the reserve, and enough for the commit. */
const BALLAST_MIB = 50

const SENTENCE = /ENOSPC|disk is full|bytes free|SQLITE_FULL|no disk space|no space|its disk fails/i

const fillUpgrade = (round: Round): Promise<string[]> => fill(round, 'upgrade')

const fillRollback = (round: Round): Promise<string[]> => fill(round, 'rollback')

/** Either the work is done, or it says why; with room again it is done. */
async function fill({ world, disk, home, figures }: Round, what: Work): Promise<string[]> {
  if (!disk) return []
  const [source, before, after] =
    what === 'upgrade'
      ? ([world.older, 'old', 'new'] as const)
      : ([world.newer, 'new', 'old'] as const)
  const data = join(disk.path, 'data')
  await runToEnd([...disk.command, 'cp', '-r', source, data])
  const running = world.runWithin(disk.command, what, data)
  await Bun.sleep(world.planMoment(what))
  disk.fill(world.random)
  const end = await running
  disk.free()
  figures['disks full']++
  const seen = disk.copy('data', join(home, 'seen'))
  const side = findSide(seen)
  const isDone = end.exitCode === 0
  const faults = [
    ...(isDone || SENTENCE.test(end.stderr) ? [] : [`it says ${end.stderr.slice(-300)}`]),
    ...(isDone && side !== after ? [`${JSON.stringify(side)} after it was done`] : []),
    ...(typeof side === 'object' ? [side.fault] : []),
  ]
  // A company that was not made behind the commit of the upgrade is made now.
  if (!isDone || side === before) {
    const next = await world.runWithin(disk.command, what, data)
    if (next.exitCode !== 0) faults.push(`with room again: ${next.stderr}`)
  }
  const made = disk.copy('data', join(home, 'made'))
  await runToEnd([...disk.command, 'rm', '-rf', data])
  return [...faults, ...(await inspect(world, made, after))]
}
