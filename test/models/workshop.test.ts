/** A model that is not the demo deploys and serves without a line of code. */
import { describe, expect, test } from 'bun:test'
import { seedWorkshop, WORKSHOP } from './workshop/workshop.ts'
import { type Answer, startApp, type TestApp } from '../support/app.ts'

type Cells = Record<string, unknown>
interface Envelope<T> {
  success: boolean
  data: T
  error: string
  fieldErrors?: Record<string, string>
}
interface Table {
  Rows: Cells[]
  Pagination: { TotalRows: number }
}
interface Action {
  Keys: Cells
  Values: Cells
  RowVersion: string
  Dispatch: Cells[]
}

async function openWorkshop(): Promise<TestApp> {
  const app = await startApp({ application: WORKSHOP })
  await app.store.write(seedWorkshop, { company: 'all', because: 'a test' })
  return app
}

const call = <T>(app: TestApp, as: string, route: string, body: unknown) =>
  app.fetch<Envelope<T>>(`/api/v1/svc/object/${route}`, { as, body })

const table = (app: TestApp, as: string, name: string) => call<Table>(app, as, `${name}/table`, {})

const submit = (app: TestApp, as: string, FormName: string, body: Cells) =>
  call<Action>(app, as, 'submit', { FormName, ...body })

const act = (app: TestApp, as: string, ActionName: string, body: Cells) =>
  call<Action>(app, as, 'execute-row-action', { ObjectName: 'Repairs', ActionName, ...body })

/** Takes a bicycle in, with parts to be fitted. */
async function takeIn(app: TestApp): Promise<Answer<Envelope<Action>>> {
  return submit(app, 'gil', 'Repairs', {
    Parameters: {
      FrameNumber: 'WTU-1001',
      Complaint: 'The brakes squeal',
      PromisedOn: '2027-01-31',
    },
    Details: {
      Fittings: {
        Upsert: [
          { Line: 1, PartCode: 'pad', Pieces: 2 },
          { Line: 2, PartCode: 'tube' },
        ],
      },
    },
  })
}

describe('a bicycle workshop', () => {
  test('every view of one line is a grid and a form', async () => {
    await using app = await openWorkshop()
    for (const name of ['owners', 'Bicycles', 'parts', 'mechanics', 'fittings', 'repair-tickets']) {
      const metadata = await app.fetch(`/api/v1/svc/object/${name}/metadata`, { as: 'gil' })
      expect([name, metadata.status]).toEqual([name, 200])
      expect([name, (await table(app, 'gil', name)).status]).toEqual([name, 200])
      const form = await call<{ IsNew: boolean }>(app, 'gil', `${name}/form`, {})
      expect([name, form.body.data.IsNew]).toEqual([name, true])
      expect([name, (await table(app, 'una', name)).status]).toEqual([name, 401])
    }
  })

  test('its reference rows are there, decimals to their scale', async () => {
    await using app = await openWorkshop()
    const { Rows } = (await table(app, 'gil', 'parts')).body.data
    expect(Rows.map(({ Code, Price, Shelf }) => [Code, Price, Shelf])).toEqual([
      ['chain', 24.5, 12],
      ['pad', 11, 30],
      ['spoke', 0.655, 500],
      ['tube', 6.905, 40],
    ])
  })

  test('a record whose key is no number is created, changed and deleted', async () => {
    await using app = await openWorkshop()
    const created = await submit(app, 'gil', 'Bicycles', {
      IsNew: true,
      Parameters: {
        FrameNumber: 'WTU-3003',
        OwnerId: 2,
        Make: 'Folder',
        Colour: 'red',
        Gears: { front: 1, rear: 8 },
        Tag: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
      },
    })
    expect(created.body.data.Values).toMatchObject({
      Electric: false,
      Gears: { front: 1, rear: 8 },
    })
    const changed = await submit(app, 'gil', 'Bicycles', {
      Parameters: { FrameNumber: 'WTU-3003', Colour: 'blue' },
    })
    expect(changed.status).toBe(400)
    expect(Object.keys(changed.body.fieldErrors ?? {})).toEqual(['Colour'])
    const deleted = await call(app, 'gil', 'delete-row', {
      ObjectName: 'Bicycles',
      Parameters: { FrameNumber: 'WTU-3003' },
    })
    expect(deleted.status).toBe(200)
    expect((await table(app, 'gil', 'bicycles')).body.data.Pagination.TotalRows).toBe(2)
  })

  test('a repair goes from the counter over the bench to the shelf', async () => {
    await using app = await openWorkshop()
    const taken = await takeIn(app)
    expect(taken.body).toMatchObject({ success: true })
    const { Keys, Values } = taken.body.data
    expect(Values.Ticket).toMatch(/^CANAL-\d{8}-01$/)
    expect(Values.Material).toBe(28.91)
    expect((await table(app, 'wim', 'repairs')).body.data.Rows).toEqual([])

    const mechanics = (await table(app, 'gil', 'mechanics')).body.data.Rows
    expect(mechanics.length).toBe(1)
    const begun = await act(app, 'gil', 'Begin', {
      Parameters: { ...Keys, MechanicId: mechanics[0]?.Id },
    })
    expect(begun.status).toBe(200)
    const own = (await table(app, 'wim', 'repairs')).body.data.Rows
    expect(own.map(({ State, Ticket }) => [State, Ticket])).toEqual([['underway', Values.Ticket]])

    const finished = await act(app, 'wim', 'Finish', { Keys: [Keys] })
    expect(finished.body.data.Dispatch).toContainEqual({
      Type: 'showAlert',
      Level: 'success',
      Message: `${String(Values.Ticket)} is ready`,
    })
    const parts = (await table(app, 'gil', 'parts')).body.data.Rows
    expect(parts.map(({ Code, Shelf }) => [Code, Shelf])).toEqual([
      ['chain', 12],
      ['pad', 28],
      ['spoke', 500],
      ['tube', 39],
    ])
    expect((await act(app, 'wim', 'Finish', { Keys: [Keys] })).status).toBe(400)
  })

  test('a mechanic sees no prices and writes no labour', async () => {
    await using app = await openWorkshop()
    const parts = await table(app, 'wim', 'parts')
    expect(parts.body.data.Rows[0]).toEqual({ Code: 'chain', Name: 'Chain', Shelf: 12 })
    expect((await table(app, 'wim', 'owners')).status).toBe(401)
  })

  test('another shop has its own tickets', async () => {
    await using app = await openWorkshop()
    const harbour = `INSERT INTO main.repairs (Id, ShopId, Ticket, FrameNumber, State, TakenIn, Complaint)
      SELECT 77, Id, 'HARBOUR-1', 'WTU-2002', 'waiting', '2026-01-02T10:00:00.000Z', 'Flat tyre'
      FROM main.svc_companies WHERE Code = 'HARBOUR'`
    await app.store.write((tx) => tx.silently(() => tx.run(harbour)), {
      company: 'all',
      because: 'a test',
    })
    expect((await table(app, 'gil', 'repairs')).body.data.Rows).toEqual([])
    const form = await call(app, 'gil', 'repairs/form', { Parameters: { Id: 77 } })
    expect(form.status).toBe(404)
    const begun = await act(app, 'gil', 'Begin', { Parameters: { Id: 77, MechanicId: 1 } })
    expect(begun.status).toBe(404)
  })
})
