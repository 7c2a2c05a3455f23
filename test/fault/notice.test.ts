/** The verification itself: it must notice what it is made to find. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Random } from '../../data/demo/random.ts'
import { builtExecutable, findServedDemo, temporaryFolder } from '../support/executable.ts'
import { Shop } from '../../scripts/verify/shop.ts'

interface Made {
  Id: number
  TraceId: string
}

/** Orders that nothing but the request of a given trace has touched. */
const MADE = `SELECT o.Id, a.TraceId FROM orders o JOIN svc_audit a
  ON a.Entity = 'Order' AND a.Action = 'insert' AND a.RecordKey = '[' || o.Id || ']'
  WHERE a.TraceId IN (SELECT value FROM json_each(?)) AND o.Status = 'new' AND o.Remark IS NULL
  ORDER BY o.Id`

test('lost and half writes are noticed', async () => {
  using home = temporaryFolder()
  const folder = join(home.path, 'data')
  const [command, demo] = [[await builtExecutable()], await findServedDemo()]
  const shop = await Shop.open({ command, folder, demo, random: new Random(1) })
  try {
    const ledger = shop.begin()
    const stop = shop.load(ledger)
    await ledger.whenAnswered(40, 'acked')
    await stop()
    await shop.server.stop()
    using database = new Database(join(folder, 'engine.db'))
    const creates = ledger.writes.filter(({ what }) => what === 'create').map(({ trace }) => trace)
    const made = database.query(MADE).all(JSON.stringify(creates)) as Made[]
    const [lost, lineless, untraced] = made
    database.exec(`
      DELETE FROM order_lines WHERE OrderId = ${lost?.Id};
      DELETE FROM orders WHERE Id = ${lost?.Id};
      DELETE FROM svc_audit WHERE TraceId = '${lost?.TraceId}';
      DELETE FROM order_lines WHERE LineNumber = 1 AND OrderId = ${lineless?.Id};
      DELETE FROM svc_audit WHERE Entity = 'Order' AND TraceId = '${untraced?.TraceId}'`)
    const findings = shop.checkFiles(ledger, { isWhole: true })
    expect(findings.lost).toEqual([`create ${lost?.TraceId} acked`])
    const told = findings.half.join('\n')
    expect(told).toMatch(/has the number SO-\d+-\d+ after \d+/)
    expect(told).toMatch(/order_lines \d+ is undefined, by the audit \{/)
    expect(told).toContain(`create ${untraced?.TraceId} acked: {"OrderLine insert":`)
    expect(shop.faults.join('\n')).toMatch(/audit entry \d+ does not follow the one before it/)
    expect(told).toMatch(/orders has \d+ rows, the audit tells of \d+/)
  } finally {
    await shop.server.kill()
  }
})
