/** `serve --demo`: the demo application with its companies, users and records. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, saveFile } from '../kernel/durable.ts'
import { type Store, systemScope, type Tx } from '../store/store.ts'
import { deployModel } from '../model/deploy/deploy.ts'
import { formatDiagnostic } from '../model/deploy/report.ts'
import { saveNewCompany } from '../access/companies.ts'
import { hashPassword } from '../access/passwords/password.ts'
import { parseRoleGrant } from '../access/users/user-names.ts'
import { saveNewUser } from '../access/users/users.ts'
import type { AppContext } from '../server/context.ts'
import { isUntouched } from './first-start.ts'
import { CommandFailure, formatTable } from './output.ts'
import { typesText } from './types.ts'
import { deployFiles } from './watch.ts'
import {
  demoCompanies,
  demoExtensions,
  demoFiles,
  demoUsers,
  seedDemo,
} from '../../data/demo/demo.ts'

const FACT = 'demo'
const DEMO_SCALE = 1
const ALL = systemScope('the demo application is filled')

/**
 * Fills an empty data folder with the demo; leaves one that has it as it is. Resolves to the lines
 * that tell its users. Refuses a folder that holds something else.
 */
export async function prepareDemo(context: AppContext): Promise<string[]> {
  if (!(await hasDemo(context.store))) {
    await requireEmpty(context)
    await deployDemo(context)
    writeExtensions(context.extensions.folder)
    await fillDemo(context)
  }
  const rows = demoUsers.map(({ userName, password, roles }) => [
    `  ${userName}`,
    password,
    roles.join(', '),
  ])
  return ['Demo users, passwords and roles:', formatTable(rows)]
}

/** Deploys the demo's model files again, as they are now. */
export async function redeployDemo(context: AppContext): Promise<void> {
  await deployFiles(context, demoFiles)
}

async function hasDemo(store: Store): Promise<boolean> {
  const sql = 'SELECT EXISTS (SELECT 1 FROM svc_facts WHERE Name = @name)'
  return (await store.text({ sql, args: { name: FACT }, runs: 'inline' })) === '1'
}

/** A start that was ended in the middle left the demo's model alone: it may be filled. */
async function requireEmpty({ store, models }: AppContext): Promise<void> {
  const names = new Set(demoFiles.map(({ name }) => name))
  const isOwn = models.get().scripts.every(({ fileName }) => names.has(fileName))
  if (isOwn && (await isUntouched(store))) return
  throw new CommandFailure(
    'The data folder holds something other than the demo. Name an empty one with --data DIR, ' +
      'or start without --demo.',
  )
}

async function deployDemo({ store, models, clock }: AppContext): Promise<void> {
  const { plan } = await deployModel(store, models, demoFiles, {}, clock)
  if (plan.faults.length > 0) throw new Error(plan.faults.map(formatDiagnostic).join('\n'))
}

/** The demo's extensions, with what an editor needs to write more of them. */
function writeExtensions(folder: string): void {
  makeFolder(folder)
  const types = { name: 'appengine.d.ts', body: `${typesText()}\n` }
  for (const { name, body } of [types, ...demoExtensions]) {
    const path = join(folder, name)
    if (!existsSync(path)) saveFile(path, body)
  }
}

/** Fills the demo in one transaction, so that it is there whole or not at all. */
async function fillDemo({ store, models, clock }: AppContext): Promise<void> {
  const hashes = await Promise.all(demoUsers.map(({ password }) => hashPassword(password)))
  const actor = { now: clock.now(), source: 'demo' }
  const model = models.get()
  const knownRoles = [...model.roles.keys()]
  await store.write(async (tx) => {
    for (const company of demoCompanies) await saveNewCompany(tx, company, actor, model)
    for (const [at, { password: _, ...user }] of demoUsers.entries()) {
      const roles = user.roles.map(parseRoleGrant)
      const passwordHash = hashes[at] ?? ''
      await saveNewUser(tx, { ...user, roles, passwordHash }, { knownRoles, actor })
    }
    await seedDemo(tx, DEMO_SCALE)
    await saveFact(tx, clock.now())
  }, ALL)
}

async function saveFact(tx: Tx, now: Date): Promise<void> {
  const sql = 'INSERT INTO svc_facts (Name, Value) VALUES (@name, @value)'
  await tx.run(sql, { name: FACT, value: now.toISOString() })
}
