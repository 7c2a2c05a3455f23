/** Users who work while models change, and users who change them. */
import type { Random } from '../../data/demo/random.ts'
import type { Answer } from './api.ts'
import type { Site } from './site.ts'

const planReport = (name: string, label: string): string =>
  `<Report Name="${name}" Label="${label}"><DataSets><DataSet Name="All"><Sql>
  SELECT Id, Code, LandId FROM items ORDER BY Id LIMIT 2000</Sql></DataSet></DataSets><Widgets>
  <Widget Name="All" Kind="Table" DataSet="All"/></Widgets></Report>`

/** Comes and goes. */
const MORE = `<Column Name="More" Type="Text" Required="true" Default="none" Fill="'none'"/>`

const planEntities = (hasMore: boolean): string => `
  <Entity Name="Land" Table="lands" Display="Name">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="Name" Type="Text" Required="true" Unique="true"/>
  </Entity>
  <Entity Name="Item" Table="items" Display="Code">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="Code" Type="Text" Required="true"/>
    <Column Name="LandId" References="Land" Label="Land"/>
    ${hasMore ? MORE : ''}
  </Entity>
  <ObjectView Name="Items" Slug="items" Entity="Item"/><ObjectView Name="Lands" Entity="Land"/>
  <Rows Entity="Land" Key="Name"><Row Name="Here"/><Row Name="There"/></Rows>`

/**
 * The model that is deployed first. Codes are not unique: work that is done twice is seen twice.
 */
export const MODEL = `<Model>${planEntities(false)}
  ${planReport('Stock', 'Stock')}${planReport('Other', 'Other')}</Model>`

const OBJECTS = '/api/v1/svc/object'

/** Rows of a file: in the background, at once. */
const ROWS = { later: [200, 1500], now: [20, 300] } as const

/** Works of one kind that wait for the server at a time; users have 20 at most. */
const WAITING_MAX = 15

/** Work that was acknowledged in all rounds. */
export interface Done {
  /** Of records that must be there. */
  codes: Set<string>
  imports: number
  exports: number
  reports: number
  jobs: number
  works: number
  saves: number
  deploys: number
  /** Imports that named a field which was not there. */
  refused: number
}

/** Everybody at their work, until so many deploys are done. */
export class Desk {
  readonly total: Done = {
    codes: new Set(),
    imports: 0,
    exports: 0,
    reports: 0,
    jobs: 0,
    works: 0,
    saves: 0,
    deploys: 0,
    refused: 0,
  }
  readonly #site: Site
  readonly #random: Random
  #faults: string[] = []
  #codes = 0
  #waiting = 0

  constructor(site: Site, random: Random) {
    this.#site = site
    this.#random = random
  }

  /** Resolves to what should not have happened when all of it is answered. */
  async work(round: number, deploys: number): Promise<{ faults: string[] }> {
    this.#faults = []
    this.#waiting = 0
    let isOver = false
    const repeat = async (step: () => Promise<void>): Promise<void> => {
      while (!isOver) await step()
    }
    const others = [
      ...[() => this.#importNow(), () => this.#importLater(), () => this.#export()],
      ...[() => this.#report(), () => this.#submit(), () => this.#save(round)],
    ].map(repeat)
    try {
      for (let nth = 0; nth < deploys; nth++) await this.#deploy(nth % 2 === 0)
    } finally {
      isOver = true
    }
    await Promise.all(others)
    return { faults: this.#faults }
  }

  async #deploy(hasMore: boolean): Promise<void> {
    const Files = [{ FileName: 'items.xml', Body: `<Model>${planEntities(hasMore)}</Model>` }]
    const body = { Files, AllowDataLoss: true }
    const answer = await this.#send('a deploy', '/api/v1/svc/scripts', body)
    if (answer) this.total.deploys++
  }

  /** Now the report that is printed, now one that nobody prints. */
  async #save(round: number): Promise<void> {
    const nth = ++this.total.saves
    const DefinitionXml = planReport(nth % 3 === 0 ? 'Stock' : 'Other', `of ${round} ${nth}`)
    const path = '/api/v1/svc/report-designer/definitions/save'
    await this.#send('a save', path, { DefinitionXml })
  }

  async #submit(): Promise<void> {
    const [code = ''] = this.#planCodes(1)
    const body = { FormName: 'items', Parameters: { Code: code } }
    if (await this.#send('a submit', `${OBJECTS}/submit`, body)) this.total.codes.add(code)
  }

  /** A file that names the field which comes and goes is refused by it, whole, or done. */
  async #importNow(): Promise<void> {
    const codes = this.#planCodes(this.#random.int(...ROWS.now))
    const namesMore = this.#random.chance(0.3)
    const answer = await this.#sendFile(codes, namesMore, {})
    if (namesMore && answer.status === 400 && JSON.stringify(answer.body).includes('More'))
      this.total.refused++
    else if (this.#isDone('an import', answer)) this.#noteImport(codes)
  }

  async #importLater(): Promise<void> {
    if (!this.#mayWait()) return this.#pause()
    const codes = this.#planCodes(this.#random.int(...ROWS.later))
    const answer = await this.#sendFile(codes, false, { background: 'true' })
    if (!this.#isDone('an import in the background', answer)) return
    this.#noteImport(codes)
    this.total.jobs++
  }

  #noteImport(codes: readonly string[]): void {
    for (const code of codes) this.total.codes.add(code)
    this.total.imports++
  }

  async #export(): Promise<void> {
    const Background = this.#random.chance(0.5) && this.#mayWait()
    const body = { ObjectName: 'items', Fields: ['Code', 'LandId'], Background }
    if (!(await this.#send('an export', `${OBJECTS}/export-data`, body))) return
    this.total.exports++
    if (Background) this.total.jobs++
  }

  async #report(): Promise<void> {
    const isLater = this.#random.chance(0.5) && this.#mayWait()
    const Parameters = { report: 'Stock' }
    const isDone = isLater
      ? await this.#send('a report', '/report/page', {
          Parameters,
          Format: 'csv',
          Background: true,
        })
      : await this.#send('a report', '/report/page?report=Stock&format=json')
    if (!isDone) return
    this.total.reports++
    if (isLater) this.total.jobs++
  }

  /** Of each round only so many are waited for in the end. */
  #mayWait(): boolean {
    return this.#waiting < WAITING_MAX && ++this.#waiting > 0
  }

  #pause(): Promise<void> {
    return Bun.sleep(20)
  }

  #planCodes(count: number): string[] {
    return Array.from({ length: count }, () => `I-${++this.#codes}`)
  }

  /** True when it was done: nothing that is asked for here may be refused. */
  async #send(what: string, path: string, body?: object): Promise<boolean> {
    return this.#isDone(what, await this.#site.send('root', path, body))
  }

  #isDone(what: string, { status, body }: Answer<unknown>): boolean {
    this.total.works++
    if (status === 200) return true
    this.#faults.push(`${what}: ${status} ${JSON.stringify(body)}`)
    return false
  }

  async #sendFile(
    codes: readonly string[],
    namesMore: boolean,
    fields: Readonly<Record<string, string>>,
  ): Promise<Answer<unknown>> {
    const rows = codes.map((code, at) => {
      const cells = [code, at % 2 === 0 ? 'Here' : 'There', ...(namesMore ? ['much'] : [])]
      return cells.join(',')
    })
    const heads = ['Code', 'Land', ...(namesMore ? ['More'] : [])].join(',')
    const form = new FormData()
    form.set('objectName', 'items')
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('file', new File([[heads, ...rows, ''].join('\n')], 'items.csv'))
    const response = await fetch(`${this.#site.api.url}${OBJECTS}/import-data`, {
      method: 'POST',
      body: form,
      headers: { Authorization: `Bearer ${this.#site.token('root')}` },
    })
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: (await response.json()) as Answer<unknown>['body'],
    }
  }
}
