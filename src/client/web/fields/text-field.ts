/** Text. */
import type { FieldKind } from './field-kind.ts'

export const TEXT: FieldKind = { align: 'start', format: String }
