/**
 * `bun run check [--outside [--without-verapdf] | --quick] [--once]`: installs, then types, format,
 * build and tests; ends with the one line `N passed, N failed` over everything. Runs before
 * anything is installed, so it uses nothing but Bun. `test/outside` needs programs (Chromium,
 * LibreOffice, poppler, strace, veraPDF, curl) and runs with `--outside` only; `--quick` builds
 * nothing and runs the folders of `QUICK` alone. The files of up to three failed tests have a
 * second try by themselves, and the end tells which; with `--once` none has.
 */
import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runStep } from './step.ts'
import { type FileReport, readTestReport, type Tally } from './test-report.ts'

const ROOT = join(import.meta.dir, '..')
const OUTSIDE = 'outside'

/** Tests that need no executable and take seconds: those that touch what most changes touch. */
const QUICK: readonly string[] = ['style', 'model', 'kernel', 'server', 'access', 'commands']

/** Tests of the disk itself, and of what outlives a process there: their data is on the disk. */
const ON_DISK: readonly string[] = [OUTSIDE, 'fault', 'binary', 'store']

/**
 * Of a test process: it gives no memory back to the system, which took a seventh of the processor,
 * and ends before it pays to compile its code a third time: a twentieth. Not with the tests
 * of the executable itself, which is to run there as it does elsewhere.
 */
const SHORT_LIVED = { MIMALLOC_PURGE_DELAY: '-1', BUN_JSC_useFTLJIT: '0' }

const MEMORY_DISK = '/dev/shm'
const MEMORY_DISK_BYTES_MIN = 4 * 1024 ** 3

const tool = (...args: string[]): string[] => [process.execPath, 'x', '--no-install', ...args]

/** A step that is one check: each line of complaint that `complaint` finds counts as a failure. */
async function check(name: string, command: string[], complaint?: RegExp): Promise<Tally> {
  const { exitCode, output } = await runStep(name, command, { show: 'whole' })
  if (exitCode === 0) return { passed: 1, failed: 0 }
  const found = complaint ? (output.match(complaint)?.length ?? 0) : 0
  return { passed: 0, failed: Math.max(1, found) }
}

/**
 * Where most tests keep their data: in memory where there is room, as they would wait for the disk
 * longer than they work.
 */
function memoryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_DISK)
    return bavail * bsize < MEMORY_DISK_BYTES_MIN ? tmpdir() : MEMORY_DISK
  } catch {
    return tmpdir()
  }
}

/** Runs files in one process, on the demo that was made for all. */
async function runTests({ isOnDisk, files }: Batch, demo: string): Promise<TestRun> {
  // What tests leave behind goes with it.
  const scratch = mkdtempSync(join(isOnDisk ? tmpdir() : memoryFolder(), 'appengine-check-'))
  const report = join(scratch, 'report.xml')
  try {
    const command = [
      process.execPath,
      'test',
      '--reporter=junit',
      `--reporter-outfile=${report}`,
      ...files.map((file) => `./test/${file}`),
    ]
    const env = { TMPDIR: scratch, TEST_DEMO: demo, ...(!isOnDisk && SHORT_LIVED) }
    const { exitCode } = await runStep(`test ${files.join(' ')}`, command, { show: 'whole', env })
    return { exitCode, reports: readTestReport(report) ?? [] }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** The files of a run that are not good: with a failure, or with no report at its end. */
function listBad({ files }: Batch, { exitCode, reports }: TestRun): string[] {
  const good = reports.filter(({ failed }) => failed === 0).map(({ file }) => file)
  return exitCode === 0 ? [] : files.filter((file) => !good.includes(`test/${file}`))
}

/** A run that ends badly counts at least one failure. */
function tallyRun({ exitCode, reports }: TestRun): Tally {
  const { passed, failed } = sum(reports)
  return { passed, failed: Math.max(failed, exitCode === 0 ? 0 : 1) }
}

/**
 * Runs a batch; few bad files have a second try by themselves, which counts instead: a machine that
 * stood still for seconds is no fault of ours. Either way the end tells what failed.
 */
async function test(batch: Batch, demo: string): Promise<Tally> {
  const first = await runTests(batch, demo)
  const bad = listBad(batch, first)
  if (bad.length === 0) return tallyRun(first)
  if (isOnce || (bad.length > SECOND_TRIES_MAX && first.reports.length > 0)) {
    told.push(...tellFailures('Failed', first.reports, bad))
    return tallyRun(first)
  }
  const second = await runTests({ ...batch, files: bad }, demo)
  const again = listBad({ ...batch, files: bad }, second)
  const mended = bad.filter((file) => !again.includes(file))
  told.push(
    ...tellFailures('Failed once, passed at the second try', first.reports, mended),
    ...tellFailures('Failed twice', second.reports, again),
  )
  const good = first.reports.filter(({ file }) => !bad.some((each) => `test/${each}` === file))
  return sum([sum(good), tallyRun(second)])
}

/** The summary of these files at the end: a line for each, then its failures. */
const tellFailures = (
  heading: string,
  reports: readonly FileReport[],
  files: readonly string[],
): string[] =>
  files.flatMap((file) => {
    const failures = reports.find((report) => report.file === `test/${file}`)?.failures ?? []
    return [`${heading}: test/${file}`, ...failures.map((failure) => `  ${failure.trim()}`)]
  })

/** Test files of one process: each reads the sources and warms up for some two seconds. */
const BATCH_FILES_MAX = 24

/**
 * Processes that test at a time: one more than cores, as they wait for a disk, a page or another
 * process a third of the time. With many more, tests of deadlines miss them.
 */
const WORKERS = Math.min(4, navigator.hardwareConcurrency + 1)

interface Batch {
  /** Paths below `test/`. */
  files: string[]
  isOnDisk: boolean
}

/** How a batch ended; without reports where its process ended before it wrote them. */
interface TestRun {
  exitCode: number
  reports: FileReport[]
}

/**
 * Files of a batch that may be tried once more: of more, the fault is in what is tested. A process
 * that died before it told of any is tried once more whatever it had.
 */
const SECOND_TRIES_MAX = 3

/** True when a test that fails has no second try. */
const isOnce = process.argv.includes('--once')

/** Failed tests, printed again at the end, where readers look first. */
const told: string[] = []

/** Files that need veraPDF, where `--without-verapdf` says that Maven could not get it. */
const VERAPDF_TESTS: readonly string[] = ['outside/claims.test.ts']
const leftOut = process.argv.includes('--without-verapdf') ? VERAPDF_TESTS : []

const listTests = (folder: string): string[] =>
  readdirSync(join(ROOT, 'test', folder), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.test.ts') && !leftOut.includes(`${folder}/${file}`))
    .sort()
    .map((file) => `${folder}/${file}`)

/** The test files of these folders of `test/`: small ones together, large ones cut into batches. */
const planBatches = (folders: readonly string[]): Batch[] =>
  joinSmall(folders).flatMap(({ files, isOnDisk }) => {
    const batches = Math.ceil(files.length / BATCH_FILES_MAX)
    // Every so many files: neighbours by name are often of one weight.
    return Array.from({ length: batches }, (_, batch) => ({
      files: files.filter((_file, at) => at % batches === batch),
      isOnDisk,
    }))
  })

/** The files of each folder, of neighbours together that one process takes. */
function joinSmall(folders: readonly string[]): Batch[] {
  const joined: Batch[] = []
  for (const folder of folders) {
    const [files, isOnDisk] = [listTests(folder), ON_DISK.includes(folder)]
    const last = joined.at(-1)
    if (
      !isOnDisk &&
      last?.isOnDisk === false &&
      last.files.length + files.length <= BATCH_FILES_MAX
    )
      last.files.push(...files)
    else joined.push({ files, isOnDisk })
  }
  return joined
}

/**
 * The folders of these tests: first those whose tests wait for processes and the disk, last those
 * that have the most files.
 */
function orderFolders(isOutside: boolean): string[] {
  const others = readdirSync(join(ROOT, 'test'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !ON_DISK.includes(entry.name))
    .map(({ name }) => name)
    .sort((one, other) => listTests(one).length - listTests(other).length)
  return [...ON_DISK.filter((name) => isOutside || name !== OUTSIDE), ...others]
}

/** One piece of work; `halve` cuts it in two where it is large enough. */
interface Job {
  run(): Promise<Tally>
  halve?(): [Job, Job] | undefined
}

/** Files from which on the last batches are cut, so that no worker waits for a long one. */
const HALVED_FILES_MIN = 4

const testJob = (batch: Batch, demo: string): Job => ({
  run: () => test(batch, demo),
  halve: () => {
    const { files } = batch
    if (files.length < HALVED_FILES_MIN) return undefined
    const middle = Math.ceil(files.length / 2)
    return [
      testJob({ ...batch, files: files.slice(0, middle) }, demo),
      testJob({ ...batch, files: files.slice(middle) }, demo),
    ]
  },
})

/**
 * Does jobs, several at a time: one worker from the first on, the others from the last, so that
 * those that wait go beside those that work. Where as few jobs wait as there are workers, a half
 * of one is taken, and the other half waits.
 */
async function runJobs(jobs: readonly Job[]): Promise<Tally[]> {
  const waiting = [...jobs]
  const tallies: Tally[] = []
  const take = (isFirst: boolean): Job | undefined => {
    const job = isFirst ? waiting.shift() : waiting.pop()
    const halves = waiting.length < WORKERS ? job?.halve?.() : undefined
    if (!halves) return job
    if (isFirst) waiting.unshift(halves[1])
    else waiting.push(halves[1])
    return halves[0]
  }
  const work = async (isFirst: boolean): Promise<void> => {
    for (let job = take(isFirst); job !== undefined; job = take(isFirst))
      tallies.push(await job.run())
  }
  await Promise.all(Array.from({ length: WORKERS }, (_, nth) => work(nth === 0)))
  return tallies
}

const CHECKS = {
  types: () => check('types', tool('tsc', '-p', '.'), /error TS\d+/g),
  // The browser's code has types of its own, made of the OpenAPI document.
  clientTypes: async () => {
    const wire = await check('wire', [process.execPath, 'scripts/wire.ts'])
    return sum([
      wire,
      await check('client types', tool('tsc', '-p', 'src/client/web'), /error TS\d+/g),
      await check('client test types', tool('tsc', '-p', 'test/web'), /error TS\d+/g),
    ])
  },
  // Files that were looked at before and are the same are left out.
  format: () =>
    check(
      'format',
      tool('prettier', '--check', '--cache', '--cache-strategy=content', '.'),
      /^\[warn\] .*\.\w+$/gm,
    ),
  build: () => check('build', [process.execPath, 'scripts/build.ts']),
  // What tests start from.
  demo: (...words: string[]) =>
    check('demo', [process.execPath, 'test/support/save-demo.ts', ...words]),
}

const sum = (tallies: readonly Tally[]): Tally => ({
  passed: tallies.reduce((total, { passed }) => total + passed, 0),
  failed: tallies.reduce((total, { failed }) => total + failed, 0),
})

async function runChecks(words: readonly string[], demo: string): Promise<Tally[]> {
  const install = await check('install', [process.execPath, 'install', '--frozen-lockfile'])
  if (install.failed > 0) return [install]
  const [isQuick, isOutside] = [words.includes('--quick'), words.includes('--outside')]
  const folders = isQuick ? QUICK : orderFolders(isOutside)
  const tests = planBatches(folders).map((batch) => testJob(batch, demo))
  const [types, clientTypes, format] = [CHECKS.types, CHECKS.clientTypes, CHECKS.format].map(
    (run) => ({ run }),
  ) as [Job, Job, Job]
  if (isQuick)
    return [
      install,
      await CHECKS.demo(demo),
      ...(await runJobs([format, types, clientTypes, ...tests])),
    ]
  // Tests of the executable take the one that is built here, and the demo that it makes. Types are
  // read beside it, on every core; the format, by one process, goes beside tests.
  const build = async (): Promise<Tally> =>
    sum([await CHECKS.build(), await CHECKS.demo(demo, '--served')])
  const first = await runJobs([{ run: build }, types])
  return [install, ...first, ...(await runJobs([...tests, format, clientTypes]))]
}

/** The tests that these words leave out. */
function tellLeftOut(words: readonly string[]): string {
  if (leftOut.length > 0) return `${leftOut.join(', ')} left out: there is no veraPDF here`
  if (words.includes('--quick')) return `only test/{${QUICK.join(',')}} ran, and no build`
  const programs = 'Chromium, LibreOffice, poppler, strace, veraPDF and curl'
  return `test/outside left out: it needs ${programs} (--outside)`
}

/** True where any test is left out. */
const isPartial = (words: readonly string[]): boolean =>
  !words.includes('--outside') || leftOut.length > 0

const words = process.argv.slice(2)
const demo = mkdtempSync(join(memoryFolder(), 'appengine-demo-'))
const tallies = await runChecks(words, demo).finally(() =>
  rmSync(demo, { recursive: true, force: true }),
)
for (const line of told) console.log(line)
if (isPartial(words)) console.log(tellLeftOut(words))
const { passed, failed } = sum(tallies)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)
