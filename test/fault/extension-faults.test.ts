/** Scripts that run away, crash or lie: their process ends, their caller is told, nobody harmed. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { yieldNow } from '../../src/kernel/yielder.ts'
import { type Extended, startExtended, whileHasty } from '../support/extensions.ts'
import { data, refusal } from '../support/objects.ts'

const ATTACKS: Readonly<Record<string, { run: string; told: string }>> = {
  Spin: { run: 'while (true) {}', told: 'longer than 1.5 seconds' },
  Never: { run: 'return new Promise(() => {})', told: 'longer than 1.5 seconds' },
  Sleepless: {
    run: 'signal.addEventListener("abort", () => {}); return new Promise(() => {})',
    told: 'longer than 1.5 seconds',
  },
  Eat: {
    run: 'const all = []; for (let i = 0; i < 10_000; i++) all.push(new Uint8Array(1 << 20).fill(1)); return all.length',
    told: 'over 200 MB',
  },
  Strings: {
    run: 'const all = []; while (true) { all.push("x".repeat(1000) + all.length) }',
    told: 'over 200 MB',
  },
  Exit: { run: 'process.exit(0)', told: 'exited unexpectedly' },
  Kill: {
    run: 'process.kill(process.pid, "SIGKILL"); return new Promise(() => {})',
    told: 'exited unexpectedly',
  },
  Reject: {
    run: 'Promise.reject(new Error("lost")); return new Promise(() => {})',
    told: "'Reject' failed: lost",
  },
  Timer: {
    run: 'setTimeout(() => { throw new Error("late") }, 10); return new Promise(() => {})',
    told: "'Timer' failed: late",
  },
  Deep: { run: 'const f = (): number => 1 + f(); return f()', told: 'See the server log' },
  Circle: { run: 'const a: { a?: unknown } = {}; a.a = a; return a', told: 'See the server log' },
  Lie: {
    run: 'process.send?.({ body: { result: "no JSON" } }); return new Promise(() => {})',
    told: 'exited unexpectedly',
  },
  Noise: {
    run: 'process.send?.({ body: { what: 1 } }); return new Promise(() => {})',
    told: 'exited unexpectedly',
  },
  Flood: { run: 'for (;;) process.send?.({ body: { log: "x" } })', told: 'exited unexpectedly' },
  Offspring: {
    run: 'Bun.spawn(["sleep", "600"], { stderr: "inherit" }); process.exit(1)',
    told: 'exited unexpectedly',
  },
  Queries: { run: 'for (;;) await query("SELECT 1 AS One")', told: 'longer than 1.5 seconds' },
}

const names = Object.keys(ATTACKS)

const FILE = `import type { Engine } from './appengine.d.ts'
export default (engine: Engine) => {
  engine.script({ Name: 'Good', Resource: 'Reports', run: () => 'good' })
${names
  .map(
    (name) => `  engine.script({
    Name: '${name}',
    Resource: 'Reports',
    run: async ({ query, signal }) => { void query; void signal; ${ATTACKS[name]?.run} },
  })`,
  )
  .join('\n')}
}
`

let world: Extended
beforeAll(async () => {
  world = await startExtended({ 'attacks.ts': FILE }, { 'Svc:Scripts:MaxMemory': '200MB' })
  data(await world.execute('run', 'Good'))
})
afterAll(() => world[Symbol.asyncDispose]())

test.each(names)('%s', async (name) => {
  let isOver = false
  const run = () => world.execute('run', name).finally(() => (isOver = true))
  const running = ATTACKS[name]?.told.startsWith('longer') ? whileHasty(world, 1500, run) : run()
  // Others are answered all the while.
  let answered = 0
  for (; !isOver; answered++) {
    await world.table('run', 'Notes')
    await yieldNow()
  }
  expect(answered).toBeGreaterThan(1)
  const refused = await running
  expect(refusal(refused, 400).error).toContain(ATTACKS[name]?.told ?? '')
  expect(data(await world.execute('run', 'Good')).Result).toBe('good')
})
