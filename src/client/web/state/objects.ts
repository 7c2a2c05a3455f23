/** The objects that the caller may list, and the one in which records of a reference are found. */
import { type Schemas, take, wire } from '../api/wire.ts'

type Field = Pick<Schemas['MetadataField'], 'Lookup' | 'References'>

/** The object of a lookup, and whether the caller may make a record in its form. */
export interface LookupTarget {
  slug: string
  label: string
  canCreate: boolean
}

/** Objects whose records have a form. */
const HAS_FORM: Readonly<Record<Schemas['ViewType'], boolean>> = {
  Grid: true,
  Form: true,
  View: false,
  Wizard: false,
}

/** Rights change, too: the objects are asked for again after this time. */
const KEPT_MS = 60_000

let kept: { until: number; objects: Promise<Schemas['ObjectNode'][]> } | undefined

function loadObjects(): Promise<Schemas['ObjectNode'][]> {
  if (!kept || kept.until < Date.now()) {
    const objects = take(wire.GET('/api/v1/svc/object-explorer/objects'))
    kept = { until: Date.now() + KEPT_MS, objects }
    objects.catch(() => (kept = undefined))
  }
  return kept.objects
}

const canCreateIn = ({ Verbs, ViewType }: Schemas['ObjectLeaf']): boolean =>
  Verbs.includes('Create') && ViewType !== null && HAS_FORM[ViewType]

/**
 * Finds the object of a field: the one that its lookup names, else one of the entity that it
 * refers to, first one to make records in. Undefined where the caller may list none.
 * @throws ServerError
 */
export async function findTarget({ Lookup, References }: Field): Promise<LookupTarget | undefined> {
  if (Lookup === null) return undefined
  const objects = await loadObjects()
  const all = objects.flatMap((node) => [node, ...node.Children])
  const found =
    Lookup.View === null
      ? (objects.find(({ Slug, Name }) => Slug === null && Name === References)?.Children ?? [])
      : all.filter(({ Name }) => Name === Lookup.View)
  const target = found.find(canCreateIn) ?? found[0]
  if (!target || target.Slug === null) return undefined
  return { slug: target.Slug, label: target.Label, canCreate: canCreateIn(target) }
}
