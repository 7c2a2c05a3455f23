/** Saved views in random worlds: their readers, changes and deletions, against a small model. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { SavedView } from '../../../src/engine/saved-views/schema.ts'
import { startApp } from '../../support/app.ts'
import { makePeople } from '../../support/people.ts'
import { scaleCases } from '../../support/property.ts'

const MODEL = `<Model>
<Entity Name="Bill" Table="bills" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text"/>
  <Column Name="Secret" Type="Text"/>
</Entity>
<ObjectView Name="Bills" Entity="Bill"/>
<Rbac>
  <Role Name="Clerk"><Grant Resource="Bills" Verbs="View"/></Role>
  <Role Name="Blind">
    <Grant Resource="Bills" Verbs="View"/>
    <FieldRule Resource="Bills" Field="Secret" Access="Hidden"/>
  </Role>
  <Role Name="Sharer"><Grant Resource="SharedViews" Verbs="Create"/></Role>
  <Role Name="Keeper"><Grant Resource="SharedViews" Verbs="Update Delete"/></Role>
</Rbac>
</Model>`

const PEOPLE = {
  root: 'System in ONE TWO',
  ana: 'Clerk',
  bo: 'Blind',
  sam: 'Clerk Sharer',
  blo: 'Blind Sharer',
  kim: 'Clerk Keeper',
  eve: 'Blind Admin',
  cy: 'Clerk Sharer in TWO',
  dan: 'Blind Keeper in TWO',
} as const

const APPLICATION = {
  files: [{ name: 'bills.xml', body: MODEL }],
  ...makePeople('ONE TWO', PEOPLE),
}

type Name = keyof typeof PEOPLE
type Shared = SavedView['Shared']

const NAMES = Object.keys(PEOPLE) as Name[]

const rolesOf = (name: Name): string[] => PEOPLE[name].split(' in ')[0]?.split(' ') ?? []
const companyOf = (name: Name): string =>
  PEOPLE[name].endsWith('in TWO') && name !== 'root' ? 'TWO' : 'ONE'
const isAdmin = (name: Name): boolean => rolesOf(name).some((role) => /System|Admin/.test(role))
const mayShare = (name: Name): boolean => isAdmin(name) || rolesOf(name).includes('Sharer')
const isKeeper = (name: Name): boolean => isAdmin(name) || rolesOf(name).includes('Keeper')
const isBlind = (name: Name): boolean => name !== 'root' && rolesOf(name).includes('Blind')

/** A view as the rules have it (src/server/README.md, Saved views). */
interface Known {
  maker: Name
  shared: Shared
  role: string | null
  secret: boolean
}

const finds = (name: Name, { maker, shared, role }: Known): boolean =>
  companyOf(name) === companyOf(maker) &&
  (name === maker ||
    shared === 'company' ||
    (shared === 'role' && (isKeeper(name) || rolesOf(name).includes(role ?? ''))))

const sharesSo = (name: Name, { shared, role }: Pick<Known, 'shared' | 'role'>): boolean =>
  shared === 'none' ||
  (mayShare(name) && (shared === 'company' || isAdmin(name) || rolesOf(name).includes(role ?? '')))

const changes = (name: Name, view: Known): boolean =>
  view.shared === 'none' || isKeeper(name) || (name === view.maker && mayShare(name))

const nameOf = fc.constantFrom(...NAMES)
const sharing = fc.oneof(
  fc.record({ shared: fc.constantFrom<Shared>('none', 'company'), role: fc.constant(null) }),
  fc.record({ shared: fc.constant<Shared>('role'), role: fc.constantFrom('Clerk', 'Blind') }),
)
const step = fc.oneof(
  fc.record({ act: fc.constant('save' as const), as: nameOf, sharing, secret: fc.boolean() }),
  fc.record({ act: fc.constant('share' as const), as: nameOf, sharing, at: fc.nat(30) }),
  fc.record({ act: fc.constant('delete' as const), as: nameOf, at: fc.nat(30) }),
)

test('saved views are found, changed and deleted as the rules say, in random worlds', async () => {
  await using app = await startApp({ application: APPLICATION })
  const steps = fc.array(step, { minLength: 15, maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(steps, async (walk) => {
      await app.store.write((tx) => tx.run('DELETE FROM svc_saved_views', {}), {
        company: 'all',
        because: 'a test',
      })
      const known = new Map<number, Known>()
      const call = (as: Name, method: string, rest: string, body?: object) =>
        app.fetch<{ data: SavedView }>(`/api/v1/svc/views${rest}`, {
          as,
          method,
          ...(body && { body }),
        })
      for (const now of walk) {
        const { as } = now
        if (now.act === 'save') {
          const { shared, role } = now.sharing
          const secret = now.secret && !isBlind(as)
          const Columns = [{ Field: 'Name' }, ...(secret ? [{ Field: 'Secret' }] : [])]
          const view = { Object: 'Bills', Name: 'x', Shared: shared, Role: role, Columns }
          const { status, body } = await call(as, 'POST', '', view)
          const isAllowed = sharesSo(as, now.sharing)
          expect([now, status === 200]).toEqual([now, isAllowed])
          if (isAllowed) known.set(body.data.Id, { maker: as, shared, role, secret })
          continue
        }
        const [id, view] = [...known][now.at % Math.max(known.size, 1)] ?? []
        if (id === undefined || view === undefined) continue
        if (now.act === 'delete') {
          const { status } = await call(as, 'DELETE', `/${id}`)
          const isAllowed = finds(as, view) && (as === view.maker || isKeeper(as))
          expect([now, view, status === 200]).toEqual([now, view, isAllowed])
          if (isAllowed) known.delete(id)
          continue
        }
        const { shared, role } = now.sharing
        const isSame = shared === view.shared && role === view.role
        const isBack = as === view.maker && shared === 'none'
        const isAllowed =
          finds(as, view) &&
          (changes(as, view) || isBack) &&
          (shared !== 'none' || as === view.maker) &&
          (isSame || sharesSo(as, now.sharing))
        const { status } = await call(as, 'PUT', `/${id}`, { Shared: shared, Role: role })
        expect([now, view, status === 200]).toEqual([now, view, isAllowed])
        if (isAllowed) known.set(id, { ...view, shared, role, maker: as })
      }
      for (const name of NAMES) {
        const { text, body } = await app.fetch<{ data: { Views: SavedView[] } }>(
          '/api/v1/svc/views?object=Bills',
          { as: name },
        )
        const found = [...known].filter(([, view]) => finds(name, view)).map(([id]) => id)
        expect([name, body.data.Views.map(({ Id }) => Id).sort()]).toEqual([name, found.sort()])
        for (const { Id, Columns, IsPartial } of body.data.Views) {
          const isCut = known.get(Id)?.secret === true && isBlind(name)
          expect([IsPartial, Columns.length]).toEqual([
            isCut,
            known.get(Id)?.secret === true && !isCut ? 2 : 1,
          ])
        }
        expect(isBlind(name) && text.includes('"Field":"Secret"')).toBe(false)
      }
    }),
    { numRuns: scaleCases(6) },
  )
})
