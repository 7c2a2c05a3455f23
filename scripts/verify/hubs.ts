/**
 * `kill -9` amid notifications, while clients of the hub are cut off and come back: none is lost,
 * and no connection receives one twice.
 */
import { inspectFolder, readDatabase } from './database.ts'
import { untilGone } from './ledger.ts'
import { Listener } from './listener.ts'
import { type Bench, printFigures, type Report } from './report.ts'
import { Site } from './site.ts'

const KILL_MS_MAX = 700
const WRITERS = 2

/** Users, each of whom has so many clients. */
const WATCHERS = ['ann', 'bob']
const CLIENTS = 3

const MODEL = `<Model>
  <Entity Name="Note" Table="notes" Company="CompanyId">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="CompanyId" Type="Integer" Required="true"/>
    <Column Name="Text" Type="Text"/>
    <On Event="created"><Notify Role="Watcher" Title="{Text}" Kind="Note"/></On>
  </Entity>
  <ObjectView Name="Notes" Entity="Note"/>
  <Rbac><Role Name="Watcher"><Grant Resource="Notes" Verbs="View List"/></Role></Rbac>
</Model>`

/** Writes that notify, clients that come and go, a kill at some moment; again. */
export async function verifyHubs(bench: Bench): Promise<Report> {
  const users = Object.fromEntries(WATCHERS.map((name) => [name, 'Watcher']))
  const plan = { model: MODEL, users: { root: 'System', ...users } }
  const site = await Site.open(bench, plan)
  const faults: string[] = []
  const notes = new Map<string, boolean>()
  const groups = new Map<string, Listener[]>()
  let kills = 0
  try {
    for (const name of WATCHERS)
      groups.set(
        name,
        await Promise.all(
          Array.from({ length: CLIENTS }, () => Listener.open(site.token(name), bench.random)),
        ),
      )
    const everybody = [...groups.values()].flat()
    const lead = (url: string | undefined): void => {
      for (const listener of everybody) listener.server = url
    }
    for (; kills < bench.rounds; kills++) {
      lead(site.api.url)
      const writing = Array.from({ length: WRITERS }, () => untilGone(() => write(site, notes)))
      await Bun.sleep(bench.random.next() * KILL_MS_MAX)
      lead(undefined)
      await site.kill()
      await Promise.all(writing)
      faults.push(...inspectFolder(site.folder).map((fault) => `round ${kills}: ${fault}`))
      await site.start()
    }
    lead(site.api.url)
    await Promise.all(everybody.map((listener) => listener.settle()))
    faults.push(...compare(site, notes, groups))
  } finally {
    await Promise.all([...groups.values()].flat().map((each) => each[Symbol.asyncDispose]()))
    await site.kill()
  }
  return { figures: printFigures({ kills, ...countAll(notes, groups) }), faults }
}

/** Each note with whether it was acknowledged; until the server is gone. */
async function write(site: Site, notes: Map<string, boolean>): Promise<never> {
  for (;;) {
    const Text = crypto.randomUUID()
    notes.set(Text, false)
    const body = { FormName: 'Notes', Parameters: { Text } }
    const answer = await site.send('root', '/api/v1/svc/object/submit', body)
    if (answer.status !== 200)
      throw new Error(`submit: ${answer.status} ${JSON.stringify(answer.body)}`)
    notes.set(Text, true)
  }
}

/** Compares the messages that each client heard with the files. */
function compare(
  site: Site,
  notes: ReadonlyMap<string, boolean>,
  groups: ReadonlyMap<string, readonly Listener[]>,
): string[] {
  const rows = readDatabase(site.folder, 'engine', (database) =>
    database
      .query(
        `SELECT u.UserName, n.Id, n.Title FROM svc_notifications n
           JOIN svc_users u ON u.Id = n.UserId`,
      )
      .values(),
  ) as [string, number, string][]
  const written = readDatabase(site.folder, 'engine', (database) =>
    database.query('SELECT Text FROM notes').values(),
  ) as [string][]
  const stored = new Set(written.map(([text]) => text))
  const faults = [...notes]
    .filter(([text, isAcked]) => isAcked && !stored.has(text))
    .map(([text]) => `note ${text} was acknowledged, and is not there`)
  for (const [name, listeners] of groups) {
    const own = rows.filter(([userName]) => userName === name)
    const titles = own.map(([, , title]) => title).sort()
    if (titles.join() !== [...stored].sort().join())
      faults.push(`${name} has ${titles.length} notifications of ${stored.size} notes`)
    const ids = new Set(own.map(([, id]) => id))
    for (const { heard, faults: found } of listeners) {
      faults.push(...found.map((fault) => `${name}: ${fault}`))
      faults.push(...[...ids.difference(heard)].map((id) => `${name} never heard of ${id}`))
      faults.push(...[...heard.difference(ids)].map((id) => `${name} heard of ${id}, of no record`))
    }
  }
  return faults
}

function countAll(
  notes: ReadonlyMap<string, boolean>,
  groups: ReadonlyMap<string, readonly Listener[]>,
): Record<string, number> {
  const all = [...groups.values()].flat()
  const sum = (read: (listener: Listener) => number): number =>
    all.reduce((total, listener) => total + read(listener), 0)
  return {
    acked: [...notes.values()].filter(Boolean).length,
    clients: all.length,
    connections: sum(({ connections }) => connections),
    heard: sum(({ heard }) => heard.size),
    'of them by Since': sum(({ missed }) => missed),
  }
}
