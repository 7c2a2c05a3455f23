/** Loss of power: the disk as it may be left, at any moment from the first start on. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Api } from './api.ts'
import { CrashDisk } from './crash-disk.ts'
import { inspectFolder, readDatabase } from './database.ts'
import { type DiskEvent, planRecording, readDiskLog } from './disk-log.ts'
import { OrderLoad } from './orders.ts'
import { runToEnd, ServerProcess } from './process.ts'
import { type Bench, printFigures, type Report } from './report.ts'
import { findObstacle } from './strace.ts'
import { openTrader } from './traders.ts'

const ARGS = ['--demo', '--Svc:Tokens:AccessLifetime=24h']
const LOADS = 3
/** Acknowledged writes of each of the two servers that are recorded. */
const WRITES = 60
const UPLOADS = 4
/** Every so many images `check` looks at them too. */
const CHECKED_EVERY = 5

/** A file that the server acknowledged, by its place in the data folder. */
interface AckedFile {
  place: string
  at: number
  sha256: string
}

/** The record: the disk's events, and the writes acknowledged meanwhile. */
interface Recording {
  events: DiskEvent[]
  loads: OrderLoad[]
  files: AckedFile[]
}

/**
 * Records a first start with work, a `kill -9`, a second start with work and its stop; then starts
 * the executable on images of the disk: each opens, is whole and has all that was acknowledged.
 */
export async function verifyPowerLosses(bench: Bench): Promise<Report> {
  const obstacle = findObstacle()
  if (obstacle !== undefined) return { figures: obstacle, faults: [] }
  const folder = join(bench.home, 'disk', 'data')
  mkdirSync(dirname(folder))
  const recording = await record(bench, folder)
  const faults = compareLive(recording.events, folder, join(bench.home, 'live'))
  const figures = { events: recording.events.length, images: 0, opened: 0, acked: 0 }
  figures.acked = recording.loads.reduce((sum, { acked }) => sum + acked.length, 0)
  const disk = new CrashDisk(folder)
  let taken = 0
  for (const cut of planCuts(recording.events, bench)) {
    for (; taken < cut; taken++) takeEvent(disk, recording.events[taken])
    const image = join(bench.home, 'image')
    const told = disk.writeImage(image, bench.random)
    const found = await tryImage(bench, image, {
      recording,
      at: recording.events[cut]?.at ?? Infinity,
      isChecked: figures.images % CHECKED_EVERY === 0,
    })
    figures.images++
    if (found.length === 0) figures.opened++
    faults.push(...found.map((fault) => `before event ${cut} (${told}): ${fault}`))
  }
  return { figures: printFigures(figures), faults }
}

const takeEvent = (disk: CrashDisk, event: DiskEvent | undefined): void => {
  if (event !== undefined) disk.take(event)
}

async function record(bench: Bench, folder: string): Promise<Recording> {
  const loads: OrderLoad[] = []
  const files: AckedFile[] = []
  const events: DiskEvent[] = []
  for (const [at, end] of (['kill', 'stop'] as const).entries()) {
    const log = join(bench.home, `disk-${at}.log`)
    const command = [...planRecording(log), bench.executable]
    const server = new ServerProcess(command, folder, ARGS)
    try {
      const api = new Api(await server.listening)
      const trader = await openTrader(api, 'ana')
      const work = Array.from(
        { length: LOADS },
        (_, each) => new OrderLoad({ api, trader, random: bench.random, prefix: `p${at}.${each}` }),
      )
      loads.push(...work)
      const isOver = (): boolean => work.every(({ acked }) => acked.length >= WRITES / LOADS)
      await Promise.all([
        ...work.map((load) => load.work(isOver)),
        addFiles(api, trader.token, files),
      ])
    } finally {
      if (end === 'kill') await server.kill()
      else await server.stop()
    }
    events.push(...(await readDiskLog(log, folder)))
    rmSync(log)
  }
  return { events, loads, files }
}

/** Uploads and exports, with what is acknowledged of them. */
async function addFiles(api: Api, token: string, files: AckedFile[]): Promise<void> {
  for (let at = 0; at < UPLOADS; at++) {
    const bytes = `upload ${at} `.repeat(1000 * (at + 1))
    const form = new FormData()
    form.append('objectName', 'orders')
    form.append('fieldName', 'Documents')
    form.append('file', new File([bytes], 'a.txt'))
    const headers = { Authorization: `Bearer ${token}` }
    const path = '/api/v1/svc/object/upload'
    const answer = await fetch(api.url + path, { method: 'POST', headers, body: form })
    const { data } = (await answer.json()) as { data?: { UploadKey: string }[] }
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const key = data?.[0]?.UploadKey
    if (key === undefined) throw new Error(`An upload was answered with ${answer.status}`)
    files.push({ place: join('files', key), at: Date.now() + 1, sha256 })
    const request = { ObjectName: 'orders', Format: 'csv' }
    const exported = await api.send<{ File: { FileName: string; Url: string; Sha256: string } }>(
      '/api/v1/svc/object/export-data',
      request,
      { token },
    )
    if (exported.status !== 200) throw new Error(JSON.stringify(exported.body))
    const { Url, Sha256 } = exported.body.data.File
    const name = Url.slice(Url.lastIndexOf('/') + 1)
    files.push({ place: join('exports', name), at: Date.now() + 1, sha256: Sha256 })
  }
}

/** Checks that the record gives the very files that are there: images prove nothing otherwise. */
function compareLive(events: readonly DiskEvent[], folder: string, target: string): string[] {
  const disk = new CrashDisk(folder)
  for (const event of events) disk.take(event)
  disk.writeLive(target)
  const list = (at: string): string[] =>
    readdirSync(at, { recursive: true })
      .map(String)
      .filter((name) => statSync(join(at, name)).isFile() && !name.endsWith('-shm'))
      .sort()
  const [real, replayed] = [list(folder), list(target)]
  if (!Bun.deepEquals(real, replayed))
    return [`what was recorded gives other files: ${replayed.join()} for ${real.join()}`]
  return real
    .filter((name) => !readFileSync(join(folder, name)).equals(readFileSync(join(target, name))))
    .map((name) => `what was recorded gives another ${name}`)
}

/** Where the power goes: anywhere, and as often around syncs and changes of names. */
function planCuts(events: readonly DiskEvent[], { rounds, random }: Bench): number[] {
  const near = events.flatMap(({ do: what }, at) =>
    what === 'write' || what === 'resize' ? [] : [at, at + 1],
  )
  return Array.from({ length: rounds }, () =>
    random.chance(0.5)
      ? random.int(0, events.length)
      : (near[random.int(0, Math.max(0, near.length - 1))] ?? 0),
  ).sort((a, b) => a - b)
}

async function tryImage(
  { executable }: Bench,
  image: string,
  { recording, at, isChecked }: { recording: Recording; at: number; isChecked: boolean },
): Promise<string[]> {
  const server = new ServerProcess([executable], image, ARGS)
  try {
    await server.listening
  } catch (error) {
    return [String(error)]
  } finally {
    await server.kill()
  }
  const faults = inspectImage(image)
  for (const load of recording.loads) faults.push(...load.checkImage(image, at))
  for (const file of recording.files)
    if (file.at <= at && !isWhole(join(image, file.place), file.sha256))
      faults.push(`${file.place} was acknowledged and is not there as it was`)
  if (!isChecked) return faults
  const { exitCode, stderr } = await runToEnd([executable, 'check', '--data', image])
  return exitCode === 0 ? faults : [...faults, `check says: ${stderr}`]
}

function isWhole(path: string, sha256: string): boolean {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex') === sha256
  } catch {
    return false
  }
}

/** Uploads and exports may lie there: rows and files that name each other are what counts. */
function inspectImage(image: string): string[] {
  const faults = inspectFolder(image).filter(
    (fault) => !/^(?:files|exports|uploads) was left/.test(fault),
  )
  const named = readDatabase(image, 'engine', (database) =>
    database.query('SELECT Key, Sha256 FROM svc_uploads').values(),
  )
  for (const [key, sha256] of named)
    if (!isWhole(join(image, 'files', String(key)), String(sha256)))
      faults.push(`files/${String(key)} is named and is not there as it was`)
  return faults
}
