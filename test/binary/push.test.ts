/** Web push by the executable: keys of the first start, and a message by https. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TEST_CERTIFICATE } from '../support/certificate.ts'
import { startExecutable, temporaryFolder } from '../support/executable.ts'
import { PushService } from '../support/push-service.ts'

const PUSH = '/api/v1/push-subscription'

interface Reply {
  data: { AccessToken?: string; PublicKey?: string; Count?: number }
}

test('a browser that subscribed is sent a message after a restart, with the same key', async () => {
  using folder = temporaryFolder()
  using service = new PushService('https')
  const caFile = join(folder.path, 'ca.pem')
  writeFileSync(caFile, TEST_CERTIFICATE)
  const settings = { ...service.settings, 'Svc:Outbound:CaFile': caFile }
  const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
  const start = () => startExecutable({ dataFolder: folder.path, args: ['--demo', ...flags] })
  const browser = service.open()
  let token = ''
  const ask = async (url: string, path: string, body?: object): Promise<Reply['data']> => {
    const answer = await fetch(url + path, {
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    return ((await answer.json()) as Reply).data
  }
  let key: string | undefined
  {
    await using server = await start()
    const person = { UserName: 'ana', Password: 'ana-demo-password' }
    token = (await ask(server.url, '/api/v1/auth/login', person)).AccessToken ?? ''
    key = (await ask(server.url, `${PUSH}/vapid-key`)).PublicKey
    expect(await ask(server.url, PUSH, browser.subscription)).toMatchObject({ Count: 1 })
  }
  await using server = await start()
  expect((await ask(server.url, `${PUSH}/vapid-key`)).PublicKey).toBe(key)
  expect(await ask(server.url, `${PUSH}/test`, {})).toEqual({ Count: 1 })
  while (browser.pushed.length === 0) await Bun.sleep(20)
  expect(browser.messages[0]).toMatchObject({
    Kind: 'test',
    Title: 'Notifications are working in this browser',
  })
  expect(browser.pushed[0]?.signedBy).toBe(key)
  expect(server.errors()).not.toMatch(/"level":"(?:warn|error)"/)
})
