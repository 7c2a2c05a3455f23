/** Requests that run against the demo application, by method and path. A data table. */

export const EXAMPLES: Readonly<Record<string, unknown>> = {
  'POST /api/v1/auth/login': { UserName: 'ana', Password: 'ana-demo-password' },
}

/** What path parameters are filled with. */
export const PATH_EXAMPLES: Readonly<Record<string, string>> = {
  name: 'orders',
  objectName: 'orders',
}
