/** Open work that a deploy outdates, counted with no more compilations than a plan may take. */
import { expect, test } from 'bun:test'
import { compileHere } from '../../src/model/compile/compile-scripts.ts'
import { emptyModel } from '../../src/model/compile/compile.ts'
import { planCatalog } from '../../src/model/deploy/catalog-plan.ts'
import { describeOutdatedWork } from '../../src/model/deploy/outdated-work.ts'
import { planMigration } from '../../src/model/migrate/migration.ts'
import { parseModelFile } from '../../src/model/parse/parse.ts'
import { ALL, openTemporary } from '../store/temporary.ts'

const VERSIONS = 25

/** Instances of versions whose text is gone: 25 of the first, 24 of the next, one of the last. */
const INSTANCES = `WITH RECURSIVE
  version(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM version WHERE v < ${VERSIONS}),
  place(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM place WHERE n < ${VERSIONS})
  INSERT INTO svc_workflow_instances
    (Workflow, VersionHash, Entity, RecordKey, CompanyId, State, Status, Version, Entry,
     EnteredAt, StartedAt)
  SELECT 'Approval', v, 'Request', v || '.' || n, 1, 'review', 'Running', 1, 1,
    '2026-01-01', '2026-01-01'
  FROM version, place WHERE n <= ${VERSIONS} + 1 - v`

const planDeploy = async (entities: number) => {
  const parts = Array.from({ length: entities }, (_, at) => {
    const key = '<Column Name="Id" Type="Integer" Key="true" Identity="true"/>'
    return `<Entity Name="Part${at}" Table="parts${at}">${key}</Entity>`
  })
  const file = { name: 'parts.xml', body: `<Model>${parts.join('')}</Model>` }
  const { scripts } = await parseModelFile(file)
  const model = emptyModel()
  return {
    catalog: planCatalog([], scripts, { prune: false, changedHere: [], former: undefined }),
    model,
    migration: await planMigration([], model, { hasMigrations: false, rows: new Map() }),
    compile: (given: Parameters<typeof compileHere>[0]) => compileHere(given, []),
  }
}

test.each([
  [10, 20],
  [500, 4],
  [2100, 1],
])('beside %i scripts the plan looks at %i of the earlier versions', async (entities, versions) => {
  await using temporary = await openTemporary()
  const { store } = temporary
  await store.write((tx) => tx.run(INSTANCES), ALL)
  const told = await describeOutdatedWork({ reader: store, ...(await planDeploy(entities)) })
  const counts = Array.from({ length: VERSIONS }, (_, at) => VERSIONS - at)
  const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0)
  expect(told).toEqual([
    `${sum(counts.slice(0, versions))} open instances of the workflow Approval cannot continue: ` +
      'the workflow is no longer in the model',
    `${sum(counts.slice(versions))} open instances of other versions of workflows: not checked`,
  ])
})
