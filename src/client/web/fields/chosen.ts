/** Fields whose values are chosen from a list. */
import type { MetadataField } from './field-kind.ts'

/** True where values of a field are chosen, not typed. */
export const isChosen = (field: MetadataField): boolean =>
  field.Options.length > 0 || field.Lookup !== null || field.DataSet !== null
