/** One import as its parts know it. */
import type { SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import type { View } from '../../../model/compiled/view.ts'
import { Grant } from '../../../access/rights/grant.ts'
import type { MadeFiles } from '../../files/generated-files.ts'
import type { ImportPlan } from './import-plan.ts'
import { type ImportRequest, requireMatching } from './import-request.ts'
import type { ImportStage, ReportFaults } from './import-stage.ts'
import { planReading } from './mended-cells.ts'
import { requireTakeover, viewOfHistory } from './takeover.ts'
import type { Mutation } from '../mutation.ts'
import { requireView } from '../read/find-view.ts'
import { requireEntity } from '../record/record.ts'
import type { PlacedRecord } from '../write/details.ts'
import type { Progress } from '../../progress.ts'
import type { ImportFormat } from '../../sheets/format.ts'
import type { Formats } from '../../sheets/formats.ts'

/** The parts that imports are made with. */
export interface ImportParts {
  /** Where stages lie, on the disk of the data. */
  folder: string
  formats: Formats
  made: MadeFiles
  progress: Pick<Progress, 'report'>
  /** Ends the import, whose rows are not written then; undefined for one that goes on by itself. */
  signal?: AbortSignal | undefined
  /** Milliseconds for which an import can be undone (`Svc:Imports:UndoFor`). */
  undoForMs: number
  /** The language of the messages in a file with errors. */
  language: string
  /** How people who ask in this language, and from where they do, write (`en-GB`). */
  locale: string
}

/** The file that arrived. */
export interface ImportFile {
  path: string
  /** As the client calls it. */
  fileName: string
}

/** One import: who asks for what, of which file. */
export interface ImportWork {
  mutation: Mutation
  parts: ImportParts
  request: ImportRequest
  file: ImportFile
  view: View
  entity: Entity
  grant: Grant
  format: ImportFormat
}

/** One import in its transaction. */
export interface ImportWrite {
  tx: Tx
  mutation: Mutation
  plan: ImportPlan
  stage: ImportStage
  traceId: string
  /** `Row` of the file's line 0 in the import's log. */
  from: number
  /** The last line of the file. */
  lines: number
  /** New records of an Identity key get this and their number in the stage, or keep their own. */
  base: number | undefined
  /** Keys of the new records so far, by their numbers in the stage, where rows point to them. */
  keys: Map<number, SqlValue>
  report: ReportFaults
}

/** A record that a row of the file became. */
export interface WrittenRecord {
  line: number
  key: readonly SqlValue[]
  isNew: boolean
  /** Lines that came with it. */
  details?: readonly PlacedRecord[] | undefined
}

/** The gate is passed once more, and the format is the one of the request or of the name. */
export function planWork(
  mutation: Mutation,
  parts: ImportParts,
  request: ImportRequest,
  file: ImportFile,
): ImportWork {
  const { caller, model } = mutation
  const view = requireView(model, request.objectName)
  const grant = Grant.require(caller, model, view.resource, ['Import'])
  requireMatching(request, grant)
  requireTakeover(request, grant)
  const entity = requireEntity(view)
  const { formats } = parts
  const format = request.format
    ? formats.requireImport(request.format)
    : formats.requireImportOf(file.fileName)
  const written = request.takeover ? viewOfHistory(view) : view
  const reading = planReading(format, request)
  return { mutation, parts, request, file, view: written, entity, grant, format: reading }
}
