/**
 * Answers of `/health/ready`, and of changes, while a server's files are gone, replaced, damaged or
 * refused by the disk: the truth within five seconds, and that all is well again within five more.
 */
import { Database } from 'bun:sqlite'
import {
  closeSync,
  cpSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { Api } from './api.ts'
import { runToEnd, ServerProcess } from './process.ts'
import { type Bench, printFigures, type Report } from './report.ts'
import { SmallDisk } from './small-disk.ts'
import { attachFaults, findObstacle } from './strace.ts'

const TRUTH_MS = 5000
const ASKED_EACH_MS = 100
const DATABASES = ['engine.db', 'engine.db-wal', 'state.db', 'state.db-wal']
/** Files above this size are read through behind the start. */
const LARGE_BYTES = 72 * 1024 * 1024
const USER = { UserName: 'ana', Password: 'ana-demo-password' }
const ORDER = { FormName: 'orders', Parameters: { CustomerId: 1, Reference: 'readiness' } }

/** A server on a folder, and what is found out about it. */
interface Trial {
  bench: Bench
  folder: string
  server: ServerProcess
  api: Api
  token: string
  faults: string[]
}

/** Makes a fault; what it gives ends it. */
type Fault = (trial: Trial) => End | Promise<End>
type End = () => void | PromiseLike<void>

/** Work that a fault prevents besides readiness. */
interface Kind {
  make: Fault
  refuses: readonly ('submit' | 'login')[]
}

/** The same file with other bytes: it is not cut in between. */
function overwrite(file: string, bytes: Uint8Array): void {
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, bytes)
  ftruncateSync(descriptor, bytes.length)
  closeSync(descriptor)
}

const inject =
  (call: string): Fault =>
  async ({ bench, folder, server }) => {
    const files = DATABASES.map((name) => join(folder, name))
    const log = join(bench.home, 'strace.log')
    const tracing = await attachFaults(server.pid, [{ call, when: '1+1' }], { files, log })
    return () => tracing[Symbol.asyncDispose]()
  }

const KINDS: Readonly<Record<string, Kind>> = {
  'the folder is gone': {
    refuses: ['submit', 'login'],
    make: ({ folder }) => {
      renameSync(folder, `${folder}.away`)
      return () => {
        // Work in the background may have created it again.
        rmSync(folder, { recursive: true, force: true })
        renameSync(`${folder}.away`, folder)
      }
    },
  },
  'another file is in its place': {
    refuses: ['submit'],
    make: ({ folder }) => {
      const file = join(folder, 'engine.db')
      renameSync(file, `${file}.away`)
      cpSync(`${file}.away`, file)
      return () => renameSync(`${file}.away`, file)
    },
  },
  'its pages are noise': {
    refuses: [],
    make: ({ folder }) => {
      const file = join(folder, 'engine.db')
      const bytes = readFileSync(file)
      overwrite(
        file,
        Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0x5a)]),
      )
      return () => overwrite(file, bytes)
    },
  },
  'reads fail': { refuses: [], make: inject('pread64') },
  'writes fail': { refuses: ['submit', 'login'], make: inject('pwrite64') },
  'syncs fail': { refuses: ['submit', 'login'], make: inject('fsync') },
}

/** Each kind of fault, under one server; then a full disk, a lock that is gone, a large file. */
export async function verifyReadiness(bench: Bench): Promise<Report> {
  const figures = { rounds: 0, faults: 0, 'times told': 0, 'times well again': 0 }
  const faults: string[] = []
  const kinds = Object.entries(KINDS).filter(
    ([name]) => !name.endsWith('fail') || findObstacle() === undefined,
  )
  for (let round = 1; round <= bench.rounds; round++) {
    const folder = join(bench.home, `data${round}`)
    await withServer({ bench, folder, faults }, async (trial) => {
      for (const [name, { make, refuses }] of kinds) {
        figures.faults++
        const end = await make(trial)
        if (await becomes(trial, 503, name)) figures['times told']++
        await requireRefused(trial, name, refuses)
        await end()
        if (await becomes(trial, 200, name)) figures['times well again']++
      }
      await tryLock(trial)
    })
    await tryFullDisk(bench, faults)
    await tryLargeFile(bench, folder, faults)
    figures.rounds++
  }
  return { figures: printFigures(figures), faults }
}

async function withServer(
  {
    bench,
    folder,
    faults,
    command = [],
  }: Pick<Trial, 'bench' | 'folder' | 'faults'> & {
    command?: string[]
  },
  work: (trial: Trial) => Promise<void>,
): Promise<void> {
  const server = new ServerProcess([...command, bench.executable], folder, ['--demo'])
  try {
    const api = new Api(await server.listening)
    const { AccessToken: token } = await api.signIn(USER.UserName, USER.Password)
    await work({ bench, folder, server, api, token, faults })
  } finally {
    await server.kill()
  }
}

/** True when readiness comes to this status in time. */
async function becomes({ api, faults, server }: Trial, wanted: number, name: string) {
  const giveUpAt = performance.now() + TRUTH_MS
  let told = ''
  while (performance.now() < giveUpAt) {
    const { status, body } = await api.send('/health/ready', undefined)
    if (status === wanted && !isReading(body)) return true
    told = `${status} ${JSON.stringify(body)}`
    await Bun.sleep(ASKED_EACH_MS)
  }
  faults.push(`${name}: readiness is not ${wanted} but ${told}; ${server.errors.slice(-300)}`)
  return false
}

/** True when it is not ready yet, in place of no more: extensions are read behind the start. */
const isReading = (body: unknown): boolean =>
  /Extensions are still loading/.test(JSON.stringify(body))

const isRefusal = ({ status, headers }: Response): boolean =>
  status === 503 && Number(headers.get('Retry-After')) > 0

async function requireRefused(
  { api, token, faults }: Trial,
  name: string,
  refuses: Kind['refuses'],
): Promise<void> {
  for (const [what, path, body] of [
    ['submit', '/api/v1/svc/object/submit', ORDER],
    ['login', '/api/v1/auth/login', USER],
  ] as const) {
    if (!refuses.includes(what)) continue
    const answer = await fetch(api.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
    if (!isRefusal(answer)) faults.push(`${name}: ${what} is ${answer.status}`)
  }
}

/** A server whose lock was removed keeps others out, and has its lock again. */
async function tryLock({ bench, folder, api, faults }: Trial): Promise<void> {
  rmSync(join(folder, 'lock.db'))
  const words = ['serve', '--port', '0', '--data', folder]
  const { exitCode, stderr } = await runToEnd([bench.executable, ...words], 4 * TRUTH_MS)
  if (exitCode !== 1 || !stderr.includes('Another process already uses'))
    faults.push(`a second server without a lock: ${exitCode} ${stderr}`)
  await Bun.sleep(TRUTH_MS / 2)
  if (!existsSync(join(folder, 'lock.db'))) faults.push('the lock did not come back')
  const { status } = await api.send('/health/ready', undefined)
  if (status !== 200) faults.push(`with its lock again readiness is ${status}`)
}

async function tryFullDisk(bench: Bench, faults: string[]): Promise<void> {
  const disk = await SmallDisk.mount(join(bench.home, `disk${faults.length}-${Date.now()}`))
  if (disk === undefined) return
  try {
    const folder = join(disk.path, 'data')
    await withServer({ bench, folder, faults, command: disk.command }, async (trial) => {
      disk.fill(bench.random)
      await becomes(trial, 503, 'a full disk')
      await requireRefused(trial, 'a full disk', ['submit', 'login'])
      const rows = await trial.api.loadRows(trial.token, 'orders', { PageSize: 5 })
      if (rows.length === 0) faults.push('a full disk: no rows are read')
      disk.free()
      await becomes(trial, 200, 'a full disk')
    })
  } finally {
    disk.end()
  }
}

/** A damaged page of a file that is too large to be read before the start. */
async function tryLargeFile(bench: Bench, folder: string, faults: string[]): Promise<void> {
  const file = join(folder, 'engine.db')
  const database = new Database(file)
  const blob = new Uint8Array(1024 * 1024)
  const insert = database.query('INSERT INTO svc_facts (Name, Value) VALUES (?, ?)')
  for (let at = 0; at * blob.length < LARGE_BYTES; at++) insert.run(`bulk ${at}`, blob)
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  const bytes = readFileSync(file)
  bytes.fill(0x5a, bytes.length - 8192, bytes.length - 4096)
  writeFileSync(file, bytes)
  await withServer({ bench, folder, faults }, async (trial) => {
    await becomes(trial, 503, 'a large file with a damaged page')
    await requireRefused(trial, 'a large file with a damaged page', ['submit'])
  })
  const { exitCode, stderr } = await runToEnd([bench.executable, 'check', '--data', folder])
  if (exitCode !== 1 || !stderr.includes(file)) faults.push(`check: ${exitCode} ${stderr}`)
}
