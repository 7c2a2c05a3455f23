/**
 * Requests that run against the demo application, by method and path. A data table. Orders 400, 396
 * and 383 are new ones of the demo's first company; each example that writes has one of its own.
 */

export const EXAMPLES: Readonly<Record<string, unknown>> = {
  'POST /api/v1/auth/login': { UserName: 'ana', Password: 'ana-demo-password' },
  'POST /api/v1/svc/company': { Code: 'EAST', Name: 'East Trading', TimeZone: 'Europe/Vienna' },
  'PUT /api/v1/svc/company/{companyId}': { Name: 'North Trading House' },
  'POST /api/v1/svc/company/switch': { CompanyId: 2 },
  'PUT /api/v1/svc/timezone': { TimeZone: 'America/New_York' },
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
  'POST /api/v1/svc/object/export-data': {
    ObjectName: 'orders',
    Format: 'xlsx',
    Filters: [{ Field: 'Status', Operator: 'eq', Value: 'new' }],
  },
  'POST /api/v1/svc/object/field-dataset': {
    FormName: 'order-entry',
    FieldName: 'CustomerId',
    SearchText: 'C-00003',
  },
  'POST /api/v1/svc/handlers/{name}/export': {
    ObjectName: 'orders',
    Filters: [{ Field: 'Status', Operator: 'eq', Value: 'new' }],
    Fields: ['Number', 'OrderedAt', 'Total'],
  },
  'POST /api/v1/svc/execute-script': {
    Name: 'OpenOrdersByCustomer',
    Parameters: { Customers: 3 },
  },
  'POST /api/v1/svc/object/delete-row': {
    ObjectName: 'orders',
    Parameters: { Id: 383 },
    RowVersion: '1',
  },
  'POST /api/v1/svc/object/sequence-number': { SequenceName: 'OrderNumber' },
  'POST /api/v1/svc/object-explorer/query': {
    ObjectName: 'orders',
    Filters: [{ Field: 'Status', Operator: 'ne', Value: 'cancelled' }],
    GroupBy: ['OrderedAt:quarter', 'Status'],
    Aggregates: [{ Function: 'count' }, { Field: 'Total', Function: 'sum', As: 'Sales' }],
    Sort: [{ Field: 'Sales', Direction: 'desc' }],
    Limit: 20,
  },
  'POST /api/v1/svc/rpc/{name}': { Parameters: { FromDate: '2026-01-01', ToDate: '2026-12-31' } },
  'POST /api/v1/svc/scripts': {
    Files: [
      {
        FileName: 'notes.xml',
        Body:
          '<Entity Name="Note" Table="notes" Company="CompanyId">' +
          '<Column Name="Id" Type="Integer" Key="true" Identity="true"/>' +
          '<Column Name="CompanyId" Type="Integer" Required="true"/>' +
          '<Column Name="Text" Type="Text" Required="true"/></Entity>',
      },
    ],
    DryRun: true,
  },
}

/** What path parameters are filled with. */
export const PATH_EXAMPLES: Readonly<Record<string, string>> = {
  name: 'orders',
  '/api/v1/svc/rpc/{name} name': 'SalesByRegion',
  '/api/v1/svc/handlers/{name}/export name': 'csv',
  '/api/v1/svc/handlers/{name}/import name': 'csv',
  objectName: 'orders',
  companyId: '1',
  path: '01a20064-4dfb-766c-8a31-5a1f6f9f8f11',
  uploadKey: '01a20064-4dfb-766c-8a31-5a1f6f9f8f11',
  userId: '2',
  role: 'SalesManager',
}
