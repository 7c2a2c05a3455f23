/** The export of the bare server: one SELECT, row after row, as CSV. */
import type { Database } from 'libsql'

const PIECE_CHARS = 64 * 1024

/** Content of the CSV of the orders: the same columns, rows and order as that of the engine. */
const ORDERS =
  'SELECT Number, (SELECT c.Name FROM customers c WHERE c.Id = o.CustomerId), Region, ' +
  "CASE Status WHEN 'new' THEN 'New' WHEN 'approved' THEN 'Approved' WHEN 'shipped' THEN " +
  "'Shipped' WHEN 'cancelled' THEN 'Cancelled' ELSE Status END, " +
  'Approval, OrderedAt, DueOn, OwnerId, ' +
  '(SELECT u.DisplayName FROM svc_users u WHERE u.Id = o.OwnerId), ' +
  'Total, Cost, round(Total - Cost, 2), Reference, Remark, CreatedAt, CreatedBy, ' +
  '(SELECT u.DisplayName FROM svc_users u WHERE u.Id = o.CreatedBy), ChangedAt, ChangedBy, ' +
  '(SELECT u.DisplayName FROM svc_users u WHERE u.Id = o.ChangedBy) ' +
  'FROM orders o ORDER BY OrderedAt DESC, Id DESC'

const QUOTED = /[",;\t\r\n]/

type Cell = string | number | null

const toCell = (value: Cell): string => {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  if (value === '') return '""'
  return QUOTED.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}

/** All orders as CSV without a head, in pieces. */
export function planExport(database: Database): () => Generator<string> {
  const select = database.prepare(ORDERS).raw()
  return function* () {
    let piece = ''
    for (const row of select.iterate() as Iterable<Cell[]>) {
      piece += `${row.map(toCell).join(',')}\r\n`
      if (piece.length < PIECE_CHARS) continue
      yield piece
      piece = ''
    }
    yield piece
  }
}
