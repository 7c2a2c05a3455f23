/**
 * `kill -9` amid votes and timers of workflows: a vote, the transition that it decides and all that
 * follows from that are there together or not at all, and once, however often they are sent.
 */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { inspectFolder, readDatabase } from './database.ts'
import { untilGone } from './ledger.ts'
import { type Bench, printFigures, type Report } from './report.ts'
import { Site } from './site.ts'

/** Nobody listens there: what counts is that a delivery was asked for. */
const PORT = 9

/** So long after some vote was answered. */
const KILL_MS_MAX = 8

/** Items of a round: of half of them a vote decides, of the others a timer. */
const ITEMS = 8

const EFFECTS = `<Sql>INSERT INTO marks (CompanyId, ItemId) VALUES (@CurrentCompanyId, @Id)</Sql>
  <Notify User="root" Title="{Id}" Kind="Item"/><Mail User="root" Subject="{Id}"/>
  <Job Name="Work"/><Webhook Event="moved"/>`

const MODEL = `<Model>
  <Entity Name="Item" Table="items" Company="CompanyId">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="CompanyId" Type="Integer" Required="true"/>
    <Column Name="State" Type="Text"/>
  </Entity>
  <Entity Name="Mark" Table="marks" Company="CompanyId">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="CompanyId" Type="Integer" Required="true"/>
    <Column Name="ItemId" Type="Integer"/>
  </Entity>
  <ObjectView Name="Items" Entity="Item"/>
  <StoredProcedure Name="Work" Mode="Write"><Parameter Name="Id" Type="Integer"/>
    <Sql>UPDATE items SET State = State WHERE Id = @Id</Sql></StoredProcedure>
  <Workflow Name="Way" Object="Items" StateField="State">
    <States><State Name="begin" Kind="Initial"/>
      <State Name="review" Kind="Task"><Assign Role="Boss" Rule="Quorum" Count="2"/></State>
      <State Name="done" Kind="Final"/><State Name="lapsed" Kind="Final"/></States>
    <Transitions><Transition From="begin" To="review" Action="Go"/>
      <Transition From="review" To="done" Action="Approve">${EFFECTS}</Transition>
      <Transition From="begin" To="lapsed" Action="Lapse" After="1d">${EFFECTS}</Transition>
    </Transitions>
    <Start On="created"/>
  </Workflow>
  <Rbac><Role Name="Boss"><Grant Resource="Items" Verbs="View List Create Update"/></Role></Rbac>
</Model>`

/** A vote under its key, and what was answered to it. */
interface Vote {
  user: string
  path: string
  key: string
  answer: string | undefined
}

/** Rounds of items that are voted on, and timers that fire, until a kill. */
export async function verifyWorkflowKills(bench: Bench): Promise<Report> {
  const users = { root: 'System', ann: 'Boss', bob: 'Boss' }
  const outbound = ['AllowHttp=true', 'Allow=127.0.0.1', `Ports=${PORT}`]
  const site = await Site.open(bench, {
    model: MODEL,
    users,
    args: outbound.map((word) => `--Svc:Outbound:${word}`),
  })
  const figures = { kills: 0, votes: 0, acked: 0, timers: 0, 'decided by both': 0 }
  const faults: string[] = []
  const tell = (round: number, found: readonly string[]): void => {
    faults.push(...found.map((fault) => `round ${round}: ${fault}`))
  }
  try {
    await addWebhook(site)
    for (let round = 1; round <= bench.rounds; round++) {
      const votes = await prepare(site, round)
      await site.kill()
      figures.timers += makeDue(site.folder)
      await site.start()
      const writing = Promise.all(votes.map((vote) => untilGone(() => cast(site, vote))))
      await whenAnswered(votes, bench.random.int(0, votes.length - 1), writing)
      await Bun.sleep(bench.random.next() * KILL_MS_MAX)
      await site.kill()
      await writing
      figures.kills++
      figures.votes += votes.length
      figures.acked += votes.filter(({ answer }) => answer !== undefined).length
      tell(round, [...inspectFolder(site.folder), ...inspectMoves(site.folder, votes)])
      await site.start()
      tell(round, await castAgain(site, votes))
    }
    faults.push(...(await drain(site)), ...(await site.stop()))
    faults.push(...inspectFolder(site.folder), ...inspectMoves(site.folder, []))
  } finally {
    await site.kill()
  }
  const count = (sql: string) => Number(read(site.folder, sql)[0]?.[0])
  const wanted = ITEMS * bench.rounds
  const moved = count('SELECT count(*) FROM marks')
  if (moved !== wanted) faults.push(`${moved} of ${wanted} items came to their end`)
  figures['decided by both'] = count("SELECT count(*) FROM items WHERE State = 'done'")
  return { figures: printFigures(figures), faults }
}

async function addWebhook(site: Site): Promise<void> {
  const webhook = { Url: `http://127.0.0.1:${PORT}/`, Events: ['moved'], Active: true }
  const { status, body } = await site.send('root', '/api/v1/svc/webhooks', webhook)
  if (status >= 300) throw new Error(`webhooks: ${status} ${JSON.stringify(body)}`)
}

/** Items at their beginning, and votes on those that have gone on. */
async function prepare(site: Site, round: number): Promise<Vote[]> {
  const votes: Vote[] = []
  for (let nth = 0; nth < ITEMS; nth++) {
    const form = { FormName: 'Items', Parameters: {} }
    const { body } = await site.send<{ Keys: { Id: number } }>(
      ...(['root', '/api/v1/svc/object/submit', form] as const),
    )
    if (nth % 2 > 0) continue
    const { Id } = body.data.Keys
    const [row] = read(
      site.folder,
      `SELECT Id FROM svc_workflow_instances WHERE RecordKey='[${Id}]'`,
    )
    const path = `/api/v1/svc/workflow/instances/${String(row?.[0])}/actions`
    const { status } = await site.send('root', `${path}/Go`, {})
    if (status !== 200) throw new Error(`Go: ${status}`)
    for (const user of ['ann', 'bob'])
      votes.push({
        user,
        path: `${path}/Approve`,
        key: `${user}-${round}-${nth}`,
        answer: undefined,
      })
  }
  return votes
}

/** Timers of later are timers of now; resolves to how many still wait for something. */
function makeDue(folder: string): number {
  using database = new Database(join(folder, 'engine.db'))
  database.run(
    `UPDATE svc_jobs SET DueAt = '2000-01-01T00:00:00.000Z'
     WHERE Name = 'workflow-timer' AND State = 'Scheduled'`,
  )
  const left = database.query("SELECT count(*) FROM items WHERE State = 'begin'").values()
  return Number(left[0]?.[0])
}

async function whenAnswered(
  votes: readonly Vote[],
  count: number,
  writing: Promise<unknown>,
): Promise<void> {
  let isOver = false
  void writing.finally(() => (isOver = true))
  while (!isOver && votes.filter(({ answer }) => answer !== undefined).length < count)
    await Bun.sleep(1)
}

async function cast(site: Site, vote: Vote): Promise<void> {
  const { status, body } = await site.send(vote.user, vote.path, {}, vote.key)
  vote.answer = JSON.stringify({ status, body })
}

/** Each is sent again: it is done now, and answered as it was. */
async function castAgain(site: Site, votes: readonly Vote[]): Promise<string[]> {
  const faults: string[] = []
  for (const vote of votes) {
    const before = vote.answer
    await cast(site, vote)
    if (before !== undefined && before !== vote.answer)
      faults.push(`${vote.key} was answered ${before}, then ${vote.answer ?? ''}`)
    if (!vote.answer?.startsWith('{"status":200,'))
      faults.push(`${vote.key} again: ${vote.answer ?? ''}`)
  }
  return faults
}

const UNDONE = `SELECT count(*) FROM svc_jobs WHERE Name = 'workflow-timer'
  AND State NOT IN ('Succeeded', 'Failed', 'Deleted')`

const LOOKS = 600

async function drain({ folder }: Site): Promise<string[]> {
  const count = (): number => Number(read(folder, UNDONE)[0]?.[0])
  for (let look = 0; look < LOOKS && count() > 0; look++) await Bun.sleep(50)
  const left = count()
  return left > 0 ? [`${left} timers never fired`] : []
}

const read = (folder: string, sql: string): unknown[][] =>
  readDatabase(folder, 'engine', (database) => database.query(sql).values())

/** Of each instance: how often it came to its end, and how often each thing that follows. */
const MOVES = `SELECT i.Id, i.Status, i.State, r.State AS Stored,
  (SELECT count(*) FROM svc_workflow_history h WHERE h.InstanceId = i.Id
    AND h.ToState IN ('done', 'lapsed')) AS Moves,
  (SELECT count(*) FROM marks m WHERE m.ItemId = r.Id) AS Marks,
  (SELECT count(*) FROM svc_notifications n WHERE n.Kind = 'Item' AND n.Title = r.Id) AS Told,
  (SELECT count(*) FROM svc_outbox o WHERE o.Payload ->> 'Subject' = CAST(r.Id AS TEXT)) AS Mails,
  (SELECT count(*) FROM svc_jobs j WHERE j.Name = 'work' COLLATE NOCASE
    AND j.Arguments ->> 'Id' = r.Id) AS Jobs,
  (SELECT count(*) FROM svc_workflow_votes v JOIN svc_workflow_tasks t ON t.Id = v.TaskId
    WHERE t.InstanceId = i.Id) AS Votes,
  (SELECT count(*) FROM svc_workflow_history h WHERE h.InstanceId = i.Id
    AND h.Action = 'Approve') AS Words,
  (SELECT count(*) FROM svc_workflow_tasks t WHERE t.InstanceId = i.Id
    AND t.Status = 'Open') AS Open,
  (SELECT count(*) FROM svc_workflow_history h WHERE h.InstanceId = i.Id) AS Entries,
  (SELECT count(*) FROM svc_audit a WHERE a.Entity = 'svc_workflow_instances'
    AND a.RecordKey = '[' || i.Id || ']') AS Audited
  FROM svc_workflow_instances i JOIN items r ON '[' || r.Id || ']' = i.RecordKey`

/** Lists work that is half there, or there twice, and work that was answered and is not there. */
function inspectMoves(folder: string, votes: readonly Vote[]): string[] {
  return readDatabase(folder, 'engine', (database) => {
    const faults: string[] = []
    let moves = 0
    for (const row of database.query(MOVES).all() as Record<string, unknown>[]) {
      const { State, Stored, Status, Moves, Open, Votes, Words, Entries, Audited } = row
      moves += Number(Moves)
      const isEnd = Moves === 1
      const followed = [row.Marks, row.Told, row.Mails, row.Jobs].every((n) => n === Moves)
      const holds =
        (isEnd || Moves === 0) &&
        followed &&
        State === Stored &&
        Votes === Words &&
        Entries === Audited &&
        (Status === 'Finished') === isEnd &&
        Open === (State === 'review' ? 1 : 0) &&
        (State === 'done') === (Votes === 2)
      if (!holds) faults.push(JSON.stringify(row))
    }
    const sent = database.query(`SELECT count(*) FROM svc_jobs WHERE Name = 'webhook-delivery'`)
    const deliveries = Number(sent.values()[0]?.[0])
    if (deliveries !== moves) faults.push(`${deliveries} deliveries of ${moves} moves`)
    const words = database.query('SELECT count(*) FROM svc_workflow_votes').values()
    const acked = votes.filter(({ answer }) => answer !== undefined).length
    if (Number(words[0]?.[0]) < acked) faults.push(`${acked} votes were answered, fewer are there`)
    return faults
  })
}
