/**
 * `bun run verify [--rounds N] [--seed S] [--only PART] [--executable FILE]`: what happens to
 * acknowledged writes when the process, the disk or the files fail. Builds the executable unless
 * one is named. Exit code 1 when something was lost, half there, or needed help.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Random } from '../data/demo/random.ts'
import { buildExecutable } from './build.ts'
import { type Part, PARTS } from './verify/parts.ts'
import { ServerProcess } from './verify/process.ts'
import type { Bench } from './verify/report.ts'

const FAULTS_SHOWN = 20

async function runPart(name: string, part: Part, bench: Bench): Promise<number> {
  const startedAt = performance.now()
  mkdirSync(bench.home)
  const { figures, faults } = await part.run(bench)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  console.log(`${name.padEnd(12)} ${figures} (${seconds} s)`)
  for (const fault of faults.slice(0, FAULTS_SHOWN)) console.log(`  ${fault.slice(0, 500)}`)
  if (faults.length > FAULTS_SHOWN) console.log(`  and ${faults.length - FAULTS_SHOWN} more`)
  return faults.length
}

/** A data folder as a first start with the demo leaves it. */
async function makeDemo(executable: string, folder: string): Promise<string> {
  const server = new ServerProcess([executable], folder, ['--demo'])
  await server.listening
  await server.stop()
  return folder
}

async function verify(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '200' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      only: { type: 'string', multiple: true, default: Object.keys(PARTS) },
      executable: { type: 'string' },
    },
  })
  const [rounds, seed] = [Number(values.rounds), Number(values.seed)]
  const executable = values.executable ?? (await buildExecutable())
  const home = mkdtempSync(join(tmpdir(), 'appengine-verify-'))
  let faults = 0
  try {
    const demo = await makeDemo(executable, join(home, 'demo'))
    for (const name of values.only) {
      const part = PARTS[name]
      if (part === undefined) throw new Error(`No part ${name}: ${Object.keys(PARTS).join(' ')}`)
      const bench = { executable, demo, home: join(home, name), random: new Random(seed) }
      faults += await runPart(name, part, {
        ...bench,
        rounds: Math.max(1, Math.round(rounds * part.share)),
      })
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
  console.log(`seed ${seed}, ${rounds} rounds: ${faults} faults`)
  return faults > 0 ? 1 : 0
}

process.exit(await verify())
