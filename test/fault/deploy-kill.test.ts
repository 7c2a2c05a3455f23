import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeployTarget } from '../support/deploy.ts'

const MAIN = join(import.meta.dir, '../../src/main.ts')
const ROUNDS = 4
const ROWS = 20_000

/**
 * Two states of one model: what lies between them rebuilds the parent and both of its children,
 * gives the parent another key, fills a column by query and, the first time, runs a migration.
 */
function writeModels(folder: string): void {
  for (const [name, type] of [
    ['old', 'Text'],
    ['new', 'Integer'],
  ] as const) {
    mkdirSync(join(folder, name))
    const id = '<Column Name="Id" Type="Integer" Key="true" Identity="true"/>'
    const entity = (of: string, key: string, more: string): string =>
      `<Entity Name="${of}" Table="${of.toLowerCase()}s" Label="${of} ${name}">${key}
        <Column Name="Amount" Type="${type}"/>${more}
      </Entity>`
    const keys = { old: '<Column Name="Code" Key="true"/>', new: `${id}<Column Name="Code"/>` }
    const parent = '<Column Name="ParentId" References="Parent" OnDelete="Cascade"/>'
    const filled = `<Column Name="Twice" Type="Integer" Required="true">
      <Fill>SELECT 2 * p.Amount FROM parents p WHERE p.Id = @ParentId</Fill></Column>`
    const child = entity('Child', id, name === 'new' ? parent + filled : parent)
    const statement = '<Sql>UPDATE childs SET Amount = Amount</Sql>'
    const migration = `<Migration Name="Tidy">${statement}</Migration>`
    writeFileSync(join(folder, name, 'parent.xml'), entity('Parent', keys[name], ''))
    writeFileSync(join(folder, name, 'child.xml'), child)
    if (name === 'new') writeFileSync(join(folder, name, 'tidy.xml'), migration)
  }
}

async function deploy(folder: string, name: string, killAfterMs?: number): Promise<void> {
  const child = Bun.spawn(
    [process.execPath, MAIN, 'deploy', join(folder, name), '--data', folder, '--allow-data-loss'],
    { stdout: 'ignore', stderr: 'ignore' },
  )
  if (killAfterMs === undefined) return void (await child.exited)
  await Promise.race([child.exited, Bun.sleep(killAfterMs)])
  child.kill('SIGKILL')
  await child.exited
}

async function readState(folder: string): Promise<string> {
  await using target = await DeployTarget.open(folder)
  const bodies = await target.rows(
    `SELECT Body FROM svc_scripts WHERE IsCurrent AND Type = 'Entity'`,
  )
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
  const key = label === 'new' ? 'Id' : 'Code'
  const held = await target.rows(
    `SELECT count(*) AS n FROM childs c JOIN parents p ON p.${key} = c.ParentId
     WHERE p.Amount = c.Amount ${label === 'new' ? 'AND c.Twice = 2 * p.Amount' : ''}`,
  )
  expect(held).toEqual([{ n: ROWS }])
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
        `INSERT INTO parents (Code, Amount) ${count} SELECT 'c' || (${ROWS} - i), i FROM n`,
        `INSERT INTO childs (Amount, ParentId) SELECT Amount, Code FROM parents`,
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
