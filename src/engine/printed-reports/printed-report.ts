/**
 * Code-defined reports, which `GET /report` lists and `GET /report/{key}` makes files of. Built-in
 * reports, prints of the model and reports of extensions all take this shape.
 */
import type { Clock } from '../../kernel/clock.ts'
import type { SpoolOptions } from '../../store/read/spool.ts'
import type { ModelText } from '../../model/model-text.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { PartParameter } from '../extensions/parts.ts'
import type { PrintHead, PrintMessage } from '../pdf/document.ts'
import type { ReportLimits } from '../report-pages/load-report.ts'
import type { ReportReader } from '../report-pages/read-datasets.ts'
import type { SheetPlan } from '../sheets/format.ts'
import type { RowPage } from '../sheets/row-page.ts'

/** Formats in which the engine writes the content of a report. */
const REPORT_FORMATS = ['pdf', 'xlsx', 'csv', 'json'] as const
export type ReportFileFormat = (typeof REPORT_FORMATS)[number]

/** The caller of a report, and the engine that it is read from. */
export interface ReportCall {
  engine: ReportReader & { clock: Clock }
  caller: Caller
  /** In the caller's language. */
  model: Model
}

/** The query parameters of a request as they came, those for the report and others. */
export type GivenParameters = Readonly<Record<string, string>>

/** A report that files can be made of. */
export interface PrintedReport {
  /** The key of its address, in any case. */
  key: string
  name: string
  label: ModelText
  description: ModelText
  parameters: readonly PartParameter[]
  /** The first format is the default. */
  formats: readonly ReportFileFormat[]
  /** Tells whether the caller passes its gate for anything at all. */
  isListed: (call: ReportCall) => boolean
  /**
   * Its gate, before any data is touched; what fails later than this does not depend on rights.
   * @throws denied, notFound for what the parameters name, validation for faulty ones
   */
  open: (call: ReportCall, given: GivenParameters) => OpenReport
}

/** A report that its caller may have, with its parameters. */
export interface OpenReport {
  /** The rights that its gate asked for: of each gate the caller held one. */
  gates: readonly ReportGate[]
  /** Name of the saved file, without its extension, where the content has none of its own. */
  fileName: string
  /** The entity and key that the audit log names as taken. */
  audited: { entity: string; key: readonly (string | number)[] }
  /** Names of the `Model.documents` that it is planned by. */
  documents: readonly string[]
  /**
   * Refuses faults that show before the report is read; absent where there are none.
   * @throws validation
   */
  check?: () => Promise<void>
  /**
   * Begins to read. What it gives is read once, while the file is written.
   * @throws notFound for a record that the caller's rows do not hold, validation
   */
  read: (format: ReportFileFormat, options: ReportReading) => Promise<ReportContent>
}

/** Rights on a resource of RBAC. */
interface ReportGate {
  resource: string
  rights: readonly string[]
}

/** The gate of reports that take rows out. */
export const takeGates = (resource: string): ReportGate[] => [
  { resource, rights: ['List'] },
  { resource, rights: ['Export'] },
]

/** Options for reading a report. */
export interface ReportReading extends SpoolOptions {
  /** Ends the read with the request. */
  signal: AbortSignal
  companyName: string
  /** Limits of the datasets of report pages. */
  limits: ReportLimits
}

/** The content that a report has read. */
export type ReportContent =
  /** A document to be drawn. */
  | {
      kind: 'document'
      head: DocumentHead
      messages: AsyncIterable<PrintMessage>
      fileName?: string
    }
  /** Rows with their heads; csv holds one such sheet. */
  | { kind: 'sheets'; title: string; sheets: readonly ReportSheet[]; fileName?: string }
  /** A file that is complete. */
  | { kind: 'file'; body: Uint8Array; contentType: string; extension: string }

/** The head of a document without the operator's parts: logo and fonts. */
export type DocumentHead = Omit<PrintHead, 'logo' | 'fonts'>

/** A table of a report. */
export interface ReportSheet {
  name: string
  plan: SheetPlan
  rows: AsyncIterable<RowPage>
  /** Why rows are missing, where some are. */
  notice?: ModelText | undefined
}
