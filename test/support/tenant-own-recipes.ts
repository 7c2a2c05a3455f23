/** Recipes of the sweep for what users keep for themselves. */
import type { Keys, Recipe } from './tenant-keys.ts'
import { VIEW_NAMES } from './tenant-model.ts'
import type { Call } from './tenant-world.ts'

const forPeople = (calls: (keys: Keys) => Call[]): Recipe => ({
  as: [['clerk', 'boss', 'nobody']],
  calls,
})

const SETTINGS = '/api/v1/svc/settings/me'

const PEOPLE = '/api/v1/svc/people'

const JOBS = '/api/v1/svc/jobs/mine'

const VIEWS = '/api/v1/svc/views'

const forAnyone = (path: string): Recipe => ({
  as: [[undefined]],
  isRead: true,
  calls: () => [{ path }],
})

/** Own settings: keys that name other users and companies are keys like others. */
export const OWN_RECIPES: Record<string, Recipe> = {
  'GET /api/v1/auth/methods': forAnyone('/api/v1/auth/methods'),
  // The sweep has no logo.
  'GET /api/v1/auth/logo': { ...forAnyone('/api/v1/auth/logo'), isRefused: true },
  [`GET ${VIEWS}`]: {
    ...forPeople(({ text }) => [
      ...VIEW_NAMES.map((name) => ({ path: `${VIEWS}?object=${name}` })),
      { path: `${VIEWS}?object=${text}` },
    ]),
    isRead: true,
  },
  // What it is given it gives back: so it is given no key of a record.
  [`POST ${VIEWS}`]: forPeople(({ company, user }) => [
    {
      path: VIEWS,
      method: 'POST',
      body: { Object: 'Bills', Name: 'Mine', CompanyId: company, OwnerId: user, MakerId: user },
    },
  ]),
  [`PUT ${VIEWS}/:id`]: {
    ...forPeople(() => [{ path: `${VIEWS}/99`, method: 'PUT', body: { Name: 'Mine' } }]),
    isRefused: true,
  },
  [`DELETE ${VIEWS}/:id`]: {
    ...forPeople(() => [{ path: `${VIEWS}/99`, method: 'DELETE' }]),
    isRefused: true,
  },
  [`GET ${SETTINGS}`]: { ...forPeople(() => [{ path: SETTINGS }]), isRead: true },
  [`GET ${JOBS}`]: { ...forPeople(() => [{ path: JOBS }]), isRead: true },
  [`DELETE ${JOBS}/:id`]: {
    ...forPeople(() => [{ path: `${JOBS}/1`, method: 'DELETE' }]),
    isRefused: true,
  },
  [`GET ${PEOPLE}`]: {
    ...forPeople(({ text }) => [{ path: PEOPLE }, { path: `${PEOPLE}?limit=100&search=${text}` }]),
    isRead: true,
  },
  [`PUT ${SETTINGS}/:key`]: forPeople(({ user, company, text }) => [
    { path: `${SETTINGS}/user-${user}`, method: 'PUT', body: { Value: text, UserId: user } },
    { path: `${SETTINGS}/${text}`, method: 'PUT', body: { Value: company } },
  ]),
  [`DELETE ${SETTINGS}/:key`]: forPeople(({ user }) => [
    { path: `${SETTINGS}/user-${user}`, method: 'DELETE' },
  ]),
}
