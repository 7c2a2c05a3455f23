/** `kill -9` during the first start: the next one finds its way by itself. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { inspectFolder, readDatabase } from './database.ts'
import { ServerProcess } from './process.ts'
import { type Bench, printFigures, type Report } from './report.ts'

const ARGS = ['--demo']

/** Files are made in the first part of a start; most of the rest is the hashing of passwords. */
const EARLY = 0.25

/** About what a first start takes, until one was made. */
const WHOLE_MS = 1500

/**
 * Rows written beside the first requests, which a stop may come before: the index of the global
 * search, recurring jobs, the notes of both, and how far numbers have come.
 */
const BESIDE = /^(?:svc_search.*|svc_recurring|svc_facts|sqlite_sequence)$/

/** Kills the start on an empty folder at a random moment; the next must leave what one does. */
export async function verifyFirstStarts(bench: Bench): Promise<Report> {
  const launch = (folder: string): ServerProcess =>
    new ServerProcess([bench.executable], folder, ARGS)
  const expected = countRows(bench.demo)
  let wholeMs = WHOLE_MS
  const figures = { rounds: 0, 'killed before a file was there': 0, restarts: 0 }
  const faults: string[] = []
  for (let round = 1; round <= bench.rounds; round++) {
    const folder = join(bench.home, String(round))
    mkdirSync(folder)
    const server = launch(folder)
    const share = bench.random.chance(0.5) ? EARLY : 1
    await Bun.sleep(bench.random.next() * wholeMs * share)
    await server.kill()
    if (!existsSync(join(folder, 'engine.db'))) figures['killed before a file was there']++
    try {
      const startedAt = performance.now()
      const counted = await startAndCount(launch, folder)
      wholeMs = performance.now() - startedAt
      figures.restarts++
      const others = listOthers(counted, expected)
      if (others.length > 0) faults.push(`round ${round}: ${others.join(', ')}`)
      faults.push(...inspectFolder(folder).map((fault) => `round ${round}: ${fault}`))
    } catch (error) {
      faults.push(`round ${round}: ${String(error)}`)
    }
    figures.rounds++
  }
  return { figures: printFigures(figures), faults }
}

/** Tables that have another number of rows than they should. */
function listOthers(counted: string, expected: string): string[] {
  const wanted = new Set(expected.split(', '))
  const given = new Set(counted.split(', '))
  return [
    ...[...given.difference(wanted)].map((each) => `${each} rows`),
    ...[...wanted.difference(given)].map((each) => `instead of ${each}`),
  ]
}

/** Starts a server, stops it, and counts the rows of every table that it left. */
async function startAndCount(
  launch: (folder: string) => ServerProcess,
  folder: string,
): Promise<string> {
  const server = launch(folder)
  try {
    await server.listening
    const exitCode = await server.stop()
    if (exitCode !== 0) throw new Error(`SIGTERM: exit code ${exitCode}`)
  } finally {
    await server.kill()
  }
  return countRows(folder)
}

function countRows(folder: string): string {
  return readDatabase(folder, 'engine', (database) => {
    const tables = database
      .query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .values()
      .map(([name]) => String(name))
      .filter((name) => !BESIDE.test(name))
    return tables
      .map((name) => `${name} ${database.query(`SELECT count(*) FROM "${name}"`).values()}`)
      .join(', ')
  })
}
