/** Recipes of the sweep for wizards. */
import type { Keys, Recipe } from './tenant-keys.ts'
import type { Call } from './tenant-world.ts'

const forPeople = (calls: (keys: Keys) => Call[]): Recipe => ({
  as: [['clerk', 'boss', 'nobody']],
  calls,
})
const read = (recipe: Recipe): Recipe => ({ ...recipe, isRead: true })
const get = (path: string): Recipe => read(forPeople(() => [{ path }]))
const post = (path: string, body: object = {}): Call => ({ path, body, method: 'POST' })
const remove = (path: string): Call => ({ path, method: 'DELETE' })

const WIZARD = '/api/v1/svc/wizard'

const onRun = (path: string, bodies: readonly object[]): Recipe =>
  forPeople(({ run }) => bodies.map((body) => post(`${WIZARD}/runs/${run}/${path}`, body)))

/** The clerk has a run of their own; the others meet it as one that is not there. */
export const WIZARD_RECIPES: Record<string, Recipe> = {
  'GET /api/v1/svc/wizard/runs': get(`${WIZARD}/runs?CompanyId=1`),
  'GET /api/v1/svc/wizard/:name': get(`${WIZARD}/hire`),
  'POST /api/v1/svc/wizard/:name/start': forPeople(({ id, company }) => [
    post(`${WIZARD}/hire/start`),
    post(`${WIZARD}/Hire/start`, { Parameters: { Of: id, Boss: id, CurrentCompanyId: company } }),
  ]),
  'POST /api/v1/svc/wizard/:name/form': read(
    forPeople(({ id }) => [
      post(`${WIZARD}/hire/form`, { Step: 'Who', Values: { Of: id } }),
      post(`${WIZARD}/hire/form`, { Step: 'Asked', Values: { Of: id } }),
      post(`${WIZARD}/hire/form`, { Step: 'All', Values: { Of: id } }),
    ]),
  ),
  'GET /api/v1/svc/wizard/runs/:id': read(
    forPeople(({ run }) => [{ path: `${WIZARD}/runs/${run}` }]),
  ),
  'DELETE /api/v1/svc/wizard/runs/:id': forPeople(({ run }) => [remove(`${WIZARD}/runs/${run}`)]),
  'POST /api/v1/svc/wizard/runs/:id/next': onRun('next', [{ Values: { plain: 'yes' } }, {}]),
  'POST /api/v1/svc/wizard/runs/:id/back': onRun('back', [{}, { Step: 'Who' }]),
  'POST /api/v1/svc/wizard/runs/:id/finish': {
    ...forPeople(({ run, id }) => [
      post(`${WIZARD}/runs/${run}/back`),
      post(`${WIZARD}/runs/${run}/next`, { Values: { Of: id } }),
      post(`${WIZARD}/runs/${run}/next`, { Values: { Of: 501 } }),
      post(`${WIZARD}/runs/${run}/next`),
      post(`${WIZARD}/runs/${run}/finish`),
    ]),
  },
}
