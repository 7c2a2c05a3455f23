/** An application to search in, and its answers by kept texts and by SQL alone. */
import { expect } from 'bun:test'
import type { Caller } from '../../src/access/callers/caller.ts'
import { Grant } from '../../src/access/rights/grant.ts'
import type { SearchedText } from '../../src/engine/grid-search/searched-text.ts'
import type { FindNow } from '../../src/engine/grid-search/text-index.ts'
import { TextSearch } from '../../src/engine/grid-search/text-search.ts'
import { loadFieldDataSet, type OptionEntry } from '../../src/engine/object/form/field-dataset.ts'
import { requireView } from '../../src/engine/object/read/find-view.ts'
import { loadTable } from '../../src/engine/object/read/load-table.ts'
import { QueryCache } from '../../src/engine/object/read/query-cache.ts'
import type { FieldDataSetRequest, TableRequest } from '../../src/engine/object/schema.ts'
import { startApp, type TestApp } from './app.ts'
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

export const MODEL = `<Model>
<Entity Name="Town" Table="towns">
  <Column Name="Code" Type="Text" Key="true"/>
  <Column Name="Name" Type="Text"/>
</Entity>
<Entity Name="Author" Table="authors" Display="Name TownCode" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="TownCode" References="Town" OnDelete="SetNull"/>
</Entity>
<Entity Name="Letter" Table="letters" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="AuthorId" References="Author"/>
  <Column Name="Title" Type="Text"/>
  <Column Name="Body" Type="Text"/>
  <Column Name="Total" Type="Decimal" Scale="2"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="OwnerId" References="User"/>
</Entity>
<Entity Name="Word" Table="words">
  <Column Name="Code" Type="Text" Key="true"/>
  <Column Name="Meaning" Type="Text"/>
</Entity>
<Entity Name="Place" Table="places" Company="CompanyId">
  <Column Name="Shelf" Type="Integer" Key="true"/>
  <Column Name="Slot" Type="Integer" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Label" Type="Text"/>
</Entity>
<Entity Name="Reply" Table="replies">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="LetterId" References="Letter"/>
  <Column Name="WordCode" Type="Text"/>
  <Column Name="Total" Type="Decimal"/>
  <Column Name="Mine" Type="Text"/>
</Entity>
<ObjectView Name="Replies" Entity="Reply">
  <Field Name="LetterId"><Lookup View="Signed" Search="Title Author Total" Where="Region IS NOT 'south'"/></Field>
  <Field Name="WordCode"><DataSet>SELECT Code AS Value, Meaning AS Label FROM words</DataSet></Field>
  <Field Name="Total"><DataSet>SELECT Total AS Value, Title AS Label FROM letters</DataSet></Field>
  <Field Name="Mine"><DataSet>SELECT Title || Id AS Value, Title AS Label FROM letters WHERE Region IS @User_Region ORDER BY Title, Id</DataSet></Field>
</ObjectView>
<ObjectView Name="Letters" Entity="Letter">
  <Field Name="Title" Searchable="true"/><Field Name="Body" Searchable="true" In="Form View"/>
  <Field Name="Total" Searchable="true"/>
</ObjectView>
<ObjectView Name="Signed" Entity="Letter" Sort="Title desc">
  <TableQuery>SELECT l.*, (SELECT a.Name FROM authors a WHERE a.Id = l.AuthorId) AS Author,
  upper(l.Title) || '-' || l.Total AS Stamp FROM letters l</TableQuery>
  <Field Name="Author" Searchable="true"/><Field Name="Stamp" Searchable="true"/>
  <Preset Name="Long" Where="Total &gt; 5"/>
</ObjectView>
<ObjectView Name="Joined" Entity="Letter">
  <TableQuery>SELECT l.*, a.Name AS Writer, a.TownCode, t.Name AS Town FROM letters AS l
  LEFT JOIN authors a ON a.Id = l.AuthorId LEFT JOIN towns t ON a.TownCode = t.Code WHERE coalesce(a.Name, '') &lt;&gt; 'x'</TableQuery>
  <Field Name="Writer" Searchable="true"/><Field Name="Town" Searchable="true"/>
</ObjectView>
<ObjectView Name="Addressed" Entity="Letter">
  <Field Name="AuthorId" Searchable="true"/>
</ObjectView>
<ObjectView Name="Ranked" Entity="Letter">
  <TableQuery>SELECT l.Id, l.Region, l.Title || count(*) OVER (PARTITION BY l.AuthorId) AS Ranked FROM letters l</TableQuery>
  <Field Name="Ranked" Searchable="true"/>
</ObjectView>
<ObjectView Name="Mine" Entity="Letter">
  <TableQuery>SELECT l.*, l.Title || @CurrentUserName AS Mine FROM letters l</TableQuery>
  <Field Name="Mine" Searchable="true"/>
</ObjectView>
<ObjectView Name="Doubled" Entity="Letter">
  <TableQuery>SELECT l.*, a.Name AS Writer FROM authors a LEFT JOIN letters l ON l.Id &lt; a.Id * 10</TableQuery>
  <Field Name="Writer" Searchable="true"/><Field Name="Title" Searchable="true"/>
</ObjectView>
<ObjectView Name="Words" Entity="Word"><Field Name="Code" Searchable="true"/><Field Name="Meaning" Searchable="true"/></ObjectView>
<ObjectView Name="Places" Entity="Place"><Field Name="Label" Searchable="true"/></ObjectView>
</Model>`

/** Fields of Replies with options to search, by whether their texts are kept. */
export const OPTIONS = { LetterId: true, WordCode: true, Total: false, Mine: false } as const

/**
 * The views; their texts are kept whatever row changes, of theirs or of what they refer to, until
 * any does, or never.
 */
export const VIEWS = {
  Letters: 'row',
  Signed: 'row',
  Joined: 'row',
  Addressed: 'row',
  Ranked: 'table',
  Mine: 'never',
  Words: 'row',
  Places: 'never',
} as const

const grants = [...Object.keys(VIEWS), 'Doubled', 'Replies'].map(
  (name) => `<Grant Resource="${name}" Verbs="View List Create Update Delete"/>`,
)
const filters = ['Letters', 'Signed', 'Ranked', 'Mine'].map(
  (name) => `<RowFilter Resource="${name}">Region = @User_Region</RowFilter>`,
)

const ACCESS = `<Rbac>
  <UserAttribute Name="Region" Type="Text"/>
  <Role Name="Reader" Label="Reader">${grants.join('')}</Role>
  <Role Name="Local" Label="Local">${grants.join('')}${filters.join('')}
    <FieldRule Resource="Letters" Field="Body" Access="Hidden"/>
  </Role>
  <Role Name="Narrow" Label="Narrow">${grants.join('')}
    <FieldRule Resource="Letters" Field="Body" Access="Hidden"/>
  </Role>
</Rbac>`

const APPLICATION: TestApplication = {
  files: [
    { name: 'model.xml', body: MODEL },
    { name: 'access.xml', body: ACCESS },
  ],
  ...makePeople('ONE TWO', {
    sys: 'System in ONE TWO',
    reader: 'Reader',
    other: 'Reader in TWO',
    narrow: 'Narrow',
    local: ['Local', { Region: 'north' }],
  }),
}

type OptionRequest = Omit<FieldDataSetRequest, 'FormName' | 'FieldName'>

const NOW = new Date('2026-11-21T09:00:00Z')
const BYTES_MAX = 4 * 1024 * 1024

/** Counts the searches that an index of all rows answered, and those of one that has a part. */
class CountedSearch extends TextSearch {
  found = 0
  foundInPart = 0

  override async scan(source: SearchedText, searchText: string): Promise<FindNow> {
    const findNow = await super.scan(source, searchText)
    const matches = findNow?.()
    if (matches?.readTo !== undefined) this.foundInPart++
    else if (matches) this.found++
    return findNow
  }
}

interface WorldOptions {
  /** Memory for the indexes. */
  bytesMax?: number
  /** Memory for answers; 0 keeps none. */
  keptBytesMax?: number
}

export class SearchWorld implements AsyncDisposable {
  readonly app: TestApp
  readonly texts: CountedSearch
  readonly callers: Readonly<Record<string, Caller>>
  readonly #kept: QueryCache
  readonly #plain: QueryCache
  #asked = 0

  private constructor(app: TestApp, callers: Record<string, Caller>, options: WorldOptions) {
    const { bytesMax = BYTES_MAX, keptBytesMax = 0 } = options
    this.app = app
    this.callers = callers
    this.texts = new CountedSearch(app.store, bytesMax)
    this.#kept = new QueryCache(app.store, keptBytesMax, this.texts)
    this.#plain = new QueryCache(app.store, 0)
  }

  static async open(options: WorldOptions = {}): Promise<SearchWorld> {
    const app = await startApp({ application: APPLICATION })
    const callers: Record<string, Caller> = {}
    for (const [name, token] of Object.entries(app.tokens)) {
      callers[name] = await app.context.callers.verify(token)
    }
    return new SearchWorld(app, callers, options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app[Symbol.asyncDispose]()
  }

  /** Letters by number, of both companies. */
  fill(from: number, to: number): Promise<void> {
    return this.run(
      `INSERT INTO letters (Id, CompanyId, Title, Body, Total, Region)
       WITH RECURSIVE n(i) AS (SELECT @from UNION ALL SELECT i + 1 FROM n WHERE i < @to)
       SELECT i, 1 + i % 2, 'Letter ' || i, CASE WHEN i % 5 THEN 'Äpfel' END, i / 4.0,
         CASE i % 3 WHEN 0 THEN 'north' ELSE 'south' END FROM n`,
      { from, to },
    )
  }

  /** Has a view's text kept; whether it is. */
  async keep(view: string, who = 'reader'): Promise<boolean> {
    await this.ask(view, who, { SearchText: `anything ${this.#asked++}` })
    await this.texts.settled()
    const before = this.texts.found
    await this.ask(view, who, { SearchText: `anything ${this.#asked++}` })
    return this.texts.found > before
  }

  /** The same, once the rest that an index takes between two readings is over. */
  async keepAfterRest(view: string): Promise<void> {
    while (!(await this.keep(view))) await Bun.sleep(50)
  }

  /** The answer as it is served. */
  ask(view: string, who: string, request: TableRequest): Promise<string> {
    return this.#ask(this.#kept, view, who, request)
  }

  /** The same by SQL alone: GLOB over every row. */
  askPlain(view: string, who: string, request: TableRequest): Promise<string> {
    return this.#ask(this.#plain, view, who, request)
  }

  /** Writes past every gate, as authored SQL may; the store's watch sees it all the same. */
  async run(sql: string, args: Record<string, string | number | null> = {}): Promise<void> {
    await this.app.store.write((tx) => tx.run(sql, args), { company: 'all', because: 'a test' })
  }

  /** The options of a field of Replies, as they are served. */
  options(field: string, who: string, request: OptionRequest): Promise<OptionEntry[]> {
    return this.#options(this.#kept, field, who, request)
  }

  /** The same by SQL alone. */
  optionsPlain(field: string, who: string, request: OptionRequest): Promise<OptionEntry[]> {
    return this.#options(this.#plain, field, who, request)
  }

  #options(
    reader: QueryCache,
    FieldName: string,
    who: string,
    request: OptionRequest,
  ): Promise<OptionEntry[]> {
    const caller = this.#callerOf(who)
    const model = this.app.context.models.get()
    const context = { caller, now: NOW, model }
    const asked = { ...request, FormName: 'Replies', FieldName }
    return loadFieldDataSet({ reader, caller, model, context }, asked)
  }

  #callerOf(who: string): Caller {
    const caller = this.callers[who]
    if (!caller) throw new Error(`Nobody is called ${who}`)
    return caller
  }

  #ask(reader: QueryCache, name: string, who: string, request: TableRequest): Promise<string> {
    const caller = this.#callerOf(who)
    const model = this.app.context.models.get()
    const view = requireView(model, name)
    const options = { allCompanies: request.AllCompanies ?? false }
    const grant = Grant.require(caller, model, view.resource, ['View'], options)
    const context = { caller, now: NOW, model }
    return loadTable({ reader, view, request, grant, context })
  }
}

/** Expects the answer that is served to be what SQL alone gives; gives it. */
export async function requireSame(
  world: SearchWorld,
  ask: { view: string; who: string; request: TableRequest },
): Promise<string> {
  const { view, who, request } = ask
  const answer = await world.ask(view, who, request)
  const plain = await world.askPlain(view, who, request)
  expect({ ...ask, answer }).toEqual({ ...ask, answer: plain })
  return answer
}

/** The keys of an answer's rows, and their number. */
export function foundIn(answer: string): { ids: unknown[]; total: number } {
  const { Rows, Pagination } = JSON.parse(answer) as {
    Rows: Record<string, unknown>[]
    Pagination: { TotalRows: number }
  }
  return { ids: Rows.map((row) => row.Id ?? row.Code ?? row.Label), total: Pagination.TotalRows }
}
