/**
 * A process for the tests that need one: `lock <folder>` holds the folder, `write <folder>` writes
 * numbered facts and prints each number once its commit was answered; `rival <folder>` tries to
 * lock the folder at the instant that comes in, and tells what came of it.
 */
import { join } from 'node:path'
import { FolderInUse, lockDataFolder } from '../../src/store/file/lock.ts'
import { ALL, openFile } from './temporary.ts'

const [task, folder = ''] = process.argv.slice(2)

if (task === 'rival') await compete()
await lockDataFolder(folder)
if (task === 'write') await write()
else {
  console.log('locked')
  await new Promise<never>(() => setInterval(() => undefined, 1000))
}

async function compete(): Promise<void> {
  console.log('ready')
  const input = process.stdin[Symbol.asyncIterator]()
  const instant = Number(String((await input.next()).value))
  while (Date.now() < instant) continue
  const isLocked = await lockDataFolder(folder).then(
    () => true,
    (error: unknown) => {
      if (error instanceof FolderInUse) return false
      throw error
    },
  )
  console.log(isLocked ? 'locked' : 'in use')
  // Who has it keeps it until all others have tried.
  await input.next()
  process.exit()
}

async function write(): Promise<never> {
  const store = await openFile(join(folder, 'engine.db'))
  const last = await store.text({
    sql: "SELECT max(CAST(Value AS INTEGER)) FROM svc_facts WHERE Name LIKE 'n%'",
    args: {},
    runs: 'inline',
  })
  for (let number = Number(last) + 1; ; number += 3)
    await Promise.all([number, number + 1, number + 2].map((each) => writeFact(each)))

  async function writeFact(number: number): Promise<void> {
    await store.write(async (tx) => {
      const sql = 'INSERT INTO svc_facts VALUES (@name, @number)'
      await tx.run(sql, { name: `n${number}`, number })
      await tx.run(sql, { name: `twin of n${number}`, number })
    }, ALL)
    console.log(number)
  }
}
