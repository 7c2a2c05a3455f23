/**
 * Folders of files on a file system that fails for a while: each answer is right, or 503 with
 * Retry-After, and all is well once it is over.
 */
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Api } from './api.ts'
import { ServerProcess } from './process.ts'
import { type Bench, printFigures, type Report } from './report.ts'
import { attachFaults, findObstacle } from './strace.ts'
import { signInDemo } from './traders.ts'

const OBJECT = '/api/v1/svc/object'
/** Errors of the system calls of a folder and its files. */
const ERRORS = ['EIO', 'ESTALE', 'ETIMEDOUT', 'EACCES'] as const
/** `?` before a name: some machines have no such call. */
const CALLS = [
  'openat',
  '?statx',
  '?newfstatat',
  'statfs',
  '?rename',
  '?renameat',
  '?mkdir',
  'fsync',
] as const
const RECOVERY_MS = 20_000

interface Answer {
  status: number
  retryAfter: string | null
  text: string
}

type Ask = () => Promise<Answer>

/** Asks for files in each way while system calls fail, one kind and one error a round. */
export async function verifyFolderFaults(bench: Bench): Promise<Report> {
  const obstacle = findObstacle()
  if (obstacle !== undefined) return { figures: obstacle, faults: [] }
  const folder = join(bench.home, 'data')
  cpSync(bench.demo, folder, { recursive: true })
  const server = new ServerProcess([bench.executable], folder, ['--demo'])
  const figures = { rounds: 0, injected: 0, served: 0, refused: 0 }
  const faults: string[] = []
  try {
    const asks = await planAsks(await server.listening)
    for (let round = 1; round <= bench.rounds; round++) {
      const [call, error] = [bench.random.pick(CALLS), bench.random.pick(ERRORS)]
      const log = join(bench.home, 'strace.log')
      rmSync(log, { force: true })
      const when = `${bench.random.int(1, 4)}+${bench.random.int(1, 4)}`
      {
        await using _failing = await attachFaults(server.pid, [{ call, error, when }], {
          files: [],
          log,
        })
        for (const [name, ask] of Object.entries(asks)) {
          const answer = await ask()
          figures[answer.status === 200 ? 'served' : 'refused']++
          if (!isRight(answer)) faults.push(`${call} ${error}, ${name}: ${print(answer)}`)
        }
      }
      figures.injected += countInjected(log)
      faults.push(...(await findUnwell(asks)).map((fault) => `after ${call} ${error}, ${fault}`))
      figures.rounds++
    }
  } finally {
    await server.kill()
  }
  return { figures: printFigures(figures), faults }
}

const countInjected = (log: string): number =>
  readFileSync(log, 'utf8').split('(INJECTED)').length - 1

const isRight = ({ status, retryAfter }: Answer): boolean =>
  status === 200 || (status === 503 && Number(retryAfter) > 0)

const print = ({ status, text }: Answer): string => `${status} ${text.slice(0, 300)}`

/** Lists requests that are not served again once nothing fails any more, as sentences. */
async function findUnwell(asks: Readonly<Record<string, Ask>>): Promise<string[]> {
  const giveUpAt = performance.now() + RECOVERY_MS
  const unwell: string[] = []
  for (const [name, ask] of Object.entries(asks)) {
    let answer = await ask()
    while (answer.status !== 200 && performance.now() < giveUpAt) {
      await Bun.sleep(200)
      answer = await ask()
    }
    if (answer.status !== 200) unwell.push(`${name}: ${print(answer)}`)
  }
  return unwell
}

/** One request for each way in which files are written and read. */
async function planAsks(url: string): Promise<Record<string, Ask>> {
  const { AccessToken } = await signInDemo(new Api(url), 'ana')
  const headers = { Authorization: `Bearer ${AccessToken}` }
  const send = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(url + path, { ...init, headers: { ...headers, ...init.headers } })
    const { status } = response
    return { status, retryAfter: response.headers.get('retry-after'), text: await response.text() }
  }
  const post = (path: string, body: object): Promise<Answer> =>
    send(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    })
  const form = (path: string, fields: Record<string, string>, file: File): Promise<Answer> => {
    const body = new FormData()
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    body.set('file', file)
    return send(path, { method: 'POST', body })
  }
  const note = new File(['a note'], 'note.txt')
  const upload = () =>
    form(`${OBJECT}/upload`, { objectName: 'orders', fieldName: 'Documents' }, note)
  const exported = () => post(`${OBJECT}/export-data`, { ObjectName: 'topics', Format: 'csv' })
  const stored = /"UploadKey":"([^"]+)"/.exec((await upload()).text)?.[1] ?? ''
  const made = /"Url":"([^"]+)"/.exec((await exported()).text)?.[1] ?? ''
  const rows = new File(['Code,Name\nXF,Folders\n'], 'rows.csv')
  return {
    upload,
    'an upload that is fetched': () => send(`/files/${stored}`),
    export: exported,
    'an export that is fetched': () => send(made),
    import: () => form(`${OBJECT}/import-data`, { objectName: 'topics', dryRun: 'true' }, rows),
    'a submit': () =>
      post(`${OBJECT}/submit`, {
        FormName: 'orders',
        Parameters: { CustomerId: 1, Reference: 'folders' },
      }),
  }
}
