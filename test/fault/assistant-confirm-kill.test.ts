/**
 * `kill -9` while proposals are confirmed, told from outside: each is carried out once, and answers
 * the same however often it is confirmed.
 */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { HubConnectionBuilder, LogLevel } from '@microsoft/signalr'
import { type RunningExecutable, startExecutable, temporaryFolder } from '../support/executable.ts'
import { sampleCases } from '../support/property.ts'

const PROPOSALS = 15
/** Results after which the process is killed, a round each. */
const ROUNDS = sampleCases([4, 0, 13], 2)

async function signIn({ url }: RunningExecutable): Promise<string> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ UserName: 'ana', Password: 'ana-demo-password' }),
  })
  return ((await answer.json()) as { data: { AccessToken: string } }).data.AccessToken
}

/** Proposes a topic by the tool, as an MCP client does. */
async function propose({ url }: RunningExecutable, token: string, Code: string): Promise<string> {
  const given = { Kind: 'create', ObjectName: 'topics', Values: { Code, Name: `Topic ${Code}` } }
  const params = { name: 'propose', arguments: given }
  const answer = await fetch(`${url}/api/v1/mcp`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const { result } = (await answer.json()) as { result: { content: { text: string }[] } }
  return (JSON.parse(result.content[0]?.text ?? '{}') as { ProposalId: string }).ProposalId
}

async function connect({ url }: RunningExecutable, token: string) {
  const hub = new HubConnectionBuilder()
    .configureLogging(LogLevel.None)
    .withUrl(`${url}/api/v1/hubs/assistant`, { accessTokenFactory: () => token })
    .build()
  await hub.start()
  return hub
}

/** Confirms all at once until the process is killed; gives what was answered. */
async function confirmUntilKilled(
  server: RunningExecutable,
  ids: readonly string[],
  answers: number,
): Promise<Map<string, unknown>> {
  const token = await signIn(server)
  const hubs = [await connect(server, token), await connect(server, token)]
  const results = new Map<string, unknown>()
  const enough = Promise.withResolvers<void>()
  const calls = ids.map(async (id, at) => {
    try {
      results.set(id, await hubs[at % 2]?.invoke<unknown>('Confirm', id))
      if (results.size === answers) enough.resolve()
    } catch {
      // The process is gone: the proposal is confirmed again below.
    }
  })
  if (answers > 0) await enough.promise
  await server.kill()
  await Promise.all(calls)
  await Promise.all(hubs.map((hub) => hub.stop()))
  return results
}

test('each proposal is carried out once, whenever the process is killed', async () => {
  using home = temporaryFolder()
  const dataFolder = join(home.path, 'data')
  mkdirSync(dataFolder)
  const start = () => startExecutable({ dataFolder, args: ['--demo'] })
  let server = await start()
  try {
    for (const [round, answers] of ROUNDS.entries()) {
      const token = await signIn(server)
      const codes = Array.from({ length: PROPOSALS }, (_, at) => `r${round}-${at}`)
      const ids: string[] = []
      for (const code of codes) ids.push(await propose(server, token, code))
      const before = await confirmUntilKilled(server, ids, answers)
      server = await start()
      const hub = await connect(server, await signIn(server))
      for (const id of ids) {
        const result = await hub.invoke<unknown>('Confirm', id)
        expect(result).toMatchObject({ Action: 'created' })
        if (before.has(id)) expect(result).toEqual(before.get(id))
        expect(await hub.invoke<unknown>('Confirm', id)).toEqual(result)
      }
      await hub.stop()
      using database = new Database(join(dataFolder, 'engine.db'), { readonly: true })
      const found = database
        .query('SELECT Code FROM topics WHERE Code LIKE ? ORDER BY Code')
        .all(`r${round}-%`) as { Code: string }[]
      expect(found.map(({ Code }) => Code)).toEqual(codes.toSorted())
    }
  } finally {
    await server.kill()
  }
})
