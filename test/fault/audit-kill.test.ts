/** `kill -9` between writes of many clients: the audit log holds together, and says so. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Random } from '../../data/demo/random.ts'
import {
  builtExecutable,
  findServedDemo,
  runCommand,
  temporaryFolder,
} from '../support/executable.ts'
import { scaleCases } from '../support/property.ts'
import { Shop } from '../../scripts/verify/shop.ts'

const ROUNDS = scaleCases(1)

interface Proof {
  Entries: number
  Head: string
  Fault: { Id: number | null; Message: string } | null
}

test('kill -9 breaks no chain; the executable proves it, and names damage', async () => {
  using home = temporaryFolder()
  const folder = join(home.path, 'data')
  const prove = async (...words: string[]): Promise<Proof & { exitCode: number }> => {
    const args = ['check', '--audit', '--data', 'data', '--json', ...words]
    const { exitCode, stdout } = await runCommand(args, { cwd: home.path })
    return { ...(JSON.parse(stdout) as Proof), exitCode }
  }
  const whole = { Fault: null, exitCode: 0 }
  const shop = await Shop.open({
    command: [await builtExecutable()],
    folder,
    demo: await findServedDemo(),
    random: new Random(1),
  })
  try {
    let known = await prove()
    expect(known).toMatchObject(whole)
    for (let round = 1; round <= ROUNDS; round++) {
      const ledger = shop.begin()
      const stop = shop.load(ledger)
      await ledger.whenAnswered(10 * round)
      expect(await prove('--since', known.Head)).toMatchObject(whole)
      await shop.server.kill()
      await stop()
      known = await prove('--since', known.Head)
      expect(known).toMatchObject(whole)
      await shop.start()
      shop.checkFiles(ledger)
    }
    expect(shop.faults).toEqual([])
    await shop.server.stop()
    using database = new Database(join(folder, 'engine.db'))
    const id = Math.floor(known.Entries / 2)
    database.run('UPDATE svc_audit SET UserId = 4711 WHERE Id = ?', [id])
    expect(await prove()).toMatchObject({ exitCode: 1, Entries: id - 1, Fault: { Id: id } })
  } finally {
    await shop.server.kill()
  }
})
