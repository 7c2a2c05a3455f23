/** The features of a field by which its values are read and checked. */
import type { FieldFeatures } from '../compiled/field-features.ts'

/** The features of a field that its values are checked by. */
export type FieldShape = Pick<
  FieldFeatures,
  | 'label'
  | 'type'
  | 'required'
  | 'maxLength'
  | 'scale'
  | 'min'
  | 'max'
  | 'pattern'
  | 'options'
  | 'maxCount'
  | 'references'
  | 'keepsBlanks'
>

/** The features of a field that a condition on it reads. */
export type ConditionField = FieldShape & Pick<FieldFeatures, 'name'>

/** The shape of a value that carries no rule but its type. */
export const plainShape = (label: string, type: FieldShape['type']): FieldShape => ({
  label,
  type,
  required: false,
  maxLength: undefined,
  scale: undefined,
  min: undefined,
  max: undefined,
  pattern: undefined,
  options: [],
  maxCount: undefined,
  references: undefined,
})
