/** One import as its parts know it. */
import type { FieldErrors } from '../../../kernel/failure.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { Grant } from '../../../access/grant.ts'
import type { Entity, View } from '../../../model/model.ts'
import type { MadeFiles } from '../../files/made-files.ts'
import type { Progress } from '../../progress.ts'
import type { ImportFormat } from '../../sheets/format.ts'
import type { Formats } from '../../sheets/formats.ts'
import type { ImportRequest } from './import-request.ts'
import type { ImportPlan } from './import-plan.ts'
import type { ImportStage } from './import-stage.ts'
import type { Mutation } from '../mutation.ts'

/** What imports are made with. */
export interface ImportParts {
  /** Where stages lie, on the disk of the data. */
  folder: string
  formats: Formats
  made: MadeFiles
  progress: Progress
  /** Milliseconds for which an import can be taken back (`Svc:Imports:UndoFor`). */
  undoForMs: number
  /** The language of what stands in a file with errors. */
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
  /** Is told what is wrong with the row of a line. */
  report: (line: number, faults: FieldErrors) => void
}

/** A record that a row of the file became. */
export interface WrittenRecord {
  line: number
  key: readonly SqlValue[]
  isNew: boolean
}
