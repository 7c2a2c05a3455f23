/** A printable document of a record. */
import type { FieldCondition } from './field-condition.ts'
import type { View } from './view.ts'
import type { ModelText } from '../model-text.ts'

/** A column of a printed table of details. */
export interface PrintLineColumn {
  /** A field of the Detail's view, as it spells it. */
  field: string
  label: ModelText
  /** True when it has its own Label; otherwise it has its field's, followed by the unit. */
  hasOwnLabel: boolean
  weight: number | undefined
  isSummed: boolean
  isCarried: boolean
}

/** An amount below a table: a field of the record, or a text. */
interface PrintTotal {
  field: string | undefined
  text: ModelText | undefined
  label: ModelText
  isStrong: boolean
  when: FieldCondition | undefined
}

export type PrintAlign = 'start' | 'center' | 'end'

/** A part of a print; lengths are millimetres. */
export type PrintPart =
  | {
      kind: 'address'
      window: 'DIN5008' | 'US10'
      sender: ModelText | undefined
      lines: readonly ModelText[]
    }
  | { kind: 'heading'; level: 1 | 2 | 3; text: ModelText; when: FieldCondition | undefined }
  | {
      kind: 'text'
      text: ModelText
      align: PrintAlign
      isStrong: boolean
      when: FieldCondition | undefined
    }
  | {
      kind: 'fields'
      fields: readonly string[]
      columns: 1 | 2 | 3
      when: FieldCondition | undefined
    }
  | {
      kind: 'lines'
      /** Name of the view's Detail, or of the report's dataset. */
      detail: string
      label: ModelText | undefined
      /** The field of the Detail's view by which its rows are grouped. */
      group: string | undefined
      empty: ModelText | undefined
      columns: readonly PrintLineColumn[]
      when: FieldCondition | undefined
    }
  | { kind: 'totals'; rows: readonly PrintTotal[] }
  | {
      kind: 'barcode'
      type: 'qr' | 'ean13' | 'ean8' | 'code128'
      text: ModelText
      label: ModelText | undefined
      width: number
      align: PrintAlign
      when: FieldCondition | undefined
    }
  | { kind: 'space'; height: number }
  | { kind: 'rule' }
  | { kind: 'pageBreak' }

/** A report as a print reads it; its resource and its filters are those of the report. */
export interface PrintedReportSource {
  /** Name of the report. */
  name: string
  /** Filters and columns of `Single` datasets, as fields of one record. */
  view: View
  /** Other datasets of the report, by their names. */
  tables: readonly { name: string; view: View }[]
}

/**
 * A printable document of a record of a view, made for callers who may View it, or of a report, for
 * callers who may List and Export it.
 */
export interface Print {
  name: string
  slug: string
  label: ModelText
  versionHash: string
  /** Name of the view, or of the report. */
  view: string
  /** The report that it is of, in place of a view. */
  report: PrintedReportSource | undefined
  title: ModelText
  page: {
    size: 'A4' | 'A5' | 'A6' | 'Letter' | 'Legal' | { width: number; height: number }
    isLandscape: boolean
    margin: number | undefined
  }
  /** A tag, or the field that holds it; undefined for the language of the caller who prints. */
  language: { tag: string } | { field: string } | undefined
  letterhead: { hasLogo: boolean; lines: readonly ModelText[] } | undefined
  foot: { left: ModelText; right: ModelText } | undefined
  parts: readonly PrintPart[]
  /** Fields of the view that any of it names, as the view spells them. */
  fields: readonly string[]
}
