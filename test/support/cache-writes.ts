/** Writes to the world of the test of cached answers, in every way that there is. */
import type { Tx } from '../../src/store/store.ts'
import type { Mutation, ObjectEngine } from '../../src/engine/object/mutation.ts'
import { deleteRow } from '../../src/engine/object/write/delete-row.ts'
import { executeRowAction } from '../../src/engine/object/write/row-action.ts'
import { submit } from '../../src/engine/object/write/submit.ts'
import { type CacheWorld, NOW } from './cache-world.ts'

/** A whole number below a bound. */
export type Draw = (below: number) => number

type Write = (world: CacheWorld, draw: Draw) => Promise<unknown>

const ALL = { company: 'all', because: 'a test' } as const

const client = (draw: Draw): number => 1 + draw(12)
const bill = (draw: Draw): number => 1 + draw(20)

function mutate(world: CacheWorld, who = 'clerk'): Mutation {
  const { store, models } = world.app.context
  const caller = world.callers[who]
  if (!caller) throw new Error(`Nobody is called ${who}`)
  const model = models.get()
  const clock = { now: () => NOW }
  const engine = { ...world.app.context, clock, requireRowVersion: false } satisfies ObjectEngine
  const context = { caller, now: NOW, model }
  const rest = { served: model, traceId: '', allCompanies: false }
  return { engine: { ...engine, store }, caller, model, context, ...rest }
}

const save =
  (form: string, plan: (draw: Draw) => Record<string, unknown>, who?: string): Write =>
  (world, draw) =>
    submit(mutate(world, who), { FormName: form, Parameters: plan(draw) })

const act =
  (view: string, action: string): Write =>
  (world, draw) =>
    executeRowAction(mutate(world), {
      ObjectName: view,
      ActionName: action,
      Parameters: { Id: client(draw) },
    })

/** Work of the engine's own, in one transaction. */
const run =
  (work: (tx: Tx, draw: (below: number) => number) => Promise<unknown>): Write =>
  (world, draw) => {
    // Drawn before: a work may run again.
    const drawn = Array.from({ length: 8 }, () => draw(1000))
    return world.app.store.write((tx) => {
      let at = 0
      return work(tx, (below) => (drawn[at++ % drawn.length] ?? 0) % below)
    }, ALL)
  }

const REGIONS = ['north', 'south']

/** By how often each is chosen. */
export const WRITES: readonly Write[] = [
  save('Clients', (draw) => ({
    Name: `Client ${draw(100)}`,
    Region: REGIONS[draw(2)],
    CountryId: 1,
  })),
  save('Clients', (draw) => ({ Name: `Other ${draw(100)}`, Region: 'north' }), 'other'),
  save('Clients', (draw) => ({ Id: client(draw), Name: `Client ${draw(100)}`, OwnerId: 2 })),
  save('Bills', (draw) => ({ ClientId: client(draw), Total: draw(1000) / 100 })),
  save('Bills', (draw) => ({ ClientId: client(draw), Total: draw(1000) / 100 })),
  save('Bills', (draw) => ({ Id: bill(draw), Total: draw(1000) / 100, Status: 'new' })),
  run((tx, draw) =>
    tx.run(
      `INSERT INTO bill_lines (BillId, LineNo, CompanyId, Amount)
       SELECT Id, @line, CompanyId, 1.5 FROM bills WHERE Id = @id
       ON CONFLICT DO UPDATE SET Amount = Amount + 1`,
      { id: 1 + draw(5), line: 1 + draw(3) },
    ),
  ),
  save('Countries', (draw) => ({ Code: `c${draw(5)}`, Name: `Name ${draw(9)}` })),
  act('Clients', 'Shift'),
  act('Clients', 'Empty'),
  act('Bills', 'Close'),
  (world, draw) =>
    deleteRow(mutate(world), { ObjectName: 'Clients', Parameters: { Id: client(draw) } }),
  (world, draw) =>
    deleteRow(mutate(world), { ObjectName: 'Bills', Parameters: { Id: bill(draw) } }),
  // Deletes by keys come back at low numbers, so that forms and pages meet them again.
  run((tx, draw) =>
    tx.run(
      `INSERT INTO clients (Id, CompanyId, Name, Region, CountryId, OwnerId)
       VALUES (@id, 1, 'Again', 'north', 1, 3) ON CONFLICT DO UPDATE SET Name = Name || '!'`,
      { id: client(draw) },
    ),
  ),
  run((tx, draw) =>
    tx.run(
      `INSERT INTO bills (Id, CompanyId, ClientId, Status, Total, RowVersion)
       SELECT @id, CompanyId, Id, 'new', 1.0, 1 FROM clients ORDER BY Id LIMIT 1
       ON CONFLICT DO UPDATE SET Total = Total + 1`,
      { id: bill(draw) },
    ),
  ),
  // In silence, as the after-write pass corrects.
  run((tx) => tx.silently(() => tx.run('UPDATE bills SET Total = Total + 0.5 WHERE Id % 2 = 0'))),
  run((tx) => tx.authored("UPDATE countries SET Name = Name || '.' WHERE length(Name) < 20")),
  // Undone: by its own failure, by a rule, and with the whole group.
  run(async (tx) => {
    await tx.run("UPDATE clients SET Name = 'Never'")
    throw new Error('Changed its mind')
  }),
  run((tx) => tx.run("INSERT INTO countries (Code, Name) SELECT Code, 'Twice' FROM countries")),
  run(async (tx) => {
    await tx.run('UPDATE bills SET Total = -1')
    await tx.run("INSERT OR ROLLBACK INTO countries (Id, Code, Name) VALUES (1, 'x', 'x')")
  }),
  // The engine's own tables behind the published names, a cascade among them.
  run((tx, draw) =>
    tx.run('UPDATE svc_users SET DisplayName = @name WHERE Id = @id', {
      name: `User ${draw(100)}`,
      id: 1 + draw(12),
    }),
  ),
  run((tx, draw) =>
    tx.run(
      'INSERT INTO svc_user_roles (UserId, Role) SELECT Id, @role FROM svc_users WHERE Id = @id',
      { role: 'Rep', id: 1 + draw(12) },
    ),
  ),
  run((tx, draw) =>
    tx.run('DELETE FROM svc_user_companies WHERE UserId = @id', { id: 5 + draw(8) }),
  ),
  run((tx, draw) =>
    tx.run(
      `INSERT INTO svc_user_companies (UserId, CompanyId)
       SELECT Id, 1 FROM svc_users WHERE Id = @id ON CONFLICT DO NOTHING`,
      { id: 5 + draw(8) },
    ),
  ),
  run((tx, draw) => tx.run('DELETE FROM svc_users WHERE Id = @id', { id: 100 + draw(3) })),
  run((tx, draw) =>
    tx.run(
      `INSERT INTO svc_users (Id, UserName, UserNameKey, DisplayName, CreatedAt, ChangedAt)
       VALUES (@id, @name, @name, 'Guest', '', '') ON CONFLICT DO NOTHING`,
      { id: 100 + draw(3), name: `extra${draw(3)}` },
    ),
  ),
]
