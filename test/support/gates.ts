/**
 * Who may call which route, a line a route. A new route gets its line here by what its page says
 * (src/server/README.md, Gates), not by the code.
 */

const USERS = 'roles System Admin'
const ACCESS = 'roles System Admin AccessManager'
const SYSTEM = 'roles System'
const OPEN = 'open'
const SIGNED_IN = 'authenticated'
const OWN_RUN = 'named: one’s own run, and Create on the resource of its wizard'

/** Every route that takes requests without a token. */
export const PUBLIC_ROUTES: ReadonlySet<string> = new Set([
  'GET /health/live',
  'GET /health/ready',
  'POST /api/v1/auth/login',
  'POST /api/v1/auth/refresh',
  'POST /api/v1/auth/password/forgot',
  'POST /api/v1/auth/password/reset',
  'POST /api/v1/auth/mfa/challenge',
  'POST /api/v1/auth/mfa/verify',
  'GET /api/v1/auth/jwks',
  'GET /swagger',
  'GET /swagger/json',
  'GET /swagger/swagger-ui.css',
  'GET /swagger/swagger-ui-bundle.js',
  'GET /swagger/swagger-initializer.js',
  'GET /swagger/favicon.png',
])

export const GATES: Readonly<Record<string, string>> = {
  'GET /health/live': OPEN,
  'GET /health/ready': OPEN,
  'GET /swagger': OPEN,
  'GET /swagger/json': OPEN,
  'GET /swagger/swagger-ui.css': OPEN,
  'GET /swagger/swagger-ui-bundle.js': OPEN,
  'GET /swagger/swagger-initializer.js': OPEN,
  'GET /swagger/favicon.png': OPEN,

  'POST /api/v1/auth/login': OPEN,
  'POST /api/v1/auth/refresh': OPEN,
  'POST /api/v1/auth/logout': SIGNED_IN,
  'GET /api/v1/auth/me': SIGNED_IN,
  'GET /api/v1/auth/jwks': OPEN,
  'POST /api/v1/auth/password/change': SIGNED_IN,
  'POST /api/v1/auth/password/forgot': OPEN,
  'POST /api/v1/auth/password/reset': OPEN,
  'GET /api/v1/auth/sessions': SIGNED_IN,
  'DELETE /api/v1/auth/sessions/:id': SIGNED_IN,
  'GET /api/v1/auth/api-keys': SIGNED_IN,
  'POST /api/v1/auth/api-keys': SIGNED_IN,
  'DELETE /api/v1/auth/api-keys/:id': SIGNED_IN,
  'POST /api/v1/auth/mfa/setup': SIGNED_IN,
  'POST /api/v1/auth/mfa/confirm': SIGNED_IN,
  'POST /api/v1/auth/mfa/disable': SIGNED_IN,
  'POST /api/v1/auth/mfa/challenge': OPEN,
  'POST /api/v1/auth/mfa/verify': OPEN,

  'POST /api/v1/impersonation/start': SYSTEM,
  'POST /api/v1/impersonation/stop': SIGNED_IN,

  'GET /api/v1/svc/company': SIGNED_IN,
  'POST /api/v1/svc/company': SYSTEM,
  'PUT /api/v1/svc/company/:companyId': SYSTEM,
  'GET /api/v1/svc/company/current': SIGNED_IN,
  'POST /api/v1/svc/company/switch': SIGNED_IN,
  'GET /api/v1/svc/timezone': SIGNED_IN,
  'PUT /api/v1/svc/timezone': SIGNED_IN,
  'GET /api/v1/svc/timezone/zones': SIGNED_IN,

  'POST /api/v1/hubs/notifications/negotiate': SIGNED_IN,
  'GET /api/v1/hubs/notifications': SIGNED_IN,

  'GET /api/v1/svc/audit': SYSTEM,
  'GET /api/v1/svc/search': SIGNED_IN,
  'POST /api/v1/svc/search/rebuild': SYSTEM,

  'GET /api/v1/notification': SIGNED_IN,
  'GET /api/v1/notification/unread-count': SIGNED_IN,
  'POST /api/v1/notification/:id/read': SIGNED_IN,
  'POST /api/v1/notification/read-all': SIGNED_IN,
  'DELETE /api/v1/notification/:id': SIGNED_IN,
  'POST /api/v1/notifications': 'Send on Notifications',
  'GET /api/v1/notifications/preferences': SIGNED_IN,
  'PUT /api/v1/notifications/preferences': SIGNED_IN,
  'GET /api/v1/notifications/kinds': SIGNED_IN,
  'GET /api/v1/push-subscription/vapid-key': SIGNED_IN,
  'POST /api/v1/push-subscription': SIGNED_IN,
  'DELETE /api/v1/push-subscription': SIGNED_IN,
  'POST /api/v1/push-subscription/test': SIGNED_IN,

  'GET /api/v1/svc/webhooks': USERS,
  'POST /api/v1/svc/webhooks': USERS,
  'PUT /api/v1/svc/webhooks/:id': USERS,
  'DELETE /api/v1/svc/webhooks/:id': USERS,
  'GET /api/v1/svc/webhooks/:id/deliveries': USERS,
  'POST /api/v1/svc/webhooks/:id/deliveries/:deliveryId/replay': USERS,
  'POST /api/v1/svc/webhooks/:id/test': USERS,
  'GET /api/v1/svc/hosted-services': USERS,
  'GET /api/v1/svc/hosted-services/:name': USERS,
  'POST /api/v1/svc/hosted-services/:name/start': USERS,
  'POST /api/v1/svc/hosted-services/:name/stop': USERS,
  'POST /api/v1/svc/hosted-services/:name/restart': USERS,
  'GET /api/v1/hangfire/statistics': USERS,
  'GET /api/v1/hangfire/jobs': USERS,
  'GET /api/v1/hangfire/jobs/:id': USERS,
  'POST /api/v1/hangfire/jobs/:id/requeue': USERS,
  'DELETE /api/v1/hangfire/jobs/:id': USERS,
  'GET /api/v1/hangfire/servers': USERS,
  'GET /api/v1/hangfire/recurring': USERS,
  'POST /api/v1/hangfire/recurring/:name/trigger': USERS,
  'POST /api/v1/hangfire/recurring/:name/pause': USERS,
  'POST /api/v1/hangfire/recurring/:name/resume': USERS,

  'GET /api/v1/svc/auth/statistics': ACCESS,
  'GET /api/v1/svc/auth/board/principals': ACCESS,
  'POST /api/v1/svc/auth/board/matrix': ACCESS,
  'POST /api/v1/svc/auth/board/apply': ACCESS,
  'GET /api/v1/svc/auth/explorer/users': ACCESS,
  'GET /api/v1/svc/auth/explorer/roles': ACCESS,
  'GET /api/v1/svc/auth/explorer/resources': ACCESS,
  'POST /api/v1/svc/auth/explain': ACCESS,
  'GET /api/v1/svc/auth/rbac/export': SYSTEM,
  'POST /api/v1/svc/auth/rbac/import': SYSTEM,
  'GET /api/v1/svc/auth/users': USERS,
  'POST /api/v1/svc/auth/users': USERS,
  'GET /api/v1/svc/auth/users/:userId': USERS,
  'PUT /api/v1/svc/auth/users/:userId': USERS,
  'DELETE /api/v1/svc/auth/users/:userId': USERS,
  'POST /api/v1/svc/auth/users/:userId/lock': USERS,
  'POST /api/v1/svc/auth/users/:userId/unlock': USERS,
  'POST /api/v1/svc/auth/users/:userId/reset-password': USERS,
  'POST /api/v1/svc/auth/users/:userId/reset-mfa': USERS,
  'POST /api/v1/svc/auth/users/:userId/roles': ACCESS,
  'DELETE /api/v1/svc/auth/users/:userId/roles': ACCESS,
  'POST /api/v1/svc/auth/users/:userId/companies': USERS,
  'DELETE /api/v1/svc/auth/users/:userId/companies/:companyId': USERS,
  'GET /api/v1/svc/auth/roles': ACCESS,
  'POST /api/v1/svc/auth/roles': ACCESS,
  'GET /api/v1/svc/auth/roles/:role': ACCESS,
  'PUT /api/v1/svc/auth/roles/:role': ACCESS,
  'DELETE /api/v1/svc/auth/roles/:role': ACCESS,

  'GET /api/v1/svc/object-explorer/objects': SIGNED_IN,
  'GET /api/v1/svc/object-explorer/objects/:name': 'List on the object in path',
  'POST /api/v1/svc/object-explorer/query': 'List on the object in ObjectName',

  'GET /api/v1/svc/report-designer/definitions/:key': 'View on ReportDefinitions',
  'POST /api/v1/svc/report-designer/definitions/save': 'Update on ReportDefinitions',
  'POST /api/v1/svc/report-designer/definitions/:key/validate': 'Update on ReportDefinitions',
  'POST /api/v1/svc/report-designer/definitions/:key/publish': 'Update on ReportDefinitions',
  'GET /api/v1/svc/report-designer/definitions/:key/versions': 'View on ReportDefinitions',
  'GET /api/v1/svc/report-designer/definitions/:key/versions/:versionHash':
    'View on ReportDefinitions',
  'GET /api/v1/svc/report-designer/definitions/:key/versions/:versionHash/diff/:otherHash':
    'View on ReportDefinitions',
  'GET /api/v1/svc/report-designer/definitions/:key/draft': 'View on ReportDefinitions',
  'POST /api/v1/svc/report-designer/definitions/:key/draft': 'Update on ReportDefinitions',
  'DELETE /api/v1/svc/report-designer/definitions/:key/draft': 'Update on ReportDefinitions',
  'GET /api/v1/svc/report-designer/definitions/:key/draft/structure': 'Update on ReportDefinitions',
  'POST /api/v1/svc/report-designer/definitions/:key/draft/data': 'Update on ReportDefinitions',

  'GET /api/v1/svc/reports/:key': SIGNED_IN,
  'POST /api/v1/svc/reports/:key/data': 'named: List on the resource of the report',

  'GET /api/v1/svc/navbar': SIGNED_IN,
  'GET /api/v1/svc/navbar/badges': SIGNED_IN,

  'GET /api/v1/svc/wizard/runs': SIGNED_IN,
  'GET /api/v1/svc/wizard/:name': SIGNED_IN,
  'POST /api/v1/svc/wizard/:name/start': 'named: Create on the resource of the wizard',
  'POST /api/v1/svc/wizard/:name/form': 'named: Create on the resource of the wizard',
  'GET /api/v1/svc/wizard/runs/:id': OWN_RUN,
  'DELETE /api/v1/svc/wizard/runs/:id': SIGNED_IN,
  'POST /api/v1/svc/wizard/runs/:id/next': OWN_RUN,
  'POST /api/v1/svc/wizard/runs/:id/back': OWN_RUN,
  'POST /api/v1/svc/wizard/runs/:id/finish': OWN_RUN,

  'GET /report': SIGNED_IN,
  'GET /report/:key':
    'named: by the report: List, with Export where it takes rows out, or View of the record',
  'POST /report/:key':
    'named: by the report: List, with Export where it takes rows out, or View of the record',

  'GET /api/v1/svc/rpc': SIGNED_IN,
  'GET /api/v1/svc/rpc/:name': 'named: Execute on the resource of the procedure',
  'POST /api/v1/svc/rpc/:name': 'named: Execute on the resource of the procedure',

  'GET /api/v1/svc/object/list': SYSTEM,
  'GET /api/v1/svc/scripts': SYSTEM,
  'GET /api/v1/svc/scripts/:name': SYSTEM,
  'POST /api/v1/svc/scripts': SYSTEM,

  'GET /api/v1/svc/object/:name/metadata': SIGNED_IN,
  'POST /api/v1/svc/object/:name/table': 'View on the object in path',
  'POST /api/v1/svc/object/:name/form': 'View or Update on the object in path',
  'POST /api/v1/svc/object/:name/view': 'View on the object in path',
  'POST /api/v1/svc/object/submit': 'Create or Update on the object in FormName',
  'POST /api/v1/svc/object/delete-row': 'Delete on the object in ObjectName',
  'POST /api/v1/svc/object/execute-row-action': 'named: the capability of the action, else Update',
  'POST /api/v1/svc/object/export-data': 'View and Export on the object in ObjectName',
  'GET /api/v1/svc/object/export-file/:fileName': SIGNED_IN,
  'GET /api/v1/svc/object/:name/import-template': 'Import on the object in path',
  'POST /api/v1/svc/object/field-dataset': SIGNED_IN,
  'POST /api/v1/svc/object/import-data':
    'named: Import on the object that the form names; to match records, View or List too',
  'POST /api/v1/svc/object/import-data/:importId/undo':
    'named: Import on the object of the import, with Delete or Update as it takes; its maker or System',
  'POST /api/v1/svc/object/upload': SIGNED_IN,
  'DELETE /api/v1/svc/object/upload/:uploadKey': SIGNED_IN,
  'GET /files/:path': SIGNED_IN,
  'POST /api/v1/svc/object/sequence-number': SIGNED_IN,
  'GET /api/v1/svc/object/label/:objectName': SIGNED_IN,

  'GET /api/v1/svc/execute-script': SIGNED_IN,
  'POST /api/v1/svc/execute-script': 'named: Execute on the Resource of the script',
  'GET /api/v1/svc/handlers': SIGNED_IN,
  'POST /api/v1/svc/handlers/:name/export':
    'named: Export on the Resource of the handler, View and Export on the object',
  'POST /api/v1/svc/handlers/:name/import':
    'named: Import on the Resource of the handler and on the object',
}
