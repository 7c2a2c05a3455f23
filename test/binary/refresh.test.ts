/** Refresh tokens of the executable across kill -9. */
import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startExecutable, temporaryFolder } from '../support/executable.ts'
import { scaleCases } from '../support/property.ts'

const ANA = { UserName: 'ana', Password: 'ana-demo-password' }
const ROUNDS = scaleCases(2)
const AT_ONCE = 5

/** The refresh token that is answered; undefined for a refusal, or no answer at all. */
async function ask(url: string, path: string, body: object): Promise<string | undefined> {
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }
  try {
    const answer = await fetch(`${url}/api/v1/auth/${path}`, init)
    return ((await answer.json()) as { data?: { RefreshToken: string } }).data?.RefreshToken
  } catch {
    return undefined
  }
}

test('OAuth refresh reuse: kill -9 amid a refresh leaves one valid child, or none', async () => {
  using home = temporaryFolder()
  const dataFolder = join(home.path, 'data')
  mkdirSync(dataFolder)
  let token: string | undefined
  let server = await startExecutable({ dataFolder })
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const children = new Set<string | undefined>()
      token ??= await ask(server.url, 'login', ANA)
      const body = { RefreshToken: token }
      const asked = Array.from({ length: AT_ONCE }, () => ask(server.url, 'refresh', body))
      await Bun.sleep((round % 4) * 2)
      await server.kill()
      for (const child of await Promise.all(asked)) children.add(child)
      server = await startExecutable({ dataFolder, args: [] })
      for (const _ of [1, 2]) children.add(await ask(server.url, 'refresh', body))
      children.delete(undefined)
      expect(children.size).toBeLessThanOrEqual(1)
      // None, where the machine took longer than the grace of a repeat.
      const [child] = children
      token = child
    }
  } finally {
    await server.kill()
  }
})
