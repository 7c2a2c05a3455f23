/** Answers as the demo gives them, for the document: shortened, with their members as they are. */

const PERMISSIONS = {
  Create: true,
  Update: true,
  Delete: true,
  Export: true,
  Import: true,
  Capabilities: ['Approve', 'Cancel', 'Copy', 'Ship'],
  Fields: {},
}

/** A TableResult. */
export const TABLE_EXAMPLE = {
  Rows: [
    {
      Id: 400,
      Number: 'SO-2026-00200',
      Customer: 'Cobalt Fencing Group',
      Status: 'new',
      OrderedAt: '2026-10-31T13:17:13.000Z',
      Total: 983.7,
      RowVersion: '1',
      Permit__Approve: true,
      Permit__Cancel: true,
      Permit__Ship: false,
    },
  ],
  Pagination: {
    Page: 1,
    PageSize: 20,
    TotalRows: 1,
    TotalPages: 1,
    TotalIsExact: true,
    HasNext: false,
    NextCursor: null,
  },
  Permissions: PERMISSIONS,
}

const VALUES = {
  Id: 400,
  Number: 'SO-2026-00200',
  CustomerId: 25,
  CustomerId__Label: 'Cobalt Fencing Group',
  Region: 'Coast',
  Status: 'new',
  OrderedAt: '2026-10-31T13:17:13.000Z',
  DueOn: '2026-11-20',
  Total: 983.7,
  Remark: null,
}

/** A FormResult. */
export const FORM_EXAMPLE = {
  Values: { ...VALUES, Reference: null, RowVersion: '1' },
  Permissions: PERMISSIONS,
  CanSubmit: true,
  FormLoadTime: '2026-11-02T08:00:00.0000000Z',
  IsNew: false,
}

/** An ObjectActionResult. */
export const ACTION_EXAMPLE = {
  Action: 'updated',
  Keys: { Id: 400 },
  RowVersion: '2',
  Values: { ...VALUES, Reference: 'PO 4711', RowVersion: '2' },
  Ignored: [],
  Dispatch: [{ Type: 'refreshTable', Target: 'Orders' }],
}

/** An option of a FieldDataSetResult. */
export const OPTION_EXAMPLE = {
  Value: '7',
  Label: 'Juniper Painting Group',
  Code: 'C-00003',
  Name: 'Juniper Painting Group',
  Region: 'Coast',
}
