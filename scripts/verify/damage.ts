/**
 * Files that are damaged, empty, gone or another's: refused with a sentence and left as they are,
 * or, where their content is volatile, put aside.
 */
import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../data/demo/random.ts'
import { type CommandEnd, runToEnd } from './process.ts'
import { type Bench, printFigures, type Report } from './report.ts'

interface Damage {
  name: string
  file: 'engine.db' | 'state.db'
  make: (file: string, random: Random) => void
  /** The words that the refusal must have. */
  says: RegExp
}

const KEEP = /restore a backup, or name another/

const DAMAGES: readonly Damage[] = (['engine.db', 'state.db'] as const).flatMap((file) => [
  { name: 'empty', file, make: (path) => writeFileSync(path, ''), says: /is empty/ },
  {
    name: 'noise',
    file,
    make: (path, random) => writeFileSync(path, noise(random, 50_000)),
    says: /is not a database, or is damaged/,
  },
  {
    name: 'the head alone',
    file,
    make: (path) => truncateSync(path, 60),
    says: /is not a database, or is damaged/,
  },
  {
    name: 'cut short',
    file,
    make: (path, random) => truncateSync(path, 4096 * random.int(1, 8)),
    says: KEEP,
  },
  { name: 'a page of noise', file, make: spoilPages, says: KEEP },
  {
    name: 'the other database',
    file,
    make: (path) => {
      const other = file === 'engine.db' ? 'state.db' : 'engine.db'
      cpSync(path.replace(file, other), path)
    },
    says: /belongs to another program/,
  },
])

const MISSING: Damage = {
  name: 'missing',
  file: 'engine.db',
  make: (path) => rmSync(path),
  says: /is missing/,
}

/**
 * Damages copies of the demo, one way each. Starts and commands must refuse what is wrong with
 * `engine.db`, a round each of them, and go on without what is wrong with `state.db`.
 */
export async function verifyDamage(bench: Bench): Promise<Report> {
  const figures = { damages: 0, refused: 0, 'put aside': 0, 'left as they were': 0 }
  const faults: string[] = []
  for (let round = 1; round <= bench.rounds; round++)
    for (const [at, damage] of [...DAMAGES, MISSING].entries()) {
      const found = await tryDamage(bench, damage, REFUSED[(round + at) % REFUSED.length] ?? CREATE)
      figures.damages++
      if (found.isMet) figures[damage.file === 'engine.db' ? 'refused' : 'put aside']++
      if (found.isUntouched) figures['left as they were']++
      if (!found.isMet || !found.isUntouched)
        faults.push(`${damage.file}, ${damage.name}: ${found.told}`)
    }
  return { figures: printFigures(figures), faults }
}

interface Found {
  /** Refused, or put aside, with a sentence. */
  isMet: boolean
  isUntouched: boolean
  told: string
}

async function tryDamage(bench: Bench, damage: Damage, refused: readonly string[]): Promise<Found> {
  const folder = join(bench.home, 'damaged')
  rmSync(folder, { recursive: true, force: true })
  cpSync(bench.demo, folder, { recursive: true })
  const path = join(folder, damage.file)
  damage.make(path, bench.random)
  const run = (words: readonly string[]) =>
    runToEnd([bench.executable, ...words, '--data', folder], SERVES_AFTER_MS)
  return damage.file === 'engine.db'
    ? await tryRefusal(path, damage, () => run(refused))
    : await tryPuttingAside(path, run)
}

type Run = (words: readonly string[]) => Promise<CommandEnd>

const CREATE = ['company', 'create', 'X', '--name', 'X']

/** Requests that are refused over a damaged `engine.db`. */
const REFUSED = [['serve', '--port', '0', '--demo'], CREATE, ['check']]

async function tryRefusal(
  path: string,
  { says }: Damage,
  run: () => Promise<CommandEnd>,
): Promise<Found> {
  const before = readIfThere(path)
  const { exitCode, stderr } = await run()
  const isUntouched = Bun.deepEquals(before, readIfThere(path))
  return {
    isMet: exitCode === 1 && says.test(stderr) && stderr.includes(path),
    isUntouched,
    told: `exit code ${exitCode}, ${stderr.trim()}${isUntouched ? '' : '; the file was changed'}`,
  }
}

/** The next command works, and tells where the file as it was lies now. */
async function tryPuttingAside(path: string, run: Run): Promise<Found> {
  const before = readIfThere(path)
  const found = await run(['check'])
  const created = await run(CREATE)
  const again = await run(['check'])
  const aside = / renamed to (\S+):/.exec(created.stderr)?.[1] ?? ''
  const ends = [found, created, again].map(({ exitCode }) => exitCode)
  return {
    isMet: Bun.deepEquals(ends, [1, 0, 0]) && aside.startsWith(path),
    isUntouched: Bun.deepEquals(before, readIfThere(aside)),
    told: `exit codes ${ends.join(' ')}, ${found.stderr} ${created.stderr} ${again.stderr}`,
  }
}

/** A server that takes the damage for a good file is ended, and told of by its exit code. */
const SERVES_AFTER_MS = 60_000

const readIfThere = (path: string): Buffer | undefined =>
  existsSync(path) ? readFileSync(path) : undefined

const noise = (random: Random, bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, () => random.int(0, 255))

/** One page becomes noise: any but the first, which tells what the file is. */
function spoilPages(path: string, random: Random): void {
  const bytes = readFileSync(path)
  const page = random.int(1, Math.min(8, bytes.length / 4096 - 1))
  bytes.set(noise(random, 4096), page * 4096)
  writeFileSync(path, bytes)
}
