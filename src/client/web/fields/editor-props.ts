/** Properties that every control of a form takes from its field. */
import type { EditorProps } from './field-kind.ts'

/** Label, help, unit, fault and state of a control, as Vaadin's elements name them. */
export const controlProps = ({ field, isReadOnly, isRequired, fault, isCell }: EditorProps) => ({
  name: field.Name,
  ...(isCell === true
    ? { accessibleName: field.Label, theme: 'small' }
    : { label: field.Label, helperText: field.Help ?? '', errorMessage: fault ?? '' }),
  readonly: isReadOnly,
  required: isRequired && !isReadOnly,
  manualValidation: true,
  invalid: fault !== undefined,
})
