/**
 * Rights that were changed since the model was kept: they stand beside it, so that neither the
 * change nor the next start has to go through the whole model.
 */
import { deserialize, serialize } from 'node:v8'
import { planKey } from '../snapshot/model-snapshot.ts'
import type { Model, Script } from '../model.ts'
import type { Roles } from './compile-rights.ts'

/** Where changed rights are kept. */
export const RIGHTS_FACT = 'rights'

/** What is kept of changed rights. */
export interface KeptRights {
  /** The key of the kept model that they belong to. */
  base: string
  roles: Roles
  hash: string
}

const bases = new WeakMap<Model, string>()

/** The key of the kept model that a model is, but for its rights. */
export const findBase = (model: Model): string => bases.get(model) ?? planKey(model.scripts)

/** Notes which kept model a model with changed rights goes back to. */
export const noteBase = (model: Model, base: string): void => void bases.set(model, base)

/** The rights as text, for the scripts that they were compiled from. */
export function writeRights(rights: KeptRights, scripts: readonly Script[]): string {
  const bytes = Buffer.from(serialize(rights))
  return [planKey(scripts), bytes.toString('base64')].join('\n')
}

/** What is kept for a key of scripts; undefined for what was kept for others. */
export function readRights(text: string, key: string): KeptRights | undefined {
  const [snapshotKey, body = ''] = text.split('\n')
  // The same build has written it: the key names that, too.
  return snapshotKey === key
    ? (deserialize(Buffer.from(body, 'base64')) as unknown as KeptRights)
    : undefined
}
