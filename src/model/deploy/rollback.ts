/** Plans that the last deploy is rolled back: the model and the tables as they were before it. */
import { conflict, type Failure } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { SqlFault } from '../../store/gate/fault.ts'
import { openGate, type SqlGate } from '../../store/gate/gate.ts'
import type { Reader } from '../../store/store.ts'
import type { CompileScripts } from '../compile/compile-scripts.ts'
import { sortFaults } from '../compile/fault-list.ts'
import { keyOfScript, type Script } from '../compiled/script.ts'
import { probeLostDrafts } from './draft-losses.ts'
import { type LastDeploy, loadLastDeploy } from './last-deploy.ts'
import { describeOutdatedWork } from './outdated-work.ts'
import { type DeployOptions, namesOf, type Preparation, refuse, type Undo } from './plan.ts'
import { loadTouched, planRollbackCatalog, type TouchedScripts } from './rollback-catalog.ts'
import { type DeployBase, prepareTables } from './tables.ts'
import type { GivenByDeploy } from '../migrate/given.ts'
import type { StoredSchema } from '../migrate/stored-schema.ts'
import { planRbacDeploy } from '../rbac/deploy.ts'
import { ENGINE_DDL, renderTable } from '../sql/ddl.ts'
import { quote } from '../sql/quote.ts'

/** The code of the 409 for a deploy that cannot be rolled back. */
const NO_ROLLBACK = 'NO_ROLLBACK'

/**
 * Plans the way back from the last deploy; nothing to do where it was rolled back already.
 * @throws conflict (409) where there is nothing to go back to, or the deploy lost data
 */
export async function planRollback(
  reader: Reader,
  base: DeployBase,
  options: DeployOptions,
  compile: CompileScripts,
): Promise<Preparation> {
  const { last, text } = requireLast(await loadLastDeploy(reader), base)
  const rollback = { deployedAt: last.at, rolledBackAt: last.rolledBackAt }
  if (last.rolledBackAt !== undefined) {
    const nothing = { steps: [], losses: [], outdated: [], warnings: [], faults: [] }
    return { plan: { ...namesOf(undefined), ...nothing, rollback }, ready: undefined }
  }
  requireLossless(last)
  const undo: Undo = { last, text, touched: await loadTouched(reader, last) }
  const prepared = await prepareUndo(base, undo, options, compile)
  return { ...prepared, plan: { ...prepared.plan, rollback } }
}

/** Conflict (409): there is no model at all. */
export const nothingDeployed = (): Failure =>
  conflict(say`No model has been deployed: there is nothing to roll back.`, { code: NO_ROLLBACK })

function requireLast(
  found: Awaited<ReturnType<typeof loadLastDeploy>>,
  { scripts }: DeployBase,
): NonNullable<typeof found> {
  if (found && !found.last.isFirst) return found
  if (found)
    throw conflict(say`The last deploy was the first one: there is no model to go back to.`, {
      code: NO_ROLLBACK,
    })
  if (scripts.length === 0) throw nothingDeployed()
  throw conflict(
    say`An earlier version made the last deploy and kept no way back. Deploy the earlier files.`,
    { code: NO_ROLLBACK },
  )
}

function requireLossless({ lost }: LastDeploy): void {
  if (lost.length === 0) return
  const told = lost.join('; ')
  throw conflict(
    say`The last deploy lost data: ${told}. Restore a backup, or deploy the earlier files.`,
    { code: NO_ROLLBACK, members: { losses: lost } },
  )
}

async function prepareUndo(
  base: DeployBase,
  undo: Undo,
  options: DeployOptions,
  compile: CompileScripts,
): Promise<Preparation> {
  const { last, touched } = undo
  const isReplaced = options.overwrite ?? false
  const planned = planRollbackCatalog(base.scripts, touched, last, isReplaced)
  const rbac = await planRbacDeploy(planned.catalog, {
    given: planned.given,
    deployed: listLeft(base.scripts, touched),
    isReplaced,
    isRemovedHere: false,
    renames: last.roles.map(({ kind, from, to }) => ({ kind, from: to, to: from })),
  })
  const { catalog } = rbac
  const compileBeside = (scripts: readonly Script[]) => compile(scripts, [])
  const { model, ...compiled } = await compileBeside(catalog.scripts)
  const faults = [...rbac.faults, ...compiled.faults]
  if (model === undefined || rbac.faults.length > 0)
    return refuse(sortFaults(faults), catalog, compiled.warnings)
  const undoing = { entities: last.entities, given: await checkGiven(last.given, base.schema) }
  const prepared = await prepareTables(
    base,
    rbac,
    { ...compiled, model },
    {
      rowsOf: listRowsEntities([...catalog.new, ...catalog.changed, ...catalog.adopted]),
      probes: probeLostDrafts(catalog.removed),
      undoing,
    },
  )
  if (prepared.ready?.kind !== 'deploy') return prepared
  const ready = { ...prepared.ready, undo }
  const work = { ...ready, reader: base.reader, compile: compileBeside }
  return { ready, plan: { ...prepared.plan, outdated: await describeOutdatedWork(work) } }
}

/** The Rbac as the deploy left it, by the names of scripts: what is otherwise was changed since. */
function listLeft(stored: readonly Script[], touched: TouchedScripts): ReadonlyMap<string, string> {
  return new Map(
    stored.flatMap((script): [string, string][] => {
      if (script.type !== 'Rbac') return []
      const known = touched.get(keyOfScript(script))
      const body = known ? known.after?.script.body : script.body
      return body === undefined ? [] : [[script.name, body]]
    }),
  )
}

/** The entities whose reference rows come back with other values. */
const listRowsEntities = (scripts: readonly Script[]): ReadonlySet<string> =>
  new Set(
    scripts.flatMap(({ type, element }) =>
      type === 'Rows' && element.attributes.Entity !== undefined ? element.attributes.Entity : [],
    ),
  )

/** Leaves out each `Fill` that the tables of now do not answer: the names in it may be gone. */
async function checkGiven(given: GivenByDeploy, { tables }: StoredSchema): Promise<GivenByDeploy> {
  if (given.columns.length === 0) return given
  const gate = await openGate([
    ...ENGINE_DDL,
    ...tables.map((table) => renderTable(table, table.table)),
  ])
  try {
    const columns = given.columns.filter(({ entity, fill }) => {
      const table = tables.find((each) => each.entity === entity)?.table
      return table !== undefined && isAnswered(gate, fill, table)
    })
    return { ...given, columns }
  } finally {
    gate.close()
  }
}

function isAnswered(gate: SqlGate, fill: string, table: string): boolean {
  try {
    return gate.condition(fill, `SELECT * FROM ${quote(table)}`).parameters.length === 0
  } catch (error) {
    if (error instanceof SqlFault) return false
    throw error
  }
}
