/** Reports that take long: they go on as jobs, whose file is kept, also without their client. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { tooMany } from '../../../src/kernel/failure.ts'
import { plain } from '../../../src/kernel/messages.ts'
import type { MadeFileRow } from '../../../src/engine/files/generated-files.ts'
import {
  awaitWork,
  ReportWork,
  takeWork,
} from '../../../src/features/printed-reports/handed-over.ts'
import { type PrintedRecords, startPrintedRecords } from '../../support/printed-records.ts'
import { until } from '../../support/until.ts'

let gallery: PrintedRecords
beforeAll(async () => {
  const settings = { 'Svc:PrintedReports:JobAfter': '1ms', 'Svc:Jobs:RetryDelay': '1ms' }
  gallery = await startPrintedRecords({ settings })
})
afterAll(() => gallery[Symbol.asyncDispose]())

const list = (sql: string) => gallery.app.store.all({ sql, args: {}, runs: 'inline' })
const listJobs = () => list('SELECT * FROM svc_jobs ORDER BY Id')
const listFiles = () =>
  gallery.app.state.all({ sql: 'SELECT * FROM svc_exports', args: {}, runs: 'inline' })

/** Asks for a printed list as a client that may go away. */
function ask(signal?: AbortSignal): Promise<Response> {
  const headers = { Authorization: `Bearer ${gallery.app.tokens['clerk']}` }
  const url = 'http://127.0.0.1/report/list?object=bills&format=pdf'
  return gallery.app.handle(new Request(url, { headers, ...(signal && { signal }) }))
}

async function runJobs(): Promise<void> {
  const { jobs } = gallery.app.context
  await jobs.start()
  await until(async () => (await listJobs()).every(({ State }) => State === 'Succeeded'))
  await jobs.stop()
}

const fetchTold = async (): Promise<string> => {
  const [notice] = await list('SELECT * FROM svc_notifications ORDER BY Id DESC LIMIT 1')
  expect(notice).toMatchObject({ Kind: 'Report', Level: 'success' })
  const file = await gallery.app.fetch(String(notice?.['Url']), { as: 'clerk' })
  expect(file.headers.get('content-type')).toBe('application/pdf')
  return file.text.slice(0, 5)
}

test('a client that goes away finds the file where the notification says, made once', async () => {
  const client = new AbortController()
  const asked = ask(client.signal)
  await until(async () => (await listJobs()).length === 1)
  client.abort()
  expect((await asked).status).toBe(503)
  await runJobs()
  expect(await fetchTold()).toBe('%PDF-')
  expect(await listFiles()).toHaveLength(1)
})

test('a client that waits has the file as ever, and it is kept', async () => {
  const answer = await ask()
  expect(answer.status).toBe(200)
  expect((await answer.text()).slice(0, 5)).toBe('%PDF-')
  await runJobs()
  expect(await listFiles()).toHaveLength(2)
  expect(await fetchTold()).toBe('%PDF-')
})

test('a job whose process has ended makes the file anew', async () => {
  await ask()
  const lost = `UPDATE svc_jobs SET Arguments = json_set(Arguments, '$.Work', 'of another process')
    WHERE State = 'Enqueued'`
  await gallery.app.store.write((tx) => tx.run(lost), { company: 'all', because: 'a test' })
  await runJobs()
  expect(await listFiles()).toHaveLength(4)
  const [job] = (await listJobs()).slice(-1)
  const made = { File: expect.stringMatching(/pdf$/), FileName: expect.stringMatching(/pdf$/) }
  expect(JSON.parse(String(job?.['Result']))).toEqual(made)
})

describe('a work', () => {
  const ROW = { Name: 'a-file', ShownName: 'A file.pdf' } as MadeFileRow

  function begin() {
    const client = new AbortController()
    const made = Promise.withResolvers<MadeFileRow>()
    let stopped: AbortSignal | undefined
    const work = new ReportWork('A report', (signal, onProgress) => {
      stopped = signal
      onProgress(10, 'pages')
      signal.addEventListener('abort', () => made.reject(new Error('stopped')))
      return made.promise
    })
    const wait = (afterMs: number, enqueue: (name: string) => Promise<unknown>) =>
      awaitWork(work, { app: gallery.app.context, signal: client.signal, afterMs, enqueue })
    return { client, made, work, wait, isStopped: () => stopped?.aborted }
  }

  test('ends with its client until it is a job, and tells how far it is', async () => {
    const { client, wait, work, isStopped } = begin()
    const told: unknown[] = []
    work.follow((progress) => told.push(progress))
    expect(told).toEqual([{ done: 10, of: 'pages' }])
    const waiting = wait(3_600_000, () => Promise.reject(new Error('It came to no job')))
    client.abort()
    expect(isStopped()).toBe(true)
    await expect(waiting).rejects.toThrow('stopped')
  })

  test('goes on without its client once it is one', async () => {
    const { client, made, wait, work, isStopped } = begin()
    const named = Promise.withResolvers<string>()
    const waiting = wait(0, async (name) => named.resolve(name))
    const name = await named.promise
    client.abort()
    expect(isStopped()).toBe(false)
    expect(takeWork(gallery.app.context, name)).toBe(work)
    expect(takeWork(gallery.app.context, name)).toBeUndefined()
    made.resolve(ROW)
    expect(await waiting).toEqual({ row: ROW, isKept: true })
  })

  test('stays with its client where its user has too many jobs', async () => {
    const { client, wait, isStopped } = begin()
    const refused = Promise.withResolvers<void>()
    const waiting = wait(0, async () => {
      refused.resolve()
      throw tooMany(plain('Too many'), 1)
    })
    await refused.promise
    client.abort()
    await expect(waiting).rejects.toThrow('stopped')
    expect(isStopped()).toBe(true)
  })
})
