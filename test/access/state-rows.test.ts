/** Expired rows leave `state.db` with the writes that come after; valid ones stay. */
import { expect, test } from 'bun:test'
import { findUser } from '../../src/access/users/users.ts'
import { type IdentityServer, startIdentity } from '../support/identity.ts'

const YEAR_MS = 365 * 24 * 60 * 60_000

const open = ({ context }: IdentityServer) =>
  context.identity.sessions.open({ userId: 1, companyId: 1, client: undefined, address: 'none' })

const TABLES: [string, (server: IdentityServer, at: number) => Promise<unknown>][] = [
  ['svc_sessions', open],
  ['svc_refresh_tokens', open],
  [
    'svc_mfa_challenges',
    async ({ context }) => {
      const user = await findUser(context.store, 'root')
      if (user) await context.identity.challenges.open(user, 1)
    },
  ],
  ['svc_password_resets', ({ context }) => context.identity.resets.open(1)],
  [
    'svc_throttles',
    ({ context }, at) =>
      context.identity.throttles.login.fail({ user: `user ${at}`, address: `192.0.2.${at}` }),
  ],
]

test.each(TABLES)('%s', async (table, write) => {
  await using server = await startIdentity()
  const count = async () =>
    Number(
      await server.context.state.text({
        sql: `SELECT count(*) FROM ${table}`,
        args: {},
        runs: 'lane',
      }),
    )
  const writeSome = async (from: number, to: number) => {
    for (let at = from; at < to; at += 1) await write(server, at)
    return count()
  }
  const perWrite = table === 'svc_throttles' ? 2 : 1
  expect(await writeSome(0, 12)).toBe(12 * perWrite)
  server.clock.pass(YEAR_MS)
  // Less with each write, until only what came after is left.
  expect(await writeSome(12, 13)).toBeLessThan(12 * perWrite)
  expect(await writeSome(13, 24)).toBe(12 * perWrite)
})
