/** Data folders of applications that the client never saw: adopted databases, and extremes. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHINOOK_SQL } from '../adopt/chinook.ts'
import { NORTHWIND_SQL } from '../adopt/northwind.ts'
import { SAKILA_SQL } from '../adopt/sakila.ts'
import { makeSource } from '../adopt/sources.ts'
import { makeStrangeModel } from './strange-model.ts'
import { runCommand } from '../support/executable.ts'

/** Adopted databases by name. */
const ADOPTED: Readonly<Record<string, string>> = {
  chinook: CHINOOK_SQL,
  northwind: NORTHWIND_SQL,
  sakila: SAKILA_SQL,
}

/** Names of the applications. */
export const UNSEEN = ['extremes', ...Object.keys(ADOPTED)]

/** Makes a data folder within `home` whose user `ada` may do everything; resolves to its path. */
export async function makeUnseenFolder(home: string, name: string): Promise<string> {
  const run = async (...args: string[]): Promise<void> => {
    const options = { cwd: home, stdin: 'ada-demo-password' }
    const { exitCode, stderr } = await runCommand([...args, '--data', name], options)
    if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
  }
  const sql = ADOPTED[name]
  if (sql === undefined) {
    mkdirSync(join(home, 'model'))
    writeFileSync(join(home, 'model', 'strange.xml'), makeStrangeModel())
    await run('deploy', 'model')
  } else {
    makeSource(join(home, `${name}.sqlite`), sql)
    await run('adopt', `${name}.sqlite`)
  }
  await run('company', 'create', 'HOME', '--name', 'Home')
  const role = ['--role', 'Manager', '--company', 'HOME']
  await run('user', 'create', 'ada', ...role, '--password-stdin')
  return join(home, name)
}
