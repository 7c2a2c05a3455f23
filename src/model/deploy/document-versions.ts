/**
 * Documents of a model, on which only their own output depends, not records. A designer may save
 * one while imports run, without any effect on these.
 */
import type { Script, ScriptType } from '../compiled/script.ts'

const DOCUMENT_TYPES = ['Report', 'Print', 'Navbar'] as const
type DocumentType = (typeof DOCUMENT_TYPES)[number]

const DOCUMENTS: ReadonlySet<ScriptType> = new Set(DOCUMENT_TYPES)

const isDocument = ({ type }: Pick<Script, 'type'>): boolean => DOCUMENTS.has(type)

/** The key of a document in `Model.documents`. */
export const keyOfDocument = (type: DocumentType, name: string): string => `${type} ${name}`

/** The scripts that plans of records depend on. */
export const listRecordScripts = (scripts: readonly Script[]): Script[] =>
  scripts.filter((script) => !isDocument(script))

/** See `Model.documents`. */
export const listDocumentVersions = (scripts: readonly Script[]): Map<string, string> =>
  new Map(
    scripts
      .filter(isDocument)
      .map(({ type, name, versionHash }) => [`${type} ${name}`, versionHash]),
  )
