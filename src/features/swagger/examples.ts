/**
 * Requests that run against the demo application, by method and path. A data table. Orders 400, 396
 * and 383 are new ones of the demo's first company; each example that writes has one of its own.
 */

export const EXAMPLES: Readonly<Record<string, unknown>> = {
  'POST /api/v1/auth/login': { UserName: 'ana', Password: 'ana-demo-password' },
  'POST /api/v1/svc/object/{name}/table': {
    Filters: [{ Field: 'Status', Operator: 'eq', Value: 'new' }],
    Sort: [{ Field: 'OrderedAt', Direction: 'desc' }],
    Page: 1,
    PageSize: 20,
  },
  'POST /api/v1/svc/object/{name}/form': { Parameters: { Id: 400 } },
  'POST /api/v1/svc/object/{name}/view': { Parameters: { Id: 400 } },
  'POST /api/v1/svc/object/submit': {
    FormName: 'orders',
    Parameters: { Id: 400, Reference: 'PO 4711', RowVersion: '1' },
  },
  'POST /api/v1/svc/object/execute-row-action': {
    ObjectName: 'orders',
    ActionName: 'Approve',
    Parameters: { Id: 396, Remark: 'Checked' },
  },
  'POST /api/v1/svc/object/field-dataset': {
    FormName: 'order-entry',
    FieldName: 'CustomerId',
    SearchText: 'C-00003',
  },
  'POST /api/v1/svc/object/delete-row': {
    ObjectName: 'orders',
    Parameters: { Id: 383 },
    RowVersion: '1',
  },
}

/** What path parameters are filled with. */
export const PATH_EXAMPLES: Readonly<Record<string, string>> = {
  name: 'orders',
  objectName: 'orders',
}
