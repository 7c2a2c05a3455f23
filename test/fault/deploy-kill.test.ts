import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeployTarget } from '../support/deploy.ts'

const MAIN = join(import.meta.dir, '../../src/main.ts')
const ROUNDS = 8
const ROWS = 20_000

/** Two states of one model: what lies between them rebuilds the parent and both of its children. */
function writeModels(folder: string): void {
  for (const [name, type] of [
    ['old', 'Text'],
    ['new', 'Integer'],
  ] as const) {
    mkdirSync(join(folder, name))
    const entity = (of: string, more: string): string =>
      `<Entity Name="${of}" Table="${of.toLowerCase()}s" Label="${of} ${name}">
        <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
        <Column Name="Amount" Type="${type}"/>${more}
      </Entity>`
    const parent = '<Column Name="ParentId" References="Parent" OnDelete="Cascade"/>'
    writeFileSync(join(folder, name, 'parent.xml'), entity('Parent', ''))
    writeFileSync(join(folder, name, 'child.xml'), entity('Child', parent))
  }
}

async function deploy(folder: string, name: string, killAfterMs?: number): Promise<void> {
  const child = Bun.spawn(
    [process.execPath, MAIN, 'deploy', join(folder, name), '--data', folder],
    { stdout: 'ignore', stderr: 'ignore' },
  )
  if (killAfterMs === undefined) return void (await child.exited)
  await Promise.race([child.exited, Bun.sleep(killAfterMs)])
  child.kill('SIGKILL')
  await child.exited
}

async function readState(folder: string): Promise<string> {
  await using target = await DeployTarget.open(folder)
  const bodies = await target.rows('SELECT Body FROM svc_scripts WHERE IsCurrent')
  const labels: string[] = bodies.map(({ Body }) =>
    String(Body).includes(' new"') ? 'new' : 'old',
  )
  const [label = ''] = labels
  expect(labels).toEqual([label, label])
  const type = label === 'new' ? 'INTEGER' : 'TEXT'
  for (const table of ['parents', 'childs']) {
    expect(await target.rows(`SELECT count(Amount) AS n FROM ${table}`)).toEqual([{ n: ROWS }])
    const columns = await target.rows(
      `SELECT type FROM pragma_table_info('${table}') WHERE name = 'Amount'`,
    )
    expect(columns).toEqual([{ type }])
  }
  return label
}

test(
  'kill -9 in the middle of a deploy leaves the old model or the new one, and every row',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'deploy-kill-'))
    writeModels(folder)
    await deploy(folder, 'old')
    {
      await using target = await DeployTarget.open(folder)
      const count = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${ROWS})`
      await target.run(
        `INSERT INTO parents (Amount) ${count} SELECT i FROM n`,
        `INSERT INTO childs (Amount, ParentId) SELECT Amount, Id FROM parents`,
      )
    }
    let state = await readState(folder)
    for (let round = 0; round < ROUNDS; round++) {
      await deploy(folder, state === 'old' ? 'new' : 'old', 150 + round * 60)
      state = await readState(folder)
    }
    await deploy(folder, state === 'old' ? 'new' : 'old')
    expect(await readState(folder)).not.toBe(state)
    rmSync(folder, { recursive: true, force: true })
  },
  { timeout: 60_000 },
)
