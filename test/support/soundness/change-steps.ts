/** The writes of a world in which rows change, sent as clients do, and what is stored then. */
import type { TestApp } from '../app.ts'
import { type ChangeWorld, FLOOD_ROWS, type Step, writingView } from './change-world.ts'
import { tableName } from './world-model.ts'
import type { StoredRow } from './world-oracle.ts'
import type { WorldRow } from './world.ts'

/** Where writes go: the world's number, and System users by their company, counted from 1. */
export interface Town {
  app: TestApp
  at: number
  world: ChangeWorld
  keepers: readonly string[]
}

/** A stored row with all that it holds as one text, by which a change shows. */
export interface KeptRow extends StoredRow {
  text: string
}

/** The rows of every entity as they are stored. */
export async function readRows({ app, at, world }: Town): Promise<KeptRow[][]> {
  const read = async (entity: number): Promise<KeptRow[]> => {
    const sql = `SELECT * FROM ${tableName(at, entity)} ORDER BY Id`
    const rows = await app.store.all({ sql, args: {}, runs: 'lane' })
    return rows.map((row) => {
      const { Id, CompanyId = 1, A, B, C, D, RefId = null } = row as unknown as StoredCells
      return { Id, company: CompanyId, A, B, C, D, RefId, ref: null, text: JSON.stringify(row) }
    })
  }
  return Promise.all(world.entities.map((_, entity) => read(entity)))
}

type StoredCells = Omit<StoredRow, 'company'> & { CompanyId?: number }

/** Sends one write; gives the statuses of the answers. */
export async function takeStep(
  town: Town,
  step: Step,
  stored: readonly (readonly KeptRow[])[],
): Promise<number[]> {
  const writing = new Writing(town, step, stored)
  switch (step.path) {
    case 'create':
      return [await writing.submit(undefined, writing.values(0))]
    case 'update':
      return [await writing.submit(writing.key(0), writing.values(0))]
    case 'details':
      return [await writing.submitDetails()]
    case 'delete':
      return [await writing.act('delete-row', { Parameters: { Id: writing.key(0) } })]
    case 'shift':
    case 'purge':
      return [await writing.run(step.path === 'shift' ? 'Shift' : 'Purge')]
    case 'mark':
      return [
        await writing.run(
          'Mark',
          step.rows.map((_, at) => ({ Id: writing.key(at) })),
        ),
      ]
    case 'import':
      return [await writing.send('insert', step.rows)]
    case 'upsert':
      return [await writing.send('upsert', step.rows)]
    case 'flood':
      return [await writing.send('insert', flood(step.rows))]
    case 'burst': {
      const rows = step.rows.slice(0, writing.count)
      const writes = rows.map((_, at) => writing.submit(writing.key(at), writing.values(at)))
      return Promise.all([...writes, writing.submit(undefined, writing.values(0))])
    }
  }
}

const flood = (rows: readonly WorldRow[]): WorldRow[] =>
  Array.from({ length: FLOOD_ROWS }, (_, at) => rows[at % rows.length]).filter((row) => !!row)

class Writing {
  readonly #town: Town
  readonly #step: Step
  readonly #stored: readonly (readonly KeptRow[])[]
  readonly #view: string

  constructor(town: Town, step: Step, stored: readonly (readonly KeptRow[])[]) {
    this.#town = town
    this.#step = step
    this.#stored = stored
    this.#view = writingView(town.at, step.entity)
  }

  /** The rows of an entity that the writer's company has. */
  #own(entity: number): KeptRow[] {
    const isTenant = this.#town.world.entities[entity]?.isTenant === true
    const { company } = this.#step
    return (this.#stored[entity] ?? []).filter((row) => !isTenant || row.company === company)
  }

  /** How many rows there are to be written. */
  get count(): number {
    return this.#own(this.#step.entity).length
  }

  /** Of a stored row, another one for each place; of none where there is none. */
  key(at: number): number {
    const rows = this.#own(this.#step.entity)
    return rows[(this.#step.row + at) % rows.length]?.Id ?? 99_999
  }

  /** The values of the step's record, with a row that it may refer to. */
  values(at: number): Record<string, unknown> {
    const { rows, entity } = this.#step
    const row = rows[at % rows.length]
    if (!row) return {}
    return this.#cells(row, entity)
  }

  #cells({ A, B, C, D, ref }: WorldRow, entity: number): Record<string, unknown> {
    const target = this.#town.world.entities[entity]?.references
    const targets = target === undefined ? [] : this.#own(target)
    const RefId = ref === null ? null : (targets[ref % targets.length]?.Id ?? null)
    const own = { A, B, C: C === null ? null : C === 1, D }
    return target === undefined ? own : { ...own, RefId }
  }

  submit(Id: number | undefined, values: object, more: object = {}): Promise<number> {
    const Parameters = { ...(Id !== undefined && { Id }), ...values }
    return this.#post('submit', { FormName: this.#view, Parameters, ...more })
  }

  /** A row with those that refer to it: one that comes, and one that goes. */
  submitDetails(): Promise<number> {
    const { entity, rows } = this.#step
    const { at, world } = this.#town
    const child = world.entities.findIndex(({ references }) => references === entity)
    const [first] = rows
    if (child < 0 || !first) return this.submit(this.key(0), this.values(0))
    const { RefId: _, ...cells } = this.#cells(first, child)
    const gone = this.#own(child).find(({ RefId }) => RefId === this.key(0))
    const changes = { Upsert: [cells], Delete: gone ? [{ Id: gone.Id }] : [] }
    const Details = { [writingView(at, child)]: changes }
    return this.submit(this.key(0), this.values(0), { Details })
  }

  act(path: string, body: object): Promise<number> {
    return this.#post(path, { ObjectName: this.#view, ...body })
  }

  run(ActionName: string, Keys?: readonly object[]): Promise<number> {
    return this.act('execute-row-action', { ActionName, ...(Keys && { Keys }) })
  }

  /** A file of rows; with `upsert` every other one has the key of a stored row. */
  async send(mode: 'insert' | 'upsert', rows: readonly WorldRow[]): Promise<number> {
    const lines = rows.map((row, at) => {
      const cells = this.#cells(row, this.#step.entity)
      const Id = mode === 'upsert' && at % 2 === 0 ? this.key(at) : undefined
      return JSON.stringify(mode === 'insert' ? cells : { ...cells, ...(Id && { Id }) })
    })
    const form = new FormData()
    form.set('objectName', this.#view)
    form.set('mode', mode)
    form.set('file', new File([lines.join('\n')], 'rows.jsonl'))
    const request = new Request('http://localhost/api/v1/svc/object/import-data', {
      method: 'POST',
      headers: this.#headers(),
      body: form,
    })
    return (await this.#town.app.handle(request)).status
  }

  #headers(): Record<string, string> {
    return { Authorization: `Bearer ${this.#town.keepers[this.#step.company - 1]}` }
  }

  async #post(path: string, body: object): Promise<number> {
    const options = { headers: this.#headers(), body }
    const answer = await this.#town.app.fetch(`/api/v1/svc/object/${path}`, options)
    return answer.status
  }
}
