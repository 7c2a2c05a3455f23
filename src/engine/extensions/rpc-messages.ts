/** Messages between the serving process and an extension's process. */
import { type Static, Type } from '@sinclair/typebox'
import type { Column, ListenerContext } from './authoring.ts'
import { PROGRESS_CHARACTERS_MAX } from './limits.ts'
import { ExtensionFault, ExtensionPart } from './parts.ts'
import type { CheckedRecord } from '../object/mutation.ts'
import type { SheetCell } from '../sheets/row-page.ts'

/** The first message to a process: the order that it carries out. `file` is a path. */
export type Order =
  | { do: 'describe'; folder: string; file: string }
  | { do: 'run'; folder: string; file: string; name: string; parameters: Record<string, unknown> }
  | {
      do: 'job'
      folder: string
      file: string
      name: string
      parameters: Record<string, unknown>
      jobId: number
      attempt: number
    }
  | ({ do: 'validate' } & ValidationOrder)
  | { do: 'serve'; folder: string; file: string; name: string }
  | {
      do: 'on'
      folder: string
      file: string
      name: string
      events: readonly Pick<ListenerContext, 'Object' | 'Action' | 'Keys' | 'Values'>[]
    }
  | {
      do: 'report'
      folder: string
      file: string
      name: string
      parameters: Record<string, unknown>
      format: string
    }
  | ({ do: 'export'; title: string; columns: readonly Column[] } & HandlerOrder)
  | ({ do: 'import' } & HandlerOrder)

interface ValidationOrder {
  folder: string
  file: string
  name: string
  /** Name of the view. */
  object: string
  records: readonly CheckedRecord[]
}

interface HandlerOrder {
  folder: string
  file: string
  name: string
  format: string
  /** The file that is written, or read. */
  path: string
  parameters: Record<string, unknown>
}

/** Settings of the application's own (`App:…`), by their names in lower case. */
export type AppSettings = Readonly<Record<string, string>>

/** The order with the settings, which every file may read while it declares its parts. */
export type FirstMessage = Order & { settings: AppSettings }

/** A further message to the process. */
export type News =
  | { answer: number; value: unknown }
  | {
      answer: number
      error: { code: string; message: string; fieldErrors?: Record<string, string> }
    }
  | { rows: readonly (readonly SheetCell[])[] }
  /** The end of the rows. */
  | { rows: null }
  | { abort: true }

const CellSchema = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])

/** Calls that an extension's code makes to the serving process. */
const CALLS = ['sql', 'table', 'submit', 'enqueue'] as const

/** Messages of an extension's process; it runs foreign code, so their form is checked. */
export const ReportMessage = Type.Union([
  Type.Object({ log: Type.String() }),
  Type.Object({
    call: Type.Integer(),
    what: Type.Union(CALLS.map((name) => Type.Literal(name))),
    with: Type.Unknown(),
  }),
  Type.Object({
    progress: Type.Object({
      done: Type.Number(),
      total: Type.Union([Type.Number(), Type.Null()]),
      message: Type.Union([Type.String({ maxLength: PROGRESS_CHARACTERS_MAX }), Type.Null()]),
    }),
  }),
  Type.Object({ rows: Type.Array(Type.Array(CellSchema)) }),
  Type.Object({ parts: Type.Array(ExtensionPart, { maxItems: 1000 }) }),
  /** JSON text. */
  Type.Object({ result: Type.String() }),
  Type.Object({
    fault: ExtensionFault,
    /** The text that the caller may read. */
    callerMessage: Type.Union([Type.String(), Type.Null()]),
    /** The call that was refused, where its error ended the work. */
    call: Type.Union([Type.Integer(), Type.Null()]),
  }),
])
export type ReportMessage = Static<typeof ReportMessage>
/** A call of the code's. */
export type CallKind = Extract<ReportMessage, { what: unknown }>['what']
