/** Recipes of the sweep for the routes of workflows. */
import type { Keys, Recipe } from './tenant-keys.ts'
import type { Call } from './tenant-world.ts'

const PEOPLE = [['clerk', 'boss', 'nobody']] as const
const forPeople = (calls: (keys: Keys) => Call[]): Recipe => ({ as: PEOPLE, calls })
const forAnyone = (calls: (keys: Keys) => Call[]): Recipe => ({ as: [[undefined]], calls })
const refused = (recipe: Recipe): Recipe => ({ ...recipe, isRefused: true })
const get = (path: string): Recipe => ({ ...forPeople(() => [{ path }]), isRead: true })
const post = (path: string, body: object = {}): Call => ({ path, body, method: 'POST' })
const put = (path: string, body: object): Call => ({ path, body, method: 'PUT' })

const FALSE_TOKEN = 'm3Jc0eWqXo2u9Yw1b5T7rK4nLh8sVdZpGfAiEtUyQxM'

const FLOW = '/api/v1/svc/workflow'

/** Routes of definitions, which are refused to the people of the sweep. */
const DEFINITIONS: readonly (readonly [method: string, path: string])[] = [
  ['GET', 'definitions'],
  ['POST', 'definitions'],
  ['GET', 'definitions/:key'],
  ['POST', 'definitions/:key/validate'],
  ['POST', 'definitions/:key/publish'],
  ['GET', 'definitions/:key/versions'],
  ['GET', 'definitions/:key/versions/:versionHash'],
  ['GET', 'definitions/:key/versions/:versionHash/diff/:otherHash'],
  ['GET', 'definitions/:key/draft'],
  ['POST', 'definitions/:key/draft'],
  ['DELETE', 'definitions/:key/draft'],
  ['GET', 'designer/:key'],
  ['POST', 'designer/:key'],
]

const bodyOf = (method: string) => (method === 'POST' ? { body: { DefinitionXml: '<a/>' } } : {})

/** Workflows: an instance and its task have the id of their record. */
export const FLOW_RECIPES: Record<string, Recipe> = {
  [`POST ${FLOW}/instances`]: refused(
    forPeople(({ id }) => [post(`${FLOW}/instances`, { Workflow: 'Check', Keys: { Id: id } })]),
  ),
  [`GET ${FLOW}/instances`]: get(`${FLOW}/instances`),
  [`GET ${FLOW}/instances/:id`]: {
    ...forPeople(({ id }) => [{ path: `${FLOW}/instances/${id}` }]),
    isRead: true,
  },
  [`POST ${FLOW}/instances/:id/actions/:action`]: forPeople(({ id }) => [
    post(`${FLOW}/instances/${id}/actions/Ask`),
    post(`${FLOW}/instances/${id}/actions/Pass`, { TaskId: id, Comment: 'fine' }),
  ]),
  [`POST ${FLOW}/instances/:id/cancel`]: refused(
    forPeople(({ id }) => [post(`${FLOW}/instances/${id}/cancel`)]),
  ),
  [`POST ${FLOW}/instances/:id/migrate`]: refused(
    forPeople(({ id }) => [post(`${FLOW}/instances/${id}/migrate`)]),
  ),
  [`GET ${FLOW}/tasks`]: get(`${FLOW}/tasks?mine=true`),
  [`GET ${FLOW}/tasks/count`]: get(`${FLOW}/tasks/count`),
  [`POST ${FLOW}/tasks/actions`]: forPeople(({ id }) => [
    post(`${FLOW}/tasks/actions`, { Action: 'Pass', Tasks: [id] }),
  ]),
  ...Object.fromEntries(
    ['claim', 'unclaim', 'delegate'].map((verb) => [
      `POST ${FLOW}/tasks/:id/${verb}`,
      forPeople(({ id, user }) => [post(`${FLOW}/tasks/${id}/${verb}`, { UserId: user })]),
    ]),
  ),
  ...Object.fromEntries(
    ['describe', 'use'].map((verb) => [
      `POST ${FLOW}/link/${verb}`,
      refused(forAnyone(() => [post(`${FLOW}/link/${verb}`, { Token: FALSE_TOKEN })])),
    ]),
  ),
  ...Object.fromEntries(
    DEFINITIONS.map(([method, path]) => [
      `${method} ${FLOW}/${path}`,
      refused(
        forPeople(() => [
          { path: `${FLOW}/${path.replace(/:\w+/g, 'nothing')}`, method, ...bodyOf(method) },
        ]),
      ),
    ]),
  ),
  [`GET ${FLOW}/delegation`]: get(`${FLOW}/delegation`),
  [`PUT ${FLOW}/delegation`]: refused(
    forPeople(({ user }) => [
      put(`${FLOW}/delegation`, { UserId: user, Until: '2020-01-01T00:00:00Z' }),
    ]),
  ),
}
