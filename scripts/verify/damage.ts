/** Files that are damaged, empty, gone or another's: refused with a sentence, left as they are. */
import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../data/demo/random.ts'
import { runToEnd, ServerProcess } from './process.ts'
import { tellFigures } from './report.ts'
import type { Bench, Report } from './report.ts'

interface Damage {
  name: string
  file: 'engine.db' | 'state.db'
  make: (file: string, random: Random) => void
  /** What the refusal must say. */
  says: RegExp
}

const KEEP = /restore a backup, or name another/

const DAMAGES: readonly Damage[] = (['engine.db', 'state.db'] as const).flatMap((file) => [
  { name: 'empty', file, make: (path) => writeFileSync(path, ''), says: /is empty/ },
  {
    name: 'noise',
    file,
    make: (path, random) => writeFileSync(path, noise(random, 50_000)),
    says: /is no database, or is damaged/,
  },
  {
    name: 'the head alone',
    file,
    make: (path) => truncateSync(path, 60),
    says: /is no database, or is damaged/,
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

/** Damages copies of a good folder, one way each; starts and commands must refuse all of them. */
export async function verifyDamage(bench: Bench): Promise<Report> {
  const good = join(bench.home, 'good')
  const server = new ServerProcess([bench.executable], good, ['--demo'])
  try {
    await server.listening
    await server.stop()
  } finally {
    await server.kill()
  }
  const figures = { damages: 0, refused: 0, 'left as they were': 0 }
  const faults: string[] = []
  for (let round = 1; round <= bench.rounds; round++)
    for (const damage of [...DAMAGES, MISSING]) {
      const found = await tryDamage(bench, good, damage)
      figures.damages++
      if (found.isRefused) figures.refused++
      if (found.isUntouched) figures['left as they were']++
      if (!found.isRefused || !found.isUntouched)
        faults.push(`${damage.file}, ${damage.name}: ${found.told}`)
    }
  return { figures: tellFigures(figures), faults }
}

async function tryDamage(
  { executable, home, random }: Bench,
  good: string,
  { file, make, says }: Damage,
): Promise<{ isRefused: boolean; isUntouched: boolean; told: string }> {
  const folder = join(home, 'damaged')
  rmSync(folder, { recursive: true, force: true })
  cpSync(good, folder, { recursive: true })
  const path = join(folder, file)
  make(path, random)
  const before = readIfThere(path)
  const words = [
    ['serve', '--port', '0', '--demo'],
    ['company', 'create', 'X', '--name', 'X'],
  ]
  const told: string[] = []
  let refused = 0
  for (const line of words) {
    const end = await runToEnd([executable, ...line, '--data', folder], SERVES_AFTER_MS)
    if (end.exitCode === 1 && says.test(end.stderr) && end.stderr.includes(path)) refused++
    told.push(`exit code ${end.exitCode}, ${end.stderr.trim()}`)
  }
  const isUntouched = Bun.deepEquals(before, readIfThere(path))
  if (!isUntouched) told.push('the file was changed')
  return { isRefused: refused === words.length, isUntouched, told: told.join('; ') }
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
