/** The editors of fields by their types; they load with the first form, not with a grid. */
import type { ComponentType } from 'preact'
import type { Schemas } from '../api/wire.ts'
import { BooleanEditor } from './boolean-editor.tsx'
import { ChoiceEditor } from './choice-editor.tsx'
import { isChosen } from './chosen.ts'
import { DateEditor, DateTimeEditor, TimeEditor } from './date-editor.tsx'
import type { EditorProps } from './field-kind.ts'
import { FileEditor } from './file-editor.tsx'
import { JsonEditor } from './json-editor.tsx'
import { DecimalEditor, IntegerEditor } from './number-editor.tsx'
import { TextEditor } from './text-editor.tsx'

const EDITORS: Readonly<Record<Schemas['FieldType'], ComponentType<EditorProps>>> = {
  Text: TextEditor,
  Integer: IntegerEditor,
  Decimal: DecimalEditor,
  Boolean: BooleanEditor,
  Date: DateEditor,
  DateTime: DateTimeEditor,
  Time: TimeEditor,
  Guid: TextEditor,
  Json: JsonEditor,
  File: FileEditor,
}

/** The editor of a field: its choices where it has some, else that of its type. */
export function FieldEditor(props: EditorProps) {
  const Editor = isChosen(props.field) ? ChoiceEditor : EDITORS[props.field.Type]
  return <Editor {...props} />
}
