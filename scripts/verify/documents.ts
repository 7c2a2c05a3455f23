/** `kill -9` amid saves and publishes of reports: version, pointer and draft, all or none. */
import { NoAnswer } from './api.ts'
import { logSize, waitForCommit } from './commit-moment.ts'
import { inspectFolder, readDatabase } from './database.ts'
import { type Bench, printFigures, type Report } from './report.ts'
import { Site } from './site.ts'

const BASE = '/api/v1/svc/report-designer/definitions'

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

/** The report by what the files say. */
interface State {
  current: string[]
  versions: number
  draft: string | null
}

/** Drafts, saves and publishes, each killed at some moment; then a new start and a look at it. */
export async function verifyDocuments(bench: Bench): Promise<Report> {
  const site = await Site.open(bench, { model: MODEL, users: { root: 'System' } })
  const desk = new Desk(bench, site)
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
    await site.kill()
  }
  return { figures: printFigures(figures), faults }
}

/** The result of a round. */
interface Found {
  end: 'done' | 'undone' | 'half'
  isAcked: boolean
  faults: string[]
}

class Desk {
  readonly #bench: Bench
  readonly #site: Site
  /** How long a publish takes that is left alone. */
  #wholeMs = 0

  constructor(bench: Bench, site: Site) {
    this.#bench = bench
    this.#site = site
  }

  /** One publish that is left alone. */
  async prepare(): Promise<void> {
    const startedAt = performance.now()
    await this.#send('Stock/draft', report('second'))
    const { status } = await this.#send('Stock/publish')
    if (status !== 200) throw new Error(`publish: ${status}`)
    this.#wholeMs = performance.now() - startedAt
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
    const faults = inspectFolder(this.#site.folder)
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
    await this.#site.start()
    faults.push(...(await this.#compareServed(state)))
    return { end, isAcked, faults }
  }

  /** Checks that the start serves what the files say, and that one version is current. */
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
      await waitForCommit(this.#bench, this.#site.folder, {
        size: logSize(this.#site.folder),
        isOver: () => performance.now() >= until,
      })
    }
    await this.#site.kill()
  }

  #look(): State {
    return readDatabase(this.#site.folder, 'engine', (database) => {
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

  #send(path: string, text?: string) {
    const body = text === undefined ? {} : { DefinitionXml: text, Notes: 'verified' }
    return this.#site.send<unknown>('root', `${BASE}/${path}`, body)
  }

  async #get<T>(path: string): Promise<T> {
    const { body } = await this.#site.send<T>('root', `${BASE}/${path}`)
    return body.data
  }

  async #getStructure(): Promise<{ VersionHash: string }> {
    const path = '/api/v1/svc/reports/Stock'
    return (await this.#site.send<{ VersionHash: string }>('root', path)).body.data
  }
}

const isSame = (one: State, other: State): boolean => JSON.stringify(one) === JSON.stringify(other)
