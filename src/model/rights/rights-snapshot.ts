/**
 * Rights that were changed since the model's snapshot was stored: they stand beside it, so that
 * neither the change nor the next start has to go through the whole model.
 */
import { createHash } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import { planKey } from '../snapshot/model-snapshot.ts'
import type { Model, Role } from '../model.ts'

/** The fact that changed rights are stored under. */
export const RIGHTS_FACT = 'rights'

/** A role without its label. */
type Unlabelled = Omit<Role, 'label'>

/** What is stored of changed rights. */
export interface RightsSnapshot {
  /** The key of the model snapshot that they belong to. */
  base: string
  /** Without their labels, which are those of the model snapshot. */
  roles: ReadonlyMap<string, Unlabelled>
  hash: string
}

const bases = new WeakMap<Model, string>()

/** The key of the snapshot that a model is, but for its rights. */
export const findBase = (model: Model): string => bases.get(model) ?? planKey(model.scripts)

/** Notes which snapshot a model with changed rights goes back to. */
export const noteBase = (model: Model, base: string): void => void bases.set(model, base)

/** The rights of a model as text. */
export function writeRights(model: Model): string {
  const { roles, hash, scripts } = model
  const unlabelled = [...roles].map(([name, { label: _, ...role }]) => [name, role] as const)
  const rights: RightsSnapshot = { base: findBase(model), roles: new Map(unlabelled), hash }
  const body = Buffer.from(serialize(rights)).toString('base64')
  return [planKey(scripts), digest(body), body].join('\n')
}

/** What is stored for a key of scripts; undefined for what was stored for others, or is damaged. */
export function readRights(text: string, key: string): RightsSnapshot | undefined {
  const [storedKey, storedDigest, body = ''] = text.split('\n')
  if (storedKey !== key || storedDigest !== digest(body)) return undefined
  // The same build has written it: the key names that, too.
  return deserialize(Buffer.from(body, 'base64')) as unknown as RightsSnapshot
}

const digest = (body: string): string => createHash('sha256').update(body).digest('hex')
