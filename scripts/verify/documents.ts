/** `kill -9` amid saves and publishes of reports: version, pointer and draft, all or none. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Api, NoAnswer } from './api.ts'
import { logSize, waitForCommit } from './commit-moment.ts'
import { inspectFolder, readDatabase } from './database.ts'
import { runToEnd, ServerProcess } from './process.ts'
import { printFigures } from './report.ts'
import type { Bench, Report } from './report.ts'

const PASSWORD = 'nine boats under a bridge'
const BASE = '/api/v1/svc/report-designer/definitions'
const ARGS = ['--Svc:Tokens:AccessLifetime=24h']

const report = (label: string): string =>
  `<Report Name="Stock" Label="${label}"><DataSets><DataSet Name="All"><Sql>` +
  'SELECT Name FROM items</Sql></DataSet></DataSets><Widgets>' +
  '<Widget Name="All" Kind="Table" DataSet="All"/></Widgets></Report>'

const MODEL = `<Model>
  <Entity Name="Item" Table="items">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/><Column Name="Name" Type="Text"/>
  </Entity>
  ${report('first')}
</Model>`

/** What the files say of the report. */
interface State {
  current: string[]
  versions: number
  draft: string | null
}

/** Drafts, saves and publishes, each killed at some moment; then a new start and a look at it. */
export async function verifyDocuments(bench: Bench): Promise<Report> {
  const desk = new Desk(bench)
  const figures = { rounds: 0, saves: 0, publishes: 0, acked: 0, done: 0, undone: 0, half: 0 }
  const faults: string[] = []
  try {
    await desk.prepare()
    for (let round = 1; round <= bench.rounds; round++) {
      const isSave = round % 4 === 0
      const found = await desk.runRound(isSave, round)
      figures.rounds++
      figures[isSave ? 'saves' : 'publishes']++
      if (found.isAcked) figures.acked++
      figures[found.end]++
      faults.push(...found.faults.map((fault) => `round ${round}: ${fault}`))
    }
  } finally {
    await desk.kill()
  }
  return { figures: printFigures(figures), faults }
}

/** What a round came to. */
interface Found {
  end: 'done' | 'undone' | 'half'
  isAcked: boolean
  faults: string[]
}

class Desk {
  readonly #bench: Bench
  readonly #folder: string
  readonly #api = new Api('')
  #token = ''
  #server: ServerProcess | undefined
  /** How long a publish takes that is left alone. */
  #wholeMs = 0

  constructor(bench: Bench) {
    this.#bench = bench
    this.#folder = join(bench.home, 'data')
  }

  /** A report, somebody who may change it, and one publish that is left alone. */
  async prepare(): Promise<void> {
    const model = join(this.#bench.home, 'model')
    mkdirSync(model)
    writeFileSync(join(model, 'stock.xml'), MODEL)
    await this.#run('deploy', model)
    await this.#run('company', 'create', 'ONE', '--name', 'One')
    const who = ['--role', 'System', '--company', 'ONE', '--password-stdin']
    const user = ['user', 'create', 'root', ...who]
    const child = Bun.spawn([this.#bench.executable, ...user, '--data', this.#folder], {
      stdio: [new Blob([PASSWORD]), 'ignore', 'inherit'],
    })
    if ((await child.exited) !== 0) throw new Error('user create failed')
    await this.#start()
    this.#token = (await this.#api.signIn('root', PASSWORD)).AccessToken
    const startedAt = performance.now()
    await this.#send('Stock/draft', report('second'))
    const { status } = await this.#send('Stock/publish')
    if (status !== 200) throw new Error(`publish: ${status}`)
    this.#wholeMs = performance.now() - startedAt
  }

  async kill(): Promise<void> {
    await this.#server?.kill()
  }

  async runRound(isSave: boolean, round: number): Promise<Found> {
    const body = report(`round ${round}`)
    const drafted = await this.#send('Stock/draft', isSave ? 'any text' : body)
    const before = this.#look()
    const request = isSave ? this.#send('save', body) : this.#send('Stock/publish')
    const answer = request.catch((error: unknown) => {
      if (error instanceof NoAnswer) return undefined
      throw error
    })
    await this.#killSoon(round % 2 === 0)
    const status = (await answer)?.status
    const faults = inspectFolder(this.#folder)
    if (drafted.status !== 200) faults.push(`draft: ${drafted.status}`)
    if (status !== undefined && status !== 200) faults.push(`status ${status}`)
    const state = this.#look()
    const hash = new Bun.CryptoHasher('md5').update(body).digest('hex')
    const draft = isSave ? before.draft : null
    const after: State = { current: [hash], versions: before.versions + 1, draft }
    const end = isSame(state, after) ? 'done' : isSame(state, before) ? 'undone' : 'half'
    if (end === 'half') faults.push(`neither all nor none: ${JSON.stringify(state)}`)
    const isAcked = status === 200
    if (isAcked && end !== 'done') faults.push('acknowledged, and not done')
    await this.#start()
    faults.push(...(await this.#compareServed(state)))
    return { end, isAcked, faults }
  }

  /** What is served after the start is what the files say, and one version is current. */
  async #compareServed(state: State): Promise<string[]> {
    const list = await this.#get<{ VersionHash: string; IsCurrent: boolean }[]>('Stock/versions')
    const current = list.filter(({ IsCurrent }) => IsCurrent).map(({ VersionHash }) => VersionHash)
    const draft = await this.#get<{ DefinitionXml: string } | null>('Stock/draft')
    const served = { current, versions: list.length, draft: draft?.DefinitionXml ?? null }
    const { VersionHash } = await this.#getStructure()
    const faults = isSame(served, state) ? [] : [`served is ${JSON.stringify(served)}`]
    if (VersionHash !== state.current[0]) faults.push(`the structure is of ${VersionHash}`)
    return faults
  }

  /** At any moment of the work, or at one around its commit. */
  async #killSoon(atCommit: boolean): Promise<void> {
    if (!atCommit) await Bun.sleep(this.#bench.random.next() * this.#wholeMs)
    else {
      const until = performance.now() + 2 * this.#wholeMs
      await waitForCommit(this.#bench, this.#folder, {
        size: logSize(this.#folder),
        isOver: () => performance.now() >= until,
      })
    }
    await this.kill()
  }

  #look(): State {
    return readDatabase(this.#folder, 'engine', (database) => {
      const texts = (sql: string): string[] =>
        database
          .query(sql)
          .values()
          .map(([value]) => String(value))
      const own = `Type = 'Report' AND Name = 'Stock'`
      return {
        current: texts(`SELECT VersionHash FROM svc_scripts WHERE IsCurrent = 1 AND ${own}`),
        versions: Number(texts(`SELECT count(*) FROM svc_scripts WHERE ${own}`)[0]),
        draft: texts('SELECT Body FROM svc_drafts')[0] ?? null,
      }
    })
  }

  async #start(): Promise<void> {
    this.#server = new ServerProcess([this.#bench.executable], this.#folder, ARGS)
    this.#api.url = await this.#server.listening
  }

  #send(path: string, text?: string) {
    const body = text === undefined ? {} : { DefinitionXml: text, Notes: 'verified' }
    return this.#api.send<unknown>(`${BASE}/${path}`, body, { token: this.#token })
  }

  async #get<T>(path: string): Promise<T> {
    const { body } = await this.#api.send<T>(`${BASE}/${path}`, undefined, { token: this.#token })
    return body.data
  }

  async #getStructure(): Promise<{ VersionHash: string }> {
    const path = '/api/v1/svc/reports/Stock'
    const options = { token: this.#token }
    const { body } = await this.#api.send<{ VersionHash: string }>(path, undefined, options)
    return body.data
  }

  async #run(...words: string[]): Promise<void> {
    const end = await runToEnd([this.#bench.executable, ...words, '--data', this.#folder])
    if (end.exitCode !== 0) throw new Error(`${words[0]}: ${end.stderr}`)
  }
}

const isSame = (one: State, other: State): boolean => JSON.stringify(one) === JSON.stringify(other)
