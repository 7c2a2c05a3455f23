/**
 * The records of a bulk edit, kept with how they were: those that a dry run found, and those that a
 * job is to change. They lie beside the log of imports, and are purged with it.
 */
import { createHash } from 'node:crypto'
import { conflict, invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import { DAY, HOUR } from '../../../kernel/setting.ts'
import { SQL } from '../../../store/floor.ts'
import { allRows, getRow, insertRow } from '../../../store/rows.ts'
import type { SqlRead, SqlValue } from '../../../store/sql.ts'
import type { Reader, Tx } from '../../../store/store.ts'
import { imports, LINES_PER_IMPORT } from '../../../store/tables/imports.ts'
import { quote } from '../../../model/sql/quote.ts'
import { composeMark, SELECTION_MODE } from '../import/import-log.ts'
import { hashRequest, MANY_ROWS_MAX, type ManyPlan, type ManyRow, tooMany } from './many-plan.ts'
import { type Mutation, mutationScope } from '../mutation.ts'
import { composeOver } from '../read/row-forms.ts'
import { requireSearchText } from '../read/search-text.ts'
import { planSearch } from '../read/search.ts'
import { planConditions } from '../read/table.ts'
import { listKeyNames } from '../record/reached-rows.ts'
import { keyText } from '../record/written-row.ts'

/** How long the token of a dry run is good. */
const TOKEN_MS = HOUR

/** Selections of one user that are kept; the oldest makes room. */
const KEPT_MAX = 5

/** Lines of one transaction, so few that no other write waits for them. */
const CHUNK_LINES = 1000

/** The records of a bulk edit. */
export interface Selection {
  count: number
  /** All of them in order, some at a time. */
  chunks: () => AsyncIterable<readonly ManyRow[]>
  /** Its entry, where it is kept. */
  id?: number
  /** A job is to change them, which lets go of them itself. */
  isOfJob?: boolean
}

/** The records that Keys named. */
export const selectKeys = (rows: readonly ManyRow[]): Selection => ({
  count: rows.length,
  chunks: async function* () {
    yield await Promise.resolve(rows)
  },
})

/**
 * Finds the records that filters choose, and keeps them; reading them may take `timeoutMs`.
 * @throws invalid for a request that does not fit the view, and for too many
 */
export async function findSelection(
  mutation: Mutation,
  plan: ManyPlan,
  timeoutMs: number,
): Promise<Selection & { token: string }> {
  const { engine } = mutation
  const read = planRows(plan)
  const options = { setting: SQL.timeout.name, timeoutMs }
  const spool = await engine.store.spool(read, options)
  try {
    if (spool.rows > MANY_ROWS_MAX) throw tooMany()
    const pages = async function* () {
      for await (const { text } of spool.pages())
        yield (JSON.parse(new TextDecoder().decode(text)) as SqlValue[][]).map((cells) =>
          toRow(plan, cells),
        )
    }
    const id = await keepSelection(mutation, plan, { count: spool.rows, chunks: pages })
    return { ...openSelection(mutation, id, spool.rows), token: String(id) }
  } finally {
    await spool.close()
  }
}

/** Each row once, as the grid has it, with what shows whether its record changes from here on. */
function planRows(plan: ManyPlan): SqlRead {
  const { view, grant, context, entity, request } = plan
  // Parameters are what the records get, not what narrows them.
  const { Filters, Preset } = request
  const chosen = planConditions(view, { Filters, Preset }, grant, context, 'read')
  const { bindings, source, scope, where } = chosen
  const search = planSearch(scope, requireSearchText(request.SearchText))
  const all = search.where === '' ? where : [...where, search.where]
  const names = listKeyNames({ view, entity }).map(quote)
  const same = entity.keys.map(({ name }, at) => `t.${quote(name)} = r.${names[at]}`)
  // As a text: the columns of a record are JSON themselves.
  const cells = [...names.map((name) => `r.${name}`), `'' || ${composeMark(entity)}`]
  const { sql, own } = composeOver(source, (form) => {
    const rows = `${search.join}${form.from} ${form.where(all)}`
    const keys = `SELECT DISTINCT ${names.join(', ')} FROM ${rows} LIMIT ${MANY_ROWS_MAX + 1}`
    const joined = `CROSS JOIN main.${quote(entity.table)} t ON ${same.join(' AND ')}`
    return `${form.with}SELECT json_array(${cells.join(', ')}) FROM (${keys}) r ${joined}`
  })
  return { sql, own, args: bindings.args(), runs: 'lane', of: source.of }
}

function toRow({ entity }: ManyPlan, cells: readonly SqlValue[]): ManyRow {
  const image = String(cells[entity.keys.length] ?? '')
  const key = cells.slice(0, entity.keys.length)
  return { key, mark: entity.concurrency ? image : hashImage(image) }
}

/** The mark of a record of an entity without a stamp. */
export const hashImage = (image: string): string =>
  createHash('sha256').update(image).digest('hex').slice(0, 24)

/** Keeps records for a time; resolves to the number of their entry. */
async function keepSelection(
  mutation: Mutation,
  plan: ManyPlan,
  { count, chunks }: Selection,
): Promise<number> {
  const { engine, caller } = mutation
  const { view, entity } = plan
  const now = engine.clock.now()
  const id = await engine.store.write(async (tx) => {
    await makeRoom(tx, mutation, now)
    return insertRow(tx, imports, {
      UserId: caller.userId,
      CompanyId: caller.companyId,
      ViewName: view.name,
      Entity: entity.name,
      FileName: hashRequest(plan),
      Mode: SELECTION_MODE,
      Inserted: 0,
      Updated: count,
      At: now.toISOString(),
      ExpiresAt: new Date(now.getTime() + TOKEN_MS).toISOString(),
    })
  }, mutationScope(mutation))
  let at = id * LINES_PER_IMPORT
  for await (const rows of chunks())
    for (let first = 0; first < rows.length; first += CHUNK_LINES) {
      const part = rows.slice(first, first + CHUNK_LINES)
      const lines = JSON.stringify(part.map(({ key, mark }) => [keyText(key), mark]))
      await engine.store.write((tx) => tx.run(ADD, { at, lines }), mutationScope(mutation))
      at += part.length
    }
  return id
}

const ADD = `INSERT INTO main.svc_import_rows (Row, RowKey, After)
  SELECT @at + e.key, json_extract(e.value, '$[0]'), json_extract(e.value, '$[1]')
  FROM json_each(@lines) e`

/** Removes the lines of a selection at once: its user may fill the next one at once, too. */
async function dropLines(tx: Tx, id: number): Promise<void> {
  const first = id * LINES_PER_IMPORT
  const range = { first, last: first + LINES_PER_IMPORT - 1 }
  await tx.authored('DELETE FROM main.svc_import_rows WHERE Row BETWEEN @first AND @last', range)
}

/** Bounds what one user has lying: of too many the oldest goes. */
async function makeRoom(tx: Tx, { caller }: Mutation, now: Date): Promise<void> {
  const own = await allRows(
    tx,
    imports,
    'WHERE UserId = @user AND Mode = @mode AND UndoneAt IS NULL AND ExpiresAt > @now ORDER BY Id',
    { user: caller.userId, mode: SELECTION_MODE, now: now.toISOString() },
  )
  for (const { Id } of own.slice(0, Math.max(0, own.length - KEPT_MAX + 1))) {
    await dropLines(tx, Id)
    await tx.run('DELETE FROM main.svc_imports WHERE Id = @Id', { Id })
  }
}

/** The selection of a token. @throws invalid for one of another request, conflict for an old one */
export async function requireSelection(mutation: Mutation, plan: ManyPlan): Promise<Selection> {
  const { engine, caller } = mutation
  const { Token } = plan.request
  const id = /^\d{1,15}$/.test(Token ?? '') ? Number(Token) : -1
  const { userId, companyId } = caller
  const entry = await getRow(
    engine.store,
    imports,
    'WHERE Id = @id AND UserId = @userId AND CompanyId = @companyId AND Mode = @mode',
    { id, userId, companyId, mode: SELECTION_MODE },
  )
  if (!entry || entry.UndoneAt !== null || !isOf(entry, plan)) throw expired()
  if (entry.ExpiresAt <= engine.clock.now().toISOString()) throw expired()
  if (entry.FileName !== hashRequest(plan))
    throw invalid(say`The Token is of a dry run with other records or values. Do it again.`, {
      code: 'TOKEN_DIFFERS',
    })
  return openSelection(mutation, entry.Id, entry.Updated)
}

const expired = () =>
  conflict(say`The dry run is over: its Token was used, or has expired. Do it again.`, {
    code: 'TOKEN_USED',
  })

/** A deploy may have given the view other records, which may have the same keys. */
const isOf = (entry: typeof imports.$inferSelect, { view, entity }: ManyPlan): boolean =>
  entry.ViewName === view.name && entry.Entity === entity.name

/** The records of a job. @throws conflict where their object is another one by now */
export async function requireHeld(
  mutation: Mutation,
  plan: ManyPlan,
  id: number,
): Promise<Selection> {
  const ofId = 'WHERE Id = @id AND Mode = @mode'
  const entry = await getRow(mutation.engine.store, imports, ofId, { id, mode: SELECTION_MODE })
  if (entry && isOf(entry, plan))
    return { ...openSelection(mutation, id, entry.Updated), isOfJob: true }
  throw conflict(say`Nothing was changed: the object has changed since`, { code: 'OBJECT_CHANGED' })
}

/** A selection that is kept. */
const openSelection = ({ engine }: Mutation, id: number, count: number): Selection => ({
  id,
  count,
  chunks: () => readLines(engine.store, id),
})

const LINES = `SELECT Row, RowKey, After FROM main.svc_import_rows
  WHERE Row BETWEEN @first AND @last ORDER BY Row LIMIT ${CHUNK_LINES}`

async function* readLines(reader: Reader, id: number): AsyncGenerator<ManyRow[]> {
  const last = (id + 1) * LINES_PER_IMPORT - 1
  for (let first = id * LINES_PER_IMPORT; ;) {
    const lines = await reader.all(LINES, { first, last })
    if (lines.length === 0) return
    yield lines.map(({ RowKey, After }) => ({
      key: JSON.parse(String(RowKey)) as SqlValue[],
      mark: After === null || After === undefined ? null : String(After),
    }))
    first = Number(lines.at(-1)?.Row) + 1
  }
}

/** How long the records of a job are kept: longer than its tries take. */
const JOB_MS = 7 * DAY

/** Keeps the records of a job: those of a dry run are kept already. Resolves to their entry. */
export async function holdSelection(
  mutation: Mutation,
  plan: ManyPlan,
  selection: Selection,
): Promise<number> {
  return selection.id ?? (await keepSelection(mutation, plan, selection))
}

/** Makes a selection a job's, in the transaction that enqueues it. @throws conflict */
export async function claimSelection(tx: Tx, id: number, now: Date): Promise<void> {
  const claimed = await tx.run(
    `UPDATE main.svc_imports SET UndoneAt = @now, ExpiresAt = @until
     WHERE Id = @id AND UndoneAt IS NULL`,
    { id, now: now.toISOString(), until: new Date(now.getTime() + JOB_MS).toISOString() },
  )
  if (claimed === 0) throw expired()
}

/** Forgets the records of a job, in the transaction that ends it. */
export async function releaseSelection(tx: Tx, id: number, now: Date): Promise<void> {
  const args = { id, mode: SELECTION_MODE, now: now.toISOString() }
  await tx.run('UPDATE main.svc_imports SET ExpiresAt = @now WHERE Id = @id AND Mode = @mode', args)
}

/** Uses a selection up, in the transaction that changes its records. @throws conflict */
export async function useUp(tx: Tx, { id, isOfJob }: Selection, now: Date): Promise<void> {
  if (id === undefined || isOfJob) return
  const used = await tx.run(
    `UPDATE main.svc_imports SET UndoneAt = @now, ExpiresAt = @now
     WHERE Id = @id AND UndoneAt IS NULL`,
    { id, now: now.toISOString() },
  )
  if (used === 0) throw expired()
  await dropLines(tx, id)
}
