/** A plan sees one state of what is deployed, whatever is committed while it reads. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openReadOnly } from '../../src/store/file/open.ts'
import type { Reader, StateReader } from '../../src/store/store.ts'
import { executeDeploy } from '../../src/model/deploy/deploy.ts'
import { planDeploy, prepareDeploy } from '../../src/model/deploy/prepare.ts'
import { LIMITS, makeFolder } from '../store/temporary.ts'
import { DeployTarget, NOW } from '../support/deploy.ts'

const rbac = (capabilities: string): string => `<Rbac>${capabilities}
  <Role Name="Clerk"><Grant Resource="Kinds" Verbs="View List"/></Role></Rbac>`

const KINDS = `<Model>
  <Entity Name="Kind" Table="kinds"><Column Name="Code" Type="Text" Key="true"/></Entity>
  <ObjectView Name="Kinds" Entity="Kind">
    <RowAction Name="Sign" Capability="Approve"><Notify Role="Clerk" Title="Signed"/></RowAction>
  </ObjectView>
</Model>`

const OLD = { 'kinds.xml': KINDS.replace(/<RowAction.*<\/RowAction>/s, ''), 'rbac.xml': rbac('') }
const NEW = { 'kinds.xml': KINDS, 'rbac.xml': rbac('<Capability Name="Approve"/>') }

/** A reader behind whose first read something happens. */
function interrupt(reader: StateReader, happen: () => Promise<unknown>): StateReader {
  let isFirst = true
  const wrap = (inner: Reader): Reader => ({
    text: (read) => inner.text(read),
    get: (read, args) => inner.get(read, args),
    async all(read, args) {
      const rows = await inner.all(read, args)
      if (isFirst) {
        isFirst = false
        await happen()
      }
      return rows as never
    },
  })
  return {
    ...wrap(reader),
    snapshot: (name, work) => reader.snapshot(name, (state) => work(wrap(state))),
  }
}

test('a deploy amid a plan leaves it one state: all of before, or all of behind', async () => {
  using home = makeFolder()
  await using target = await DeployTarget.open(home.folder)
  await target.deploy(OLD)
  const reader = await openReadOnly(join(home.folder, 'engine.db'), LIMITS)
  const files = Object.entries(NEW).map(([name, body]) => ({ name, body }))
  // Prepared already: one plan at a time is made in a process.
  const { store, models } = target
  const prepared = await prepareDeploy(store, files, {})
  expect(prepared.plan.faults).toEqual([])
  const deployed: boolean[] = []
  const amid = interrupt(reader, async () => {
    const parts = { store, models, clock: { now: () => new Date(NOW) } }
    deployed.push((await executeDeploy(parts, prepared, {})).isDone)
  })
  const plan = await planDeploy(amid, files, { dryRun: true })
  await reader.close()
  expect(deployed).toEqual([true])
  expect(plan.faults).toEqual([])
  expect(plan.changed.map(({ name }) => name)).toEqual(['Kinds', 'Rbac'])
})
