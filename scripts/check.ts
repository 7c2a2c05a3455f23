/**
 * `bun run check [--outside]`: installs, then types, format, build and tests; ends with the one
 * line `N passed, N failed` over everything. Runs before anything is installed, so it uses nothing
 * but Bun. `test/outside` needs programs of the machine (Chromium) and runs with `--outside` only.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runStep } from './step.ts'

const ROOT = join(import.meta.dir, '..')
const OUTSIDE = 'outside'

/** A test that hangs is ended; none is judged by its time. */
const TEST_TIMEOUT_MS = 120_000

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

/** Runs the tests of these folders. A run that ends badly counts at least one failure. */
async function test(folders: readonly string[]): Promise<Tally> {
  const scratch = mkdtempSync(join(tmpdir(), 'appengine-check-'))
  const report = join(scratch, 'report.xml')
  try {
    const { exitCode } = await runStep(`test ${folders.join(' ')}`, [
      process.execPath,
      'test',
      '--reporter=junit',
      `--reporter-outfile=${report}`,
      `--timeout=${TEST_TIMEOUT_MS}`,
      ...folders.map((folder) => `./test/${folder}/`),
    ])
    const totals = readTotals(report) ?? { passed: 0, failed: 1 }
    return exitCode !== 0 && totals.failed === 0 ? { ...totals, failed: 1 } : totals
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Folders of `test/` that hold tests, `outside` left out. */
const testFolders = (): string[] =>
  readdirSync(join(ROOT, 'test'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== OUTSIDE)
    .filter((entry) =>
      readdirSync(join(ROOT, 'test', entry.name)).some((file) => file.endsWith('.test.ts')),
    )
    .map((entry) => entry.name)

async function runChecks(outside: boolean): Promise<Tally[]> {
  const install = await check('install', [process.execPath, 'install', '--frozen-lockfile'])
  if (install.failed > 0) return [install]
  const tallies = [
    install,
    await check('types', tool('tsc', '-p', '.'), /error TS\d+/g),
    await check('format', tool('prettier', '--check', '.'), /^\[warn\] .*\.\w+$/gm),
    await check('build', [process.execPath, 'scripts/build.ts']),
    await test(testFolders()),
  ]
  if (outside) tallies.push(await test([OUTSIDE]))
  else console.log('test/outside needs Chromium and was left out; `--outside` runs it too')
  return tallies
}

const tallies = await runChecks(process.argv.includes('--outside'))
const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0)
const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)
