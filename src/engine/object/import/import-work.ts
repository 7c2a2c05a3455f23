/** One import as its parts know it. */
import type { Grant } from '../../../access/grant.ts'
import type { Entity, View } from '../../../model/model.ts'
import type { MadeFiles } from '../../files/made-files.ts'
import type { Progress } from '../../progress.ts'
import type { ImportFormat } from '../../sheets/format.ts'
import type { Formats } from '../../sheets/formats.ts'
import type { ImportRequest } from './import-request.ts'
import type { Mutation } from '../write/mutation.ts'

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
  translations: readonly View[]
}
