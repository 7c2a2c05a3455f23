/**
 * SQL of the bare server, as a person writes it for this one application: labels by JOIN, the
 * conditions of the user spelled out, JSON made where that is quickest. SQLite's `group_concat` of
 * `json_object` takes two thirds of what `json_group_array` takes and of what rows and
 * `JSON.stringify` take.
 */

const FROM = `FROM orders o JOIN customers c ON c.Id = o.CustomerId
  LEFT JOIN svc_users owner ON owner.Id = o.OwnerId
  LEFT JOIN svc_users creator ON creator.Id = o.CreatedBy
  LEFT JOIN svc_users changer ON changer.Id = o.ChangedBy`

const HEAD = `'Region', o.Region, 'Status', o.Status, 'Approval', o.Approval,
  'OrderedAt', o.OrderedAt, 'DueOn', o.DueOn, 'OwnerId', o.OwnerId,
  'OwnerId__Label', owner.DisplayName, 'Total', o.Total, 'Reference', o.Reference`

const TAIL = `'Id', o.Id, 'CompanyId', o.CompanyId, 'RowVersion', CAST(o.RowVersion AS TEXT),
  'CreatedAt', o.CreatedAt, 'CreatedBy', o.CreatedBy, 'CreatedBy__Label', creator.DisplayName,
  'ChangedAt', o.ChangedAt, 'ChangedBy', o.ChangedBy, 'ChangedBy__Label', changer.DisplayName,
  'Permit__Approve', json('false'),
  'Permit__Cancel', json(iif(o.Status IN ('new', 'approved'), 'true', 'false')),
  'Permit__Ship', json('false'),
  'Permit__Update', json(iif(o.Status = 'new', 'true', 'false')),
  'Permit__Delete', json(iif(o.Status = 'new', 'true', 'false')),
  'Action__PrintDeliveryNote', json(iif(o.Status IN ('approved', 'shipped'), 'true', 'false')),
  'Action__Submit', json('false'), 'Action__Grant', json('false'), 'Action__Decline', json('false')`

const ROW = `json_object('Number', o.Number, 'Customer', c.Name, ${HEAD}, ${TAIL})`

const RECORD = `json_object('Number', o.Number, 'CustomerId', o.CustomerId,
  'CustomerId__Label', c.Name, ${HEAD}, 'Remark', o.Remark, 'Documents', o.Documents, ${TAIL})`

/** Rows of the user: company and region are the first two arguments of every page. */
const MINE = 'o.CompanyId = ? AND o.Region = ?'

/** Page and count of one grid; `after` and `more` look behind a row by its OrderedAt and Id. */
export interface PageSql {
  page: string
  after: string
  more: string
  count: string
}

const AFTER = ' AND (o.OrderedAt, o.Id) < (?, ?)'

const planPageSql = (condition: string, tables: string): PageSql => {
  const page = (more: string): string =>
    `SELECT '[' || group_concat(Row) || ']' FROM (SELECT ${ROW} AS Row ${FROM}
      WHERE ${MINE}${condition}${more} ORDER BY o.OrderedAt DESC, o.Id DESC LIMIT 50)`
  return {
    page: page(''),
    after: page(AFTER),
    more: `SELECT EXISTS (SELECT 1 FROM ${tables} WHERE ${MINE}${condition}${AFTER})`,
    count: `SELECT count(*) FROM ${tables} WHERE ${MINE}${condition}`,
  }
}

const CUSTOMERS = 'orders o JOIN customers c ON c.Id = o.CustomerId'

/** Pages by name of their route; each names its arguments after company and region. */
export const PAGES: Readonly<Record<string, PageSql>> = {
  /** No argument. */
  all: planPageSql('', 'orders o'),
  /** Status, first moment. */
  since: planPageSql(' AND o.Status = ? AND o.OrderedAt >= ?', 'orders o'),
  /** Status, first moment, moment behind the last. */
  between: planPageSql(' AND o.Status = ? AND o.OrderedAt >= ? AND o.OrderedAt < ?', 'orders o'),
  /** A pattern of LIKE. */
  customer: planPageSql(' AND c.Name LIKE ?', CUSTOMERS),
  /** The same pattern of LIKE three times. */
  search: planPageSql(' AND (o.Number LIKE ? OR c.Name LIKE ? OR o.Reference LIKE ?)', CUSTOMERS),
}

/** One order: Id, company, region. */
export const FORM = `SELECT ${RECORD} ${FROM} WHERE o.Id = ? AND o.CompanyId = ? AND o.Region = ?`

/** Reference, moment, user; Id, company, region. */
export const UPDATE = `UPDATE orders SET Reference = ?, ChangedAt = ?, ChangedBy = ?,
  RowVersion = RowVersion + 1 WHERE Id = ? AND CompanyId = ? AND Region = ? AND Status = 'new'`

/** Id, company, region. Its lines go with it. */
export const DELETE =
  "DELETE FROM orders WHERE Id = ? AND CompanyId = ? AND Region = ? AND Status = 'new'"

/** Remark, moment, user; Id, company, region. */
export const CANCEL = `UPDATE orders SET Status = 'cancelled', Remark = ?, ChangedAt = ?,
  ChangedBy = ?, RowVersion = RowVersion + 1
  WHERE Id = ? AND CompanyId = ? AND Region = ? AND Status IN ('new', 'approved')`

/** Id, company, region: whether an order may go to that customer. */
export const CUSTOMER =
  'SELECT 1 FROM customers WHERE Id = ? AND CompanyId = ? AND Region = ? AND Active = 1'

/** Company, year. */
export const NEXT_NUMBER = `INSERT INTO svc_sequences (Name, CompanyId, Period, Last)
  VALUES ('OrderNumber', ?, ?, 1)
  ON CONFLICT DO UPDATE SET Last = Last + 1 RETURNING Last`

/** Number, company, customer, owner, region, ordered, reference, version, and who when, twice. */
export const CREATE = `INSERT INTO orders (Number, CompanyId, CustomerId, OwnerId, Region, Status,
    OrderedAt, Total, Cost, Reference, RowVersion, CreatedAt, CreatedBy, ChangedAt, ChangedBy)
  VALUES (?, ?, ?, ?, ?, 'new', ?, 0, 0, ?, ?, ?, ?, ?, ?) RETURNING Id`
