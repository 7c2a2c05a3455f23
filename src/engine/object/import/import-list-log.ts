/** Changes of an import to lists of keys (`Through`), logged so that they can be undone. */
import type { SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { Link } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { quote, quoteText } from '../../../model/sql/quote.ts'
import type { ImportPlan } from './import-plan.ts'
import { composeJsonObject } from '../read/projection.ts'
import { composeKey } from '../record/stored-rows.ts'
import { type BrokenField, joinName } from '../rules/broken-records.ts'

/** Rows of `svc_import_rows` and of `svc_import_lists`, as bound to statements. */
interface RowRange {
  first: number
  last: number
}

/** The lists that a file sets; two fields through the same entity are one list. */
export function listLinks({ columns }: Pick<ImportPlan, 'columns'>): Link[] {
  const links = columns.lists.flatMap(({ field }) => field.link ?? [])
  return [...new Map(links.map((link) => [link.entity.name, link])).values()]
}

/** The lists that an import has set; undefined where the view has one of them no more. */
export async function findLinks(tx: Tx, view: View, range: RowRange): Promise<Link[] | undefined> {
  // Every row of an import has the same ones.
  const rows = await tx.all<{ Entity: string }>(
    `SELECT Entity FROM main.svc_import_lists WHERE Row =
     (SELECT min(Row) FROM main.svc_import_lists WHERE Row BETWEEN @first AND @last)`,
    { ...range },
  )
  const links = rows.flatMap(
    ({ Entity }) => view.linked.find(({ link }) => link?.entity.name === Entity)?.link ?? [],
  )
  return links.length === rows.length ? links : undefined
}

/** Notes the lists of a stored record, whose key is `own`, before they are changed. */
export async function noteLists(
  tx: Tx,
  links: readonly Link[],
  args: { row: number; own: SqlValue; isNew: boolean },
): Promise<void> {
  const { row, own, isNew } = args
  for (const link of links) {
    await tx.run(
      `INSERT INTO main.svc_import_lists (Row, Entity, Before)
       VALUES (@row, @entity, ${isNew ? "'[]'" : composeRows(link, '@own')})`,
      { row, entity: link.entity.name, ...(!isNew && { own }) },
    )
  }
}

/** Records, after the after-write pass, what the lists hold. */
export async function markLists(
  tx: Tx,
  links: readonly Link[],
  { first, last }: RowRange,
): Promise<void> {
  for (const link of links) {
    const own =
      `(SELECT json_extract(r.RowKey, '$[0]') ` + `FROM main.svc_import_rows r WHERE r.Row = l.Row)`
    await tx.authored(
      `UPDATE main.svc_import_lists AS l SET After = ${composeRows(link, own)}
       WHERE l.Row BETWEEN @first AND @last AND l.Entity = @entity`,
      { first, last, entity: link.entity.name },
    )
  }
}

/** The fault of a row of a list, as a submit reports it on the record that has the list. */
export async function toOwner(
  { tx, plan }: { tx: Tx; plan: ImportPlan },
  broken: BrokenField,
): Promise<BrokenField> {
  const link = listLinks(plan).find(({ entity }) => entity === broken.entity)
  if (!link) return broken
  const { sql, args } = composeKey(link.entity, broken.key)
  const own = quote(link.own.name)
  const row = await tx.get(
    `SELECT ${own} AS own FROM main.${quote(link.entity.table)} WHERE ${sql}`,
    args,
  )
  const field = joinName(link.entity.name, broken.field)
  return { ...broken, entity: plan.entity, key: [row?.own ?? null], field }
}

/** A condition on a row `r` of an import: one of its lists has been changed since. */
export function composeMoved(links: readonly Link[]): string {
  const moved = links.map((link) => {
    const rows = composeRows(link, `json_extract(r.RowKey, '$[0]')`)
    return (
      `EXISTS (SELECT 1 FROM main.svc_import_lists l WHERE l.Row = r.Row AND ` +
      `l.Entity = ${quoteText(link.entity.name)} AND l.After IS NOT ${rows})`
    )
  })
  return moved.length === 0 ? '0' : moved.join(' OR ')
}

/** Takes out what the lists of a range of rows have gained. */
export async function removeAdded(
  { tx, view }: { tx: Tx; view: View },
  { entity }: Link,
  { first, last }: RowRange,
): Promise<void> {
  const keys = entity.keys.map(({ name }) => name)
  const added = `${composeNoted(keys, 'After')} EXCEPT ${composeNoted(keys, 'Before')}`
  const sql =
    `DELETE FROM main.${quote(entity.table)} ` +
    `WHERE (${keys.map(quote).join(', ')}) IN (${added})`
  await tx.authored(sql, { first, last, entity: entity.name }, view.name)
}

/** Puts back what they have lost, as it was. */
export async function restoreRemoved(
  { tx, view }: { tx: Tx; view: View },
  { entity }: Link,
  { first, last }: RowRange,
): Promise<void> {
  const keys = entity.keys.map(({ name }) => name)
  const names = entity.columns.map(({ name }) => name)
  const own = keys.map((name) => composeCell(name)).join(', ')
  const sql =
    `INSERT INTO main.${quote(entity.table)} (${names.map(quote).join(', ')}) ` +
    `${composeNoted(names, 'Before')} AND (${own}) NOT IN (${composeNoted(keys, 'After')})`
  await tx.authored(sql, { first, last, entity: entity.name }, view.name)
}

const composeCell = (name: string): string => `json_extract(e.value, '$."${name}"')`

/** Cells of the rows that were noted of a range. */
const composeNoted = (names: readonly string[], what: 'Before' | 'After'): string =>
  `SELECT ${names.map(composeCell).join(', ')} ` +
  `FROM main.svc_import_lists l, json_each(l.${what}) e ` +
  `WHERE l.Row BETWEEN @first AND @last AND l.Entity = @entity`

/** The rows of the list whose record has the key `own`, as a JSON array of objects. */
function composeRows({ entity, own: mine, other }: Link, own: string): string {
  const names = entity.columns.map(({ name }) => name)
  const row = composeJsonObject(names.map((name) => `${quoteText(name)},m.${quote(name)}`))
  const order = [other, ...entity.keys].map(({ name }) => quote(name)).join(', ')
  return (
    `(SELECT json_group_array(${row}) FROM (SELECT ${names.map(quote).join(', ')} ` +
    `FROM main.${quote(entity.table)} WHERE ${quote(mine.name)} = ${own} ORDER BY ${order}) m)`
  )
}
