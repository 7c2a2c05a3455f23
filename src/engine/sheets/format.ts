/** File formats, for code that writes rows into files and code that reads them. */
import type { FieldType, Option } from '../../model/compiled/field-features.ts'
import type { RowPage } from './row-page.ts'

export interface SheetColumn {
  /** Name of the field. */
  name: string
  /** The head; no other column of the sheet has the same. */
  label: string
  /** Json for lists of keys and of labels, too. */
  type: FieldType
  /** Decimal places of a Decimal. */
  scale?: number | undefined
  /** The field's `Format`, in the spreadsheets' own notation (`#,##0.00`, `dd.mm.yyyy`). */
  format?: string | undefined
  /** Width in characters; the writer finds one where it is missing. */
  width?: number | undefined
  /** The values that the column may take. */
  options?: readonly Option[] | undefined
  /** The comment on the column in a template. */
  comment?: string | undefined
}

/** The plan of a file, before its rows are known. */
export interface SheetPlan {
  /** Name of the sheet. */
  title: string
  columns: readonly SheetColumn[]
  /** Zone of the caller, in which a spreadsheet shows instants. */
  zone: string
  /** The time of the file, for formats that store one. */
  madeAt: Date
  /** True for other systems: texts are not changed for the sake of spreadsheets. */
  isRaw?: boolean | undefined
  /** True for an empty template: its columns have their comments and lists of options. */
  isTemplate?: boolean | undefined
}

/** A file that is being written. After a failed call only `abort` may be called. */
export interface RowSink {
  /** Resolves when the sink can take more: awaited, memory stays flat. */
  write(page: RowPage): Promise<void>
  /** Ends the file, synced to disk. `size` is in bytes, `sha256` in hexadecimal. */
  close(): Promise<{ size: number; sha256: string }>
  /** Ends the work and removes the file; never throws. */
  abort(): Promise<void>
}

export interface ExportFormat {
  /** Name in requests, in lower case. */
  name: string
  contentType: string
  /** Extension, with its dot. */
  extension: string
  /** True for a file that people read: heads and options go by their labels. */
  isForPeople?: boolean | undefined
  /** Makes the file at `path`, which must not be there, with its head. */
  open(sheet: SheetPlan, path: string): Promise<RowSink>
}

/** A cell of a workbook that holds an error, or a formula that no program has computed. */
export interface BrokenCell {
  /** Its place in the row. */
  at: number
  /** Its sheet and address, `Prices!B2`. */
  cell: string
  /** The error, `#N/A`, which is also its text; undefined for a formula without a value. */
  error: string | undefined
}

/** One row of a file. */
export interface SheetRow {
  /** Line of the file on which it begins (of a sheet: its row); the first is 1. */
  line: number
  cells: readonly (string | null)[]
  /** Cells without a value to read, though they are not blank. */
  broken?: readonly BrokenCell[] | undefined
  /**
   * Places of texts, in a file that has numbers of its own, that may be numerals as people write
   * them; undefined where all cells are texts.
   */
  written?: readonly number[] | undefined
  /** Head only: numerals below it follow the notation of the people the file was made for. */
  isLocal?: boolean | undefined
  /** Head only: its cells are members of objects, named as the fields are. */
  areMembers?: boolean | undefined
}

/** Rows of a sheet in batches. */
export type SheetBatches = AsyncIterable<readonly SheetRow[]> | Iterable<readonly SheetRow[]>

/** A visible sheet of a workbook; its rows are read when they are asked for. */
export interface BookSheet {
  name: string
  rows: () => SheetBatches
}

export interface ReadOptions {
  /** The expected columns, where the file has no types of its own. */
  columns?: readonly SheetColumn[] | undefined
  /** Zone of the caller, in which date-times of a spreadsheet are meant. */
  zone: string
  /**
   * The places of columns whose numbers are read as the file shows them (`00123`); asked once,
   * after the head was taken.
   */
  listShown?: (() => readonly number[]) | undefined
  /** Name of the only sheet of a workbook that is read; without it all that continue the first. */
  sheet?: string | undefined
  /** Takes the names of a workbook's visible sheets, before the head is read. */
  onSheets?: ((names: readonly string[]) => void) | undefined
  /** Aborts the reading. */
  signal?: AbortSignal | undefined
}

export interface ImportFormat {
  /** Name in requests, in lower case. */
  name: string
  /** Extensions with their dots; the first is the usual one. */
  extensions: readonly string[]
  /**
   * Rows in batches, the first being the head alone. Memory does not grow with the file.
   * @throws invalid for a file of another format, with the line where there is one
   */
  read(path: string, options: ReadOptions): AsyncIterable<SheetRow[]>
}

/** Why a workbook cannot be read; the last four are other kinds of files. */
export type SheetFault =
  | 'unreadable'
  | 'encrypted'
  | 'bomb'
  | 'head'
  | 'sheet'
  | 'archive'
  | 'document'
  | 'slides'
  | 'numbers'

/** A workbook that cannot be read, inside the process that reads it. */
export class UnreadableSheet extends Error {
  override readonly name = 'UnreadableSheet'
  readonly fault: SheetFault

  constructor(fault: SheetFault) {
    super(fault)
    this.fault = fault
  }
}

/** Formats built into the engine, for export and import alike. */
export const BUILT_IN_FORMATS: readonly string[] = ['csv', 'xlsx', 'jsonl']

/** Built-in formats, and formats that are only read. */
export const IMPORT_FORMATS: readonly string[] = [...BUILT_IN_FORMATS, 'xls', 'xlsb', 'ods']
