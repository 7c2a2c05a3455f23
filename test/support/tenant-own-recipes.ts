/** Recipes of the sweep for what users keep for themselves. */
import type { Keys, Recipe } from './tenant-keys.ts'
import type { Call } from './tenant-world.ts'

const forPeople = (calls: (keys: Keys) => Call[]): Recipe => ({
  as: [['clerk', 'boss', 'nobody']],
  calls,
})

const SETTINGS = '/api/v1/svc/settings/me'

const PEOPLE = '/api/v1/svc/people'

/** Own settings: keys that name other users and companies are keys like others. */
export const OWN_RECIPES: Record<string, Recipe> = {
  [`GET ${SETTINGS}`]: { ...forPeople(() => [{ path: SETTINGS }]), isRead: true },
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
