/** JSON, and files by their names. */
import type { FieldKind } from './field-kind.ts'

export const JSON_VALUE: FieldKind = {
  align: 'start',
  format: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
}

export const FILE: FieldKind = {
  align: 'start',
  format: (value) =>
    Array.isArray(value)
      ? value.map((file: { FileName?: unknown }) => String(file.FileName)).join(', ')
      : '',
}
