/**
 * `bun run check:loaded [--times 3] [--processes 8] [--outside]`: the whole check, again and again,
 * beside processes that keep the machine busy: a test that goes by the clock falls there, and has
 * no second try. Each run adds a line to `data/local/check-beside-load.tsv`, so that more can
 * follow: when it ended, the commit, how many processes ran beside it, passed, failed, seconds.
 * Exit code 1 when one failed.
 */
import { appendFileSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { runStep } from './step.ts'

const ROOT = join(import.meta.dir, '..')
const RESULTS = join(ROOT, 'data/local/check-beside-load.tsv')
const HEAD = 'ended\tcommit\tprocesses\tpassed\tfailed\tseconds\n'

/** Works for some milliseconds, then rests for as many, as other programs of a machine do. */
const BUSY = `for (;;) {
  const until = performance.now() + 20
  while (performance.now() < until) Math.sqrt(until)
  Bun.sleepSync(20)
}`

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '3' },
    processes: { type: 'string', default: '8' },
    outside: { type: 'boolean', default: false },
  },
})
const [times, processes] = [Number(values.times), Number(values.processes)]
if (![times, processes].every((each) => Number.isSafeInteger(each) && each > 0))
  throw new Error('--times and --processes take whole numbers from 1 on')

const commitOf = (): string =>
  Bun.spawnSync(['git', 'rev-parse', '--short', 'HEAD'], { cwd: ROOT }).stdout.toString().trim()

/** Adds the line of one run; true where nothing failed. */
function addResult(output: string, seconds: number): boolean {
  const [, passed = '0', failed = '1'] = /^(\d+) passed, (\d+) failed$/m.exec(output) ?? []
  mkdirSync(dirname(RESULTS), { recursive: true })
  if (!existsSync(RESULTS)) appendFileSync(RESULTS, HEAD)
  const ended = new Date().toISOString()
  const facts = [ended, commitOf(), processes, passed, failed, seconds.toFixed(0)]
  appendFileSync(RESULTS, `${facts.join('\t')}\n`)
  return failed === '0'
}

const beside = Array.from({ length: processes }, () =>
  Bun.spawn([process.execPath, '-e', BUSY], { stdio: ['ignore', 'ignore', 'inherit'] }),
)
let isGreen = true
try {
  for (let run = 1; run <= times; run++) {
    const startedAt = performance.now()
    const words = ['--once', ...(values.outside ? ['--outside'] : [])]
    const command = [process.execPath, join(import.meta.dir, 'check.ts'), ...words]
    const { output } = await runStep(`check ${run} of ${times} beside ${processes}`, command)
    isGreen = addResult(output, (performance.now() - startedAt) / 1000) && isGreen
  }
} finally {
  for (const process of beside) process.kill()
}
process.exit(isGreen ? 0 : 1)
