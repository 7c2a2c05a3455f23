/** Labels of the values that filters name, for chips and editors. */
import type { Schemas } from '../../api/wire.ts'
import { type FilterNode, type FilterScalar, isGroup, isList } from '../../state/filter-tree.ts'
import { findValueLabel, type LabelledValue } from '../../state/value-labels.ts'
import { isChosen } from '../../fields/chosen.ts'
import { findFilterField } from '../../fields/filter-fields.ts'
import { TOLD_VALUES_MAX, type WordsScope } from './filter-words.ts'

type Metadata = Schemas['MetadataResult']

/** The scope of words of filters: the fields of a view, and the labels that are known. */
export const scopeOf = (metadata: Metadata): WordsScope => ({
  metadata,
  labelOf: ({ Name }, value) => findValueLabel({ object: metadata.Slug, field: Name, value }),
})

/** Values of references whose labels chips show; options have theirs in the metadata. */
export function listLabelled(
  metadata: Metadata,
  filters: readonly FilterNode[],
  max = TOLD_VALUES_MAX,
): LabelledValue[] {
  return filters.flatMap((node) => {
    if (isGroup(node)) return listLabelled(metadata, node.Filters, max)
    const field = findFilterField(metadata, node.Field)
    if (!field || !isChosen(field) || field.Options.length > 0) return []
    const values: readonly (FilterScalar | null)[] = isList(node.Value)
      ? node.Value.slice(0, max)
      : [node.Value]
    return values.flatMap((value) =>
      value === null || value === '' ? [] : [{ object: metadata.Slug, field: field.Name, value }],
    )
  })
}
