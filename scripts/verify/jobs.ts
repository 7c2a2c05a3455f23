/**
 * `kill -9` amid jobs: what writes caused is done, and sent, and told, however often the server is
 * killed while it does it.
 */
import { findOverlaps } from '../../test/support/job-runs.ts'
import { inspectFolder, readDatabase } from './database.ts'
import { untilGone } from './ledger.ts'
import { type Bench, printFigures, type Report } from './report.ts'
import { Site } from './site.ts'
import { WebhookReceiver } from './webhook-receiver.ts'

const KILL_MS_MAX = 400

/** Writes of a round, and the records of each. */
const WRITES = 4
const RECORDS = 10

/** Webhooks: each sends one delivery at a time. */
const WEBHOOKS = ['one', 'two']

/** Jobs of which none ends for so long are stuck. */
const STUCK_MS = 30_000

const MODEL = `<Model>
  <Entity Name="Item" Table="items" Company="CompanyId">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="CompanyId" Type="Integer" Required="true"/>
    <Column Name="Batch" Type="Text"/><Column Name="IsPoison" Type="Boolean"/>
    <On Event="created">
      <Notify User="root" Title="{Id}" Kind="Item"/><Job Name="Work"/>
    </On>
    <On Event="created" When="IsPoison = 1"><Job Name="Spoil"/></On>
  </Entity>
  <Entity Name="Run" Table="runs" Company="CompanyId">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="CompanyId" Type="Integer" Required="true"/>
    <Column Name="ItemId" Type="Integer"/>
  </Entity>
  <ObjectView Name="Items" Slug="items" Entity="Item">
    <RowAction Name="Seed" For="View"><Parameter Name="Batch" Type="Text"/>
      <Sql><![CDATA[INSERT INTO items (CompanyId, Batch, IsPoison)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${RECORDS})
        SELECT @CurrentCompanyId, @Batch, i = 1 FROM n]]></Sql></RowAction>
  </ObjectView>
  <StoredProcedure Name="Work" Mode="Write"><Parameter Name="Id" Type="Integer"/>
    <Sql>INSERT INTO runs (CompanyId, ItemId) VALUES (@CurrentCompanyId, @Id)</Sql>
  </StoredProcedure>
  <StoredProcedure Name="Spoil" Mode="Write"><Parameter Name="Id" Type="Integer"/>
    <Sql Rows="1" Message="It is no good">UPDATE items SET Batch = '' WHERE Id = -@Id</Sql>
  </StoredProcedure>
</Model>`

/** Writes that cause jobs, notifications and deliveries; a kill at some moment; again. */
export async function verifyJobs(bench: Bench): Promise<Report> {
  await using receiver = new WebhookReceiver(bench.random)
  const outbound = `--Svc:Outbound:Ports=${receiver.port}`
  const site = await Site.open(bench, {
    model: MODEL,
    users: { root: 'System' },
    args: [
      ...['--Svc:Jobs:RetryDelay=5ms', '--Svc:Outbound:AllowHttp=true', outbound],
      '--Svc:Outbound:Allow=127.0.0.1',
    ],
  })
  const figures = { kills: 0, acked: 0, 'killed with jobs under way': 0 }
  const faults: string[] = []
  const batches = new Map<string, boolean>()
  try {
    for (const name of WEBHOOKS) await addWebhook(site, receiver.urlOf(name))
    for (let round = 1; round <= bench.rounds; round++) {
      const writing = untilGone(() => seed(site, batches))
      await Bun.sleep(bench.random.next() * KILL_MS_MAX)
      await site.kill()
      await writing
      figures.kills++
      if (count(site, 'svc_jobs', "State = 'Processing'") > 0)
        figures['killed with jobs under way']++
      faults.push(...inspectFolder(site.folder).map((fault) => `round ${round}: ${fault}`))
      receiver.life = String(round)
      await site.start()
    }
    faults.push(...(await drain(site)), ...(await site.stop()), ...inspectFolder(site.folder))
  } finally {
    await site.kill()
  }
  figures.acked = [...batches.values()].filter(Boolean).length
  const found = compare(site, batches, receiver)
  const all = { ...figures, ...found.figures }
  return { figures: printFigures(all), faults: [...faults, ...found.faults] }
}

async function addWebhook(site: Site, Url: string): Promise<void> {
  const webhook = { Url, Events: ['items.created'], Active: true }
  const { status, body } = await site.send('root', '/api/v1/svc/webhooks', webhook)
  if (status >= 300) throw new Error(`webhooks: ${status} ${JSON.stringify(body)}`)
}

/** Each batch with whether it was acknowledged. */
async function seed(site: Site, batches: Map<string, boolean>): Promise<void> {
  for (let write = 0; write < WRITES; write++) {
    const Batch = crypto.randomUUID()
    batches.set(Batch, false)
    const action = { ObjectName: 'Items', ActionName: 'Seed', Parameters: { Batch } }
    const path = '/api/v1/svc/object/execute-row-action'
    const { status, body } = await site.send('root', path, action)
    if (status !== 200) throw new Error(`Seed: ${status} ${JSON.stringify(body)}`)
    batches.set(Batch, true)
  }
}

const UNDONE = "State IN ('Enqueued', 'Scheduled', 'Awaiting', 'Processing')"

const count = ({ folder }: Site, table: string, where = '1'): number =>
  Number(read(folder, `SELECT count(*) FROM ${table} WHERE ${where}`)[0]?.[0])

const read = (folder: string, sql: string): unknown[][] =>
  readDatabase(folder, 'engine', (database) => database.query(sql).values())

async function drain(site: Site): Promise<string[]> {
  let [left, since] = [count(site, 'svc_jobs', UNDONE), performance.now()]
  while (left > 0) {
    await Bun.sleep(50)
    const now = count(site, 'svc_jobs', UNDONE)
    if (now !== left) [left, since] = [now, performance.now()]
    else if (performance.now() - since > STUCK_MS) return [`${left} jobs are stuck`]
  }
  return []
}

/** Compares the files at the end, and the deliveries that the receiver heard, with the writes. */
function compare(
  site: Site,
  batches: ReadonlyMap<string, boolean>,
  receiver: WebhookReceiver,
): { figures: Record<string, number>; faults: string[] } {
  const rows = (sql: string): unknown[][] => read(site.folder, sql)
  const faults: string[] = []
  const sizes = new Map(
    rows('SELECT Batch, count(*) FROM items GROUP BY Batch') as [string, number][],
  )
  for (const [batch, isAcked] of batches) {
    const size = sizes.get(batch) ?? 0
    if (size !== RECORDS && (isAcked || size > 0)) faults.push(`${batch} has ${size} records`)
  }
  const items = rows('SELECT Id FROM items').map(([id]) => Number(id))
  const once = `SELECT Id, n FROM (SELECT i.Id, count(x.Key) AS n FROM items i`
  const told = `(SELECT CAST(Title AS INTEGER) AS Key FROM svc_notifications)`
  for (const [id, n] of rows(
    `${once} LEFT JOIN ${told} x ON x.Key = i.Id GROUP BY i.Id) WHERE n <> 1`,
  ))
    faults.push(`${String(n)} notifications of item ${String(id)}`)
  const done = `(SELECT ItemId AS Key FROM runs)`
  for (const [id] of rows(`${once} LEFT JOIN ${done} x ON x.Key = i.Id GROUP BY i.Id) WHERE n = 0`))
    faults.push(`the job of item ${String(id)} was never done`)
  const jobs = rows('SELECT Name, State, count(*) FROM svc_jobs GROUP BY Name, State').sort()
  const expected = [
    ['Spoil', 'Failed', items.length / RECORDS],
    ['Work', 'Succeeded', items.length],
    ['webhook-delivery', 'Succeeded', items.length * WEBHOOKS.length],
  ]
  const isSame = JSON.stringify(jobs).toLowerCase() === JSON.stringify(expected).toLowerCase()
  if (!isSame) faults.push(`jobs: ${JSON.stringify(jobs)}, not ${JSON.stringify(expected)}`)
  for (const name of WEBHOOKS) faults.push(...receiver.compare(name, items))
  faults.push(...findOverlaps(receiver.lines).map((key) => `two deliveries at once: ${key}`))
  const runs = count(site, 'runs')
  const sent = receiver.lines.filter(({ what }) => what === 'begin').length
  const deliveries = items.length * WEBHOOKS.length
  const again = { 'done again': runs - items.length, 'sent again': sent - deliveries }
  return { figures: { items: items.length, deliveries, ...again }, faults }
}
