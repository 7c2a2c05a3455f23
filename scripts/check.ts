/**
 * `bun run check [--outside]`: installs, then types, format, build and tests; ends with the one
 * line `N passed, N failed` over everything. Runs before anything is installed, so it uses nothing
 * but Bun. `test/outside` needs programs of the machine (Chromium, LibreOffice, strace) and runs
 * with `--outside` only.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runStep } from './step.ts'
import type { Show } from './step.ts'

const ROOT = join(import.meta.dir, '..')
const OUTSIDE = 'outside'

/** How many checks of a step passed and failed. */
interface Tally {
  passed: number
  failed: number
}

const tool = (...args: string[]): string[] => [process.execPath, 'x', '--no-install', ...args]

/** A step that is one check: each line of complaint that `complaint` finds counts as a failure. */
async function check(name: string, command: string[], complaint?: RegExp): Promise<Tally> {
  const { exitCode, output } = await runStep(name, command)
  if (exitCode === 0) return { passed: 1, failed: 0 }
  const found = complaint ? (output.match(complaint)?.length ?? 0) : 0
  return { passed: 0, failed: Math.max(1, found) }
}

/** Reads the totals of a JUnit report; undefined when the run ended before it was written. */
function readTotals(file: string): Tally | undefined {
  let head: string
  try {
    head = /<testsuites [^>]*>/.exec(readFileSync(file, 'utf8'))?.[0] ?? ''
  } catch {
    return undefined
  }
  const count = (name: string): number =>
    Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 0)
  // A skipped test is a failure: this project keeps none.
  const failed = count('failures') + count('errors') + count('skipped')
  return { passed: count('tests') - failed, failed }
}

/** Runs these test files in one process. A run that ends badly counts at least one failure. */
async function test(files: readonly string[], show: Show): Promise<Tally> {
  const scratch = mkdtempSync(join(tmpdir(), 'appengine-check-'))
  const report = join(scratch, 'report.xml')
  try {
    const command = [
      process.execPath,
      'test',
      '--reporter=junit',
      `--reporter-outfile=${report}`,
      ...files.map((file) => `./test/${file}`),
    ]
    const { exitCode } = await runStep(`test ${files.join(' ')}`, command, show)
    const totals = readTotals(report) ?? { passed: 0, failed: 1 }
    return exitCode !== 0 && totals.failed === 0 ? { ...totals, failed: 1 } : totals
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Test files of one process: each process makes the data folders that its tests start from. */
const BATCH_FILES_MAX = 16

/** Processes that test at a time. Most tests wait for one thread of theirs. */
const WORKERS = Math.min(4, Math.max(1, navigator.hardwareConcurrency))

/** The test files of each folder of `test/`, cut into batches, `outside` left out. */
function planBatches(): string[][] {
  const folders = readdirSync(join(ROOT, 'test'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== OUTSIDE)
    .map(({ name }) => listTests(name))
  return folders.flatMap((files) => {
    const batches = Math.ceil(files.length / BATCH_FILES_MAX)
    // Every so many files: neighbours by name are often of one weight.
    return Array.from({ length: batches }, (_, batch) =>
      files.filter((_file, at) => at % batches === batch),
    )
  })
}

const listTests = (folder: string): string[] =>
  readdirSync(join(ROOT, 'test', folder))
    .filter((file) => file.endsWith('.test.ts'))
    .sort()
    .map((file) => `${folder}/${file}`)

/** Runs the batches, several at a time; each is shown when it has ended. */
async function testAll(batches: readonly string[][]): Promise<Tally[]> {
  const waiting = [...batches]
  const tallies: Tally[] = []
  const work = async (): Promise<void> => {
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift())
      tallies.push(await test(batch, 'whole'))
  }
  await Promise.all(Array.from({ length: WORKERS }, work))
  return tallies
}

async function runChecks(outside: boolean): Promise<Tally[]> {
  const install = await check('install', [process.execPath, 'install', '--frozen-lockfile'])
  if (install.failed > 0) return [install]
  const tallies = [
    install,
    await check('types', tool('tsc', '-p', '.'), /error TS\d+/g),
    await check('format', tool('prettier', '--check', '.'), /^\[warn\] .*\.\w+$/gm),
    await check('build', [process.execPath, 'scripts/build.ts']),
    ...(await testAll(planBatches())),
  ]
  if (outside) tallies.push(await test(listTests(OUTSIDE), 'live'))
  else
    console.log(
      'test/outside needs Chromium, LibreOffice and strace: left out; `--outside` runs it too',
    )
  return tallies
}

const tallies = await runChecks(process.argv.includes('--outside'))
const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0)
const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)
