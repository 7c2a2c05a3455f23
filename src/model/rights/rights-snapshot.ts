/**
 * Rights that were changed since the model's snapshot was stored: they stand beside it, so that
 * neither the change nor the next start has to go through the whole model.
 */
import { createHash } from 'node:crypto'
import { planKey } from '../snapshot/model-snapshot.ts'
import { PartReader, PartWriter } from '../snapshot/parts.ts'
import type { Model } from '../model.ts'
import type { Roles } from './compile-rights.ts'

/** The fact that changed rights are stored under. */
export const RIGHTS_FACT = 'rights'

/** What is stored of changed rights. */
export interface RightsSnapshot {
  /** The key of the model snapshot that they belong to. */
  base: string
  roles: Roles
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
  const writer = new PartWriter()
  writer.add({ base: findBase(model), roles, hash } satisfies RightsSnapshot)
  const body = [JSON.stringify(writer.shapes), ...writer.parts].join('\n')
  return [planKey(scripts), digest(body), body].join('\n')
}

/** What is stored for a key of scripts; undefined for what was stored for others, or is damaged. */
export function readRights(text: string, key: string): RightsSnapshot | undefined {
  const [storedKey, storedDigest, shapes = '', part = ''] = text.split('\n')
  if (storedKey !== key || storedDigest !== digest(`${shapes}\n${part}`)) return undefined
  const bytes = Buffer.from(part)
  // The same build has written it: the key names that, too.
  return new PartReader(bytes, JSON.parse(shapes), [bytes.length]).read(0) as RightsSnapshot
}

const digest = (body: string): string => createHash('sha256').update(body).digest('hex')
