/**
 * Recipes of the sweep for each route: with keys of its own company, of the other one, and of
 * no company. A route without a recipe fails the sweep.
 */
import { TEST_PASSWORD } from './template.ts'
import { ENGINE_RECIPES } from './tenant-engine-recipes.ts'
import { EXTENSION_RECIPES } from './tenant-extension.ts'
import { FILE_RECIPES } from './tenant-file-recipes.ts'
import { FLOW_RECIPES } from './tenant-flow-recipes.ts'
import type { Keys, Recipe } from './tenant-keys.ts'
import { OBJECT_RECIPES } from './tenant-object-recipes.ts'
import { OWN_RECIPES } from './tenant-own-recipes.ts'
import { TRANSFER_RECIPES } from './tenant-transfer-recipes.ts'
import { WIZARD_RECIPES } from './tenant-wizard-recipes.ts'
import type { Call } from './tenant-world.ts'

const PEOPLE = [['clerk', 'boss', 'nobody']] as const
const AUTH = '/api/v1/auth'
const USERS = '/api/v1/svc/auth/users'
const COMPANY = '/api/v1/svc/company'

const forPeople = (calls: (keys: Keys) => Call[]): Recipe => ({ as: PEOPLE, calls })
const forAnyone = (calls: (keys: Keys) => Call[]): Recipe => ({ as: [[undefined]], calls })
/** For routes that are another role's alone, or ask for what none of them has. */
const refused = (recipe: Recipe): Recipe => ({ ...recipe, isRefused: true })
const read = (recipe: Recipe): Recipe => ({ ...recipe, isRead: true })
const get = (path: string): Recipe => read(forPeople(() => [{ path }]))
const getOpen = (path: string): Recipe => read(forAnyone(() => [{ path }]))
const post = (path: string, body: object = {}): Call => ({ path, body, method: 'POST' })
const put = (path: string, body: object): Call => ({ path, body, method: 'PUT' })
const remove = (path: string): Call => ({ path, method: 'DELETE' })

const SYSTEMS = '/metrics /api/v1/svc/statistics /api/v1/svc/settings /api/v1/svc/audit'.split(' ')

const FALSE_TOKEN = 'm3Jc0eWqXo2u9Yw1b5T7rK4nLh8sVdZpGfAiEtUyQxM'

const HUBS: Record<string, Recipe> = Object.fromEntries(
  ['/api/v1/hubs/notifications', '/api/v1/hubs/assistant'].flatMap((path) => [
    [`POST ${path}/negotiate`, forPeople(() => [post(`${path}/negotiate`)])],
    [`GET ${path}`, get(path)],
  ]),
)

const SIGN_IN: Record<string, Recipe> = {
  'POST /api/v1/auth/login': forAnyone(({ company }) => [
    post(`${AUTH}/login`, { UserName: 'clerk', Password: TEST_PASSWORD, CompanyId: company }),
  ]),
  'POST /api/v1/auth/refresh': refused(
    forAnyone(() => [post(`${AUTH}/refresh`, { RefreshToken: FALSE_TOKEN })]),
  ),
  'POST /api/v1/auth/logout': forPeople(() => [post(`${AUTH}/logout`)]),
  'POST /api/v1/auth/password/change': forPeople(({ company }) => [
    post(`${AUTH}/password/change`, {
      Password: TEST_PASSWORD,
      NewPassword: 'nine stones under a bridge',
      CompanyId: company,
    }),
  ]),
  'POST /api/v1/auth/password/forgot': forAnyone(({ text }) => [
    post(`${AUTH}/password/forgot`, { UserName: `${text}-hidden` }),
  ]),
  'POST /api/v1/auth/password/reset': refused(
    forAnyone(() => [
      post(`${AUTH}/password/reset`, {
        Token: FALSE_TOKEN,
        NewPassword: 'nine stones under a bridge',
      }),
    ]),
  ),
  'GET /api/v1/auth/me': get(`${AUTH}/me`),
  'GET /api/v1/auth/jwks': getOpen(`${AUTH}/jwks`),
  'GET /api/v1/auth/sessions': get(`${AUTH}/sessions`),
  'DELETE /api/v1/auth/sessions/:id': forPeople(({ session }) => [
    remove(`${AUTH}/sessions/${session}`),
  ]),
  'GET /api/v1/auth/api-keys': get(`${AUTH}/api-keys`),
  'POST /api/v1/auth/api-keys': forPeople(({ company }) => [
    post(`${AUTH}/api-keys`, { Name: 'Sweep', Roles: [], Companies: [company] }),
  ]),
  'DELETE /api/v1/auth/api-keys/:id': refused(
    forPeople(({ user }) => [remove(`${AUTH}/api-keys/1?user=${user}`)]),
  ),
  'POST /api/v1/auth/mfa/setup': forPeople(() => [
    post(`${AUTH}/mfa/setup`, { Password: TEST_PASSWORD }),
  ]),
  'POST /api/v1/auth/mfa/confirm': refused(
    forPeople(() => [post(`${AUTH}/mfa/confirm`, { Code: '123456' })]),
  ),
  'POST /api/v1/auth/mfa/disable': refused(
    forPeople(() => [post(`${AUTH}/mfa/disable`, { Password: TEST_PASSWORD, Code: '123456' })]),
  ),
  'POST /api/v1/auth/mfa/challenge': refused(
    forAnyone(() => [post(`${AUTH}/mfa/challenge`, { ChallengeId: FALSE_TOKEN, Method: 'totp' })]),
  ),
  'POST /api/v1/auth/mfa/verify': refused(
    forAnyone(() => [post(`${AUTH}/mfa/verify`, { ChallengeId: FALSE_TOKEN, Code: '123456' })]),
  ),
  'POST /api/v1/impersonation/start': refused(
    forPeople(({ user }) => [
      post('/api/v1/impersonation/start', { UserId: user, Reason: 'Sweep', Minutes: 5 }),
    ]),
  ),
  'POST /api/v1/impersonation/stop': refused(forPeople(() => [post('/api/v1/impersonation/stop')])),
}

const COMPANIES: Record<string, Recipe> = {
  'GET /api/v1/svc/company': read(
    forPeople(() => [{ path: COMPANY }, { path: `${COMPANY}?all=true&CompanyId=1` }]),
  ),
  'POST /api/v1/svc/company': refused(
    forPeople(() => [post(COMPANY, { Code: 'probe', Name: 'new' })]),
  ),
  'PUT /api/v1/svc/company/:companyId': refused(
    forPeople(({ company }) => [put(`${COMPANY}/${company}`, { Name: 'mine' })]),
  ),
  'GET /api/v1/svc/company/current': get(`${COMPANY}/current?CompanyId=1`),
  'POST /api/v1/svc/company/switch': forPeople(({ company }) => [
    post(`${COMPANY}/switch`, { CompanyId: company }),
  ]),
  'GET /api/v1/svc/timezone': get('/api/v1/svc/timezone'),
  'PUT /api/v1/svc/timezone': forPeople(() => [
    put('/api/v1/svc/timezone', { TimeZone: 'Asia/Tokyo', UserId: 1 }),
  ]),
  'GET /api/v1/svc/timezone/zones': get('/api/v1/svc/timezone/zones'),
}

const forUser =
  (method: string, more: string, body?: (keys: Keys) => object) =>
  (keys: Keys): Call[] => [
    {
      path: `${USERS}/${keys.user}${more}`,
      method,
      ...(body && { body: body(keys) }),
    },
  ]

const ADMINISTRATION: Record<string, Recipe> = {
  'GET /api/v1/svc/auth/users': read(
    forPeople(({ company, text }) =>
      ['', '?active=true', `?company=${company}`, `?search=${text}`, '?role=Clerk'].map(
        (query) => ({
          path: `${USERS}${query}`,
        }),
      ),
    ),
  ),
  'POST /api/v1/svc/auth/users': forPeople(({ company }) => [
    post(USERS, { UserName: 'eve', Companies: [company] }),
    post(USERS, { UserName: 'eva', Roles: [{ Role: 'Clerk', CompanyId: company }] }),
  ]),
  'GET /api/v1/svc/auth/users/:userId': read(
    forPeople((keys) => [...forUser('GET', '')(keys), { path: `${USERS}/2` }]),
  ),
  'PUT /api/v1/svc/auth/users/:userId': forPeople((keys) => [
    ...forUser('PUT', '', () => ({ DisplayName: 'new' }))(keys),
    put(`${USERS}/6`, { Companies: [2, keys.company] }),
    put(`${USERS}/6`, { Roles: [{ Role: 'Clerk', CompanyId: keys.company }] }),
  ]),
  'DELETE /api/v1/svc/auth/users/:userId': forPeople((keys) => [
    ...forUser('DELETE', '')(keys),
    remove(`${USERS}/6`),
  ]),
  'POST /api/v1/svc/auth/users/:userId/lock': forPeople(forUser('POST', '/lock')),
  'POST /api/v1/svc/auth/users/:userId/unlock': forPeople(forUser('POST', '/unlock')),
  'POST /api/v1/svc/auth/users/:userId/reset-password': forPeople(
    forUser('POST', '/reset-password'),
  ),
  'POST /api/v1/svc/auth/users/:userId/reset-mfa': forPeople(forUser('POST', '/reset-mfa')),
  'POST /api/v1/svc/auth/users/:userId/roles': forPeople((keys) => [
    ...forUser('POST', '/roles', () => ({ Role: 'Clerk', CompanyId: 2 }))(keys),
    post(`${USERS}/6/roles`, { Role: 'Clerk', CompanyId: keys.company }),
  ]),
  'DELETE /api/v1/svc/auth/users/:userId/roles': forPeople((keys) => [
    ...forUser('DELETE', '/roles', () => ({ Role: 'Clerk', CompanyId: 2 }))(keys),
    {
      path: `${USERS}/2/roles`,
      method: 'DELETE',
      body: { Role: 'Admin', CompanyId: keys.company },
    },
  ]),
  'POST /api/v1/svc/auth/users/:userId/companies': forPeople((keys) => [
    ...forUser('POST', '/companies', () => ({ CompanyId: 2 }))(keys),
    post(`${USERS}/6/companies`, { CompanyId: keys.company }),
  ]),
  'DELETE /api/v1/svc/auth/users/:userId/companies/:companyId': forPeople((keys) => [
    ...forUser('DELETE', '/companies/2')(keys),
    remove(`${USERS}/2/companies/${keys.company}`),
  ]),
}

const ACCESS = '/api/v1/svc/auth'
const BOARD = `${ACCESS}/board`
const SCOPES = ['All', 'Global', 'Company'] as const

const RBAC = `<Rbac><Role Name="Made" Label="Made"/></Rbac>`

const ROLES: Record<string, Recipe> = {
  'GET /api/v1/svc/auth/roles': get(`${ACCESS}/roles`),
  'GET /api/v1/svc/auth/roles/:role': get(`${ACCESS}/roles/Clerk`),
  'POST /api/v1/svc/auth/roles': forPeople(() => [post(`${ACCESS}/roles`, { Name: 'Made' })]),
  'PUT /api/v1/svc/auth/roles/:role': refused(
    forPeople(() => [put(`${ACCESS}/roles/Clerk`, { Label: 'Clerks' })]),
  ),
  'DELETE /api/v1/svc/auth/roles/:role': refused(
    forPeople(() => [remove(`${ACCESS}/roles/Clerk`)]),
  ),
}

const apply = (Principal: string, Resource: string, Verb: string, DryRun: boolean): Call => ({
  ...post(`${BOARD}/apply`, { Changes: [{ Principal, Resource, Verb, Grant: false }], DryRun }),
  versionOf: post(`${BOARD}/matrix`, { Scope: 'Company' }),
})

const explain = (UserId: number, Object: string, more: object): Call =>
  post(`${ACCESS}/explain`, { UserId, Object, Verb: 'View', ...more })

const EXPLAINED: Record<string, Recipe> = {
  'GET /api/v1/svc/auth/explorer/users': get(`${ACCESS}/explorer/users`),
  'GET /api/v1/svc/auth/explorer/roles': get(`${ACCESS}/explorer/roles`),
  'GET /api/v1/svc/auth/explorer/resources': get(`${ACCESS}/explorer/resources`),
  'POST /api/v1/svc/auth/explain': read(
    forPeople(({ id, user, company }) => [
      explain(user, 'Bills', { Keys: { Id: 501 } }),
      explain(3, 'Bills', { Keys: { Id: id } }),
      explain(2, 'Bills', { Keys: { Id: id }, CompanyId: company }),
      explain(2, 'Clients', { CompanyId: company }),
    ]),
  ),
}

const BOARDS: Record<string, Recipe> = {
  'GET /api/v1/svc/auth/statistics': read(
    forPeople(() => SCOPES.map((scope) => ({ path: `${ACCESS}/statistics?scope=${scope}` }))),
  ),
  'GET /api/v1/svc/auth/board/principals': read(
    forPeople(({ text }) => [
      ...SCOPES.map((scope) => ({ path: `${BOARD}/principals?scope=${scope}` })),
      { path: `${BOARD}/principals?kind=User&search=${text}` },
    ]),
  ),
  'POST /api/v1/svc/auth/board/matrix': read(
    forPeople(({ user }) => [
      ...SCOPES.map((Scope) => post(`${BOARD}/matrix`, { Scope })),
      post(`${BOARD}/matrix`, { Principals: [`user:${user}`] }),
    ]),
  ),
  'POST /api/v1/svc/auth/board/apply': forPeople(({ user }) => [
    apply('role:Clerk', 'Bills', 'Update', true),
    apply(`user:${user}`, 'Role:Clerk', 'Member', true),
    apply(`user:${user}`, 'Role:Clerk', 'Member', false),
    apply('role:Clerk', 'Bills', 'Delete', false),
  ]),
  'GET /api/v1/svc/auth/rbac/export': refused(get(`${ACCESS}/rbac/export`)),
  'POST /api/v1/svc/auth/rbac/import': refused(
    forPeople(() => [
      post(`${ACCESS}/rbac/import`, { Files: [{ FileName: 'made.xml', Body: RBAC }] }),
    ]),
  ),
  ...Object.fromEntries(SYSTEMS.map((path) => [`GET ${path}`, refused(get(path))])),
  // Its answer says again what it was asked for, so it is asked for what both companies have.
  'GET /api/v1/svc/search': get('/api/v1/svc/search?q=e&limit=50'),
  'POST /api/v1/svc/search/rebuild': refused(
    forPeople(() => [post('/api/v1/svc/search/rebuild', { Objects: ['none'] })]),
  ),
}

const JOBS = '/api/v1/hangfire'

/** Jobs: the people of the sweep have none. */
const JOB_RECIPES: Record<string, Recipe> = {
  'GET /api/v1/hangfire/statistics': get(`${JOBS}/statistics`),
  'GET /api/v1/hangfire/jobs': get(`${JOBS}/jobs`),
  'GET /api/v1/hangfire/jobs/:id': refused(get(`${JOBS}/jobs/1`)),
  'POST /api/v1/hangfire/jobs/:id/requeue': refused(
    forPeople(() => [post(`${JOBS}/jobs/1/requeue`)]),
  ),
  'DELETE /api/v1/hangfire/jobs/:id': refused(forPeople(() => [remove(`${JOBS}/jobs/1`)])),
  'GET /api/v1/hangfire/servers': get(`${JOBS}/servers`),
  'GET /api/v1/hangfire/recurring': get(`${JOBS}/recurring`),
  'POST /api/v1/hangfire/resume': refused(forPeople(() => [post(`${JOBS}/resume`, {})])),
  'POST /api/v1/hangfire/recurring/:name/trigger': refused(
    forPeople(() => [post(`${JOBS}/recurring/Nothing/trigger`, {})]),
  ),
  'POST /api/v1/hangfire/recurring/:name/pause': refused(
    forPeople(() => [post(`${JOBS}/recurring/Nothing/pause`, {})]),
  ),
  'POST /api/v1/hangfire/recurring/:name/resume': refused(
    forPeople(() => [post(`${JOBS}/recurring/Nothing/resume`, {})]),
  ),
}

const HOOK = '/api/v1/svc/webhooks'

/** Webhooks: the people of the sweep have none, and no name has to be resolved for the address. */
const HOOK_RECIPES: Record<string, Recipe> = {
  'GET /api/v1/svc/webhooks': get(HOOK),
  'POST /api/v1/svc/webhooks': refused(
    forPeople(() => [post(HOOK, { Url: 'https://93.184.216.34/', Events: ['nothing.created'] })]),
  ),
  'PUT /api/v1/svc/webhooks/:id': refused(forPeople(() => [put(`${HOOK}/99`, { Active: false })])),
  'DELETE /api/v1/svc/webhooks/:id': refused(forPeople(() => [remove(`${HOOK}/99`)])),
  'GET /api/v1/svc/webhooks/:id/deliveries': refused(get(`${HOOK}/99/deliveries`)),
  'POST /api/v1/svc/webhooks/:id/deliveries/:deliveryId/replay': refused(
    forPeople(() => [post(`${HOOK}/99/deliveries/1/replay`)]),
  ),
  'POST /api/v1/svc/webhooks/:id/test': refused(forPeople(() => [post(`${HOOK}/99/test`)])),
}

const SERVICES = '/api/v1/svc/hosted-services'

/** Hosted services: the sweep has none of that name. */
const SERVICE_RECIPES: Record<string, Recipe> = {
  'GET /api/v1/svc/hosted-services': get(SERVICES),
  'GET /api/v1/svc/hosted-services/:name': refused(get(`${SERVICES}/nothing`)),
  ...Object.fromEntries(
    ['start', 'stop', 'restart'].map((change) => [
      `POST /api/v1/svc/hosted-services/:name/${change}`,
      refused(forPeople(() => [post(`${SERVICES}/nothing/${change}`)])),
    ]),
  ),
}

const NOTICE = '/api/v1/notification'

/** Notifications: what the people of the sweep are told, the model tells them. */
const NOTICE_RECIPES: Record<string, Recipe> = {
  'GET /api/v1/notification': get(NOTICE),
  'GET /api/v1/notification/unread-count': get(`${NOTICE}/unread-count`),
  'POST /api/v1/notification/:id/read': refused(forPeople(() => [post(`${NOTICE}/999999/read`)])),
  'POST /api/v1/notification/read-all': forPeople(() => [post(`${NOTICE}/read-all`)]),
  'DELETE /api/v1/notification/:id': refused(forPeople(() => [remove(`${NOTICE}/999999`)])),
  'POST /api/v1/notifications': refused(
    forPeople(({ text }) => [
      post(`${NOTICE}s`, { Title: 'Hello', Users: ['clerk', `${text}-hidden`] }),
    ]),
  ),
  'GET /api/v1/notifications/preferences': get(`${NOTICE}s/preferences`),
  'PUT /api/v1/notifications/preferences': forPeople(() => [
    put(`${NOTICE}s/preferences`, { Preferences: [{ Kind: 'Message', Mail: true }] }),
  ]),
  'GET /api/v1/notifications/kinds': get(`${NOTICE}s/kinds`),
}

const PUSH = '/api/v1/push-subscription'

/** The subscription that browsers send; no name has to be resolved for the endpoint. */
const BROWSER = {
  endpoint: 'https://93.184.216.34/push/sweep',
  keys: {
    p256dh:
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
}

/** Web push: the people of the sweep have no other subscription. */
const PUSH_RECIPES: Record<string, Recipe> = {
  // The keys are made at a start; without one the first who asks has them made.
  'GET /api/v1/push-subscription/vapid-key': forPeople(() => [{ path: `${PUSH}/vapid-key` }]),
  'POST /api/v1/push-subscription': forPeople(() => [post(PUSH, BROWSER)]),
  'DELETE /api/v1/push-subscription': refused(
    forPeople(() => [{ ...remove(PUSH), body: { endpoint: 'https://93.184.216.34/push/other' } }]),
  ),
  'POST /api/v1/push-subscription/test': forPeople(() => [post(`${PUSH}/test`)]),
}

const OPEN_PAGES = `/health/live /health/ready /swagger /swagger/json
  /swagger/swagger-ui.css /swagger/swagger-ui-bundle.js /swagger/swagger-initializer.js
  /swagger/favicon.png`

const OPERATIONS: Record<string, Recipe> = {
  ...Object.fromEntries(OPEN_PAGES.split(/\s+/).map((path) => [`GET ${path}`, getOpen(path)])),
  // It leads to the page, for everyone alike.
  'GET /swagger/': refused(getOpen('/swagger/')),
}

/** By route, as `METHOD /path/:parameter`. */
export const RECIPES: Readonly<Record<string, Recipe>> = {
  ...OPERATIONS,
  ...SIGN_IN,
  ...HUBS,
  ...COMPANIES,
  ...ADMINISTRATION,
  ...ROLES,
  ...BOARDS,
  ...EXPLAINED,
  ...OBJECT_RECIPES,
  ...ENGINE_RECIPES,
  ...FILE_RECIPES,
  ...TRANSFER_RECIPES,
  ...EXTENSION_RECIPES,
  ...JOB_RECIPES,
  ...NOTICE_RECIPES,
  ...SERVICE_RECIPES,
  ...HOOK_RECIPES,
  ...FLOW_RECIPES,
  ...PUSH_RECIPES,
  ...WIZARD_RECIPES,
  ...OWN_RECIPES,
}
