/** The hub's part that tells clients when the model or their rights have changed. */
import { createHash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import type { Role } from '../../model/compiled/role.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { AppContext } from '../../server/context.ts'
import type { HubConnection, HubPart } from '../../server/hub/hub.ts'

/** The model and the rights that a client draws by, as it was last told. */
interface Drawn {
  model: string
  rights: string
}

/**
 * Tells a change of roles to those who hold them, and one of the model to everybody: no more than
 * that there is one.
 */
export function modelAndRightsPart({ models, store }: AppContext): HubPart {
  const drawn = new Map<HubConnection, Drawn>()
  const look = async ({ caller }: HubConnection): Promise<Drawn> => {
    const model = models.get()
    const companies = await store.get(COMPANIES, { user: caller.userId })
    const rights = describeRights(model, caller, String(companies?.Ids ?? ''))
    return { model: hashOf(model), rights }
  }
  return {
    events: {
      modelChanged: {
        description: 'A deploy has changed the application: metadata and navbar may be others',
        arguments: {
          change: Type.Object({ VersionHash: Type.String({ description: 'Of the application' }) }),
        },
      },
      rightsChanged: {
        description: 'Roles, companies or rights of the caller are others than before',
        arguments: {},
      },
    },
    open: async (connection) => void drawn.set(connection, await look(connection)),
    change: async (connection) => {
      const now = await look(connection)
      const before = drawn.get(connection)
      if (!before) return
      drawn.set(connection, now)
      if (now.model !== before.model) connection.send('modelChanged', { VersionHash: now.model })
      if (now.rights !== before.rights) connection.send('rightsChanged')
    },
    close: (connection) => void drawn.delete(connection),
  }
}

const COMPANIES = `SELECT json_group_array(CompanyId) AS Ids FROM
  (SELECT CompanyId FROM svc_user_companies WHERE UserId = @user ORDER BY CompanyId)`

const hashes = new WeakMap<Model, string>()

/** The versions of all scripts but those of rights: who holds none of them learns nothing. */
const hashOf = (model: Model): string =>
  hashes.getOrInsertComputed(model, () => {
    const parts = model.scripts
      .filter(({ type }) => type !== 'Rbac')
      .map(({ type, name, versionHash }) => `${type} ${name} ${versionHash}`)
    return createHash('sha256').update(parts.sort().join('\n')).digest('hex').slice(0, 32)
  })

/** All that decides on what a caller may do, but for records. */
function describeRights({ roles }: Model, caller: Caller, companies: string): string {
  const held = caller.roles.map((name) => {
    const role = roles.get(name)
    return role ? describeRole(role) : name
  })
  const parts = [caller.companyId, companies, caller.isSystem, caller.attributes, held]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

const described = new WeakMap<Role, string>()

/** The grants and limits of a role, wherever in the files it stands. */
const describeRole = (role: Role): string =>
  described.getOrInsertComputed(role, () =>
    JSON.stringify(role, (name, value: unknown) => {
      if (name === 'place' || name === 'label') return undefined
      return value instanceof Set ? [...(value as Set<unknown>)].sort() : value
    }),
  )
