/**
 * Rights that were changed since the model's snapshot was stored. They are stored beside it, so
 * that neither the change nor the next start has to go through the whole model.
 */
import { createHash } from 'node:crypto'
import type { FieldRule, Role, RoleGrant, RowFilter } from '../../compiled/role.ts'
import type { Model } from '../../model.ts'
import type { Roles } from './compile-rights.ts'
import { planKey } from '../../snapshot/model-snapshot.ts'
import { PartReader, PartWriter } from '../../snapshot/parts.ts'

/** The fact that changed rights are stored under. */
export const RIGHTS_FACT = 'rights'

/** The snapshot that a model with changed rights goes back to. */
interface RightsBase {
  key: string
  roles: Roles
}

const bases = new WeakMap<Model, RightsBase>()

/** The snapshot that a model is, but for its rights. */
export const findBase = (model: Model): RightsBase =>
  bases.get(model) ?? { key: planKey(model.scripts), roles: model.roles }

/** Notes which snapshot a model with changed rights goes back to. */
export const noteBase = (model: Model, base: RightsBase): void => void bases.set(model, base)

/** Changed rights as stored. */
export interface RightsSnapshot {
  /** The key of the model snapshot that they belong to. */
  base: string
  hash: string
  recordHash: string
  /** The roles, over those of that snapshot. */
  openRoles: (base: Roles) => Roles
}

/** A part of a role: its number in the snapshot if that has it too, else the part. */
type StoredPart<T> = number | T

interface StoredRole extends Pick<Role, 'name' | 'label' | 'assignableBy'> {
  grants: StoredPart<RoleGrant>[]
  rowFilters: StoredPart<RowFilter>[]
  fieldRules: StoredPart<FieldRule>[]
}

interface StoredRights {
  base: string
  hash: string
  recordHash: string
  roles: StoredRole[]
}

const listParts = (roles: Roles): object[] =>
  [...roles.values()].flatMap((role) => [...role.grants, ...role.rowFilters, ...role.fieldRules])

/** The rights of a model as text. */
export function writeRights(model: Model): string {
  const { hash, recordHash, scripts } = model
  const base = findBase(model)
  const numbers = new Map(listParts(base.roles).map((part, at) => [part, at]))
  const toStored = <T extends object>(parts: readonly T[]): StoredPart<T>[] =>
    parts.map((part) => numbers.get(part) ?? part)
  const roles = [...model.roles.values()].map((role): StoredRole => ({
    ...role,
    grants: toStored(role.grants),
    rowFilters: toStored(role.rowFilters),
    fieldRules: toStored(role.fieldRules),
  }))
  const writer = new PartWriter()
  writer.add({ base: base.key, hash, recordHash, roles } satisfies StoredRights)
  const body = [JSON.stringify(writer.shapes), ...writer.parts].join('\n')
  return [planKey(scripts), digest(body), body].join('\n')
}

/** Reads the rights stored for a key of scripts; undefined for another key or a damaged text. */
export function readRights(text: string, key: string): RightsSnapshot | undefined {
  const [storedKey, storedDigest, shapes = '', part = ''] = text.split('\n')
  if (storedKey !== key || storedDigest !== digest(`${shapes}\n${part}`)) return undefined
  const bytes = Buffer.from(part)
  const reader = new PartReader(bytes, JSON.parse(shapes), [bytes.length])
  // The same build has written it: the key names that, too.
  const { base, hash, recordHash, roles } = reader.read(0) as StoredRights
  return { base, hash, recordHash, openRoles: (known) => openRoles(roles, known) }
}

function openRoles(roles: readonly StoredRole[], base: Roles): Roles {
  const parts = listParts(base)
  // A number means a part of the same kind: it was written so.
  const open = <T>(stored: readonly StoredPart<T>[]): T[] =>
    stored.map((part) => (typeof part === 'number' ? (parts[part] as T) : part))
  return new Map(
    roles.map((role) => [
      role.name,
      {
        ...role,
        grants: open(role.grants),
        rowFilters: open(role.rowFilters),
        fieldRules: open(role.fieldRules),
      },
    ]),
  )
}

const digest = (body: string): string => createHash('sha256').update(body).digest('hex')
