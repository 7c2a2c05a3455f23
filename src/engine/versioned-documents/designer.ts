/**
 * Actions of a designer on documents of a kind: save, draft, publish (src/engine/README.md,
 * Versioned documents).
 */
import type { Script } from '../../model/compiled/script.ts'
import { formatDiagnostic } from '../../model/deploy/report.ts'
import type { Model } from '../../model/model.ts'
import type { Diagnostic } from '../../model/parse/element.ts'
import {
  appendVersion,
  dropDraft,
  dropSameDraft,
  type Editor,
  keepDraft,
  requireText,
} from './change-document.ts'
import { DEFINITION_FILE, parseDefinition } from './definition-text.ts'
import { type Document, type DocumentDraft, findDocument, findDraft } from './documents.ts'

/** The user who designs documents of a kind, with the model of the request. */
export interface Designer extends Editor {
  /** The model that served when the request came. */
  model: Model
}

/** A text to save, its designer's notes, and the version that it was made from. */
export interface SaveRequest {
  DefinitionXml: string
  Notes?: string | null
  VersionHash?: string | null
}

/** The result of a save. */
export interface SaveResult {
  Name: string
  Slug: string
  Created: boolean
  Unchanged: boolean
  VersionHash: string
}

/** The stored document that a key means. @throws notFound */
export async function requireDocument(
  { kind, engine, model }: Pick<Designer, 'kind' | 'engine' | 'model'>,
  key: string,
): Promise<Document> {
  const head = kind.find(model, key)
  const document = head && (await findDocument(engine.store, kind.type, head.name))
  if (!document) throw kind.missing()
  return document
}

/** The draft of a document with the stored document's name. @throws notFound */
export async function requireDraft(
  designer: Designer,
  key: string,
): Promise<{ name: string; document: Document; draft: DocumentDraft }> {
  const document = await requireDocument(designer, key)
  const draft = await findDraft(designer.engine.store, document)
  if (!draft) throw designer.kind.missingDraft()
  return { name: document.name, document, draft }
}

/** One script of the kind. @throws invalid with every fault, the first one in its sentence */
export async function requireDefinition(
  { kind, caller }: Pick<Designer, 'kind' | 'caller'>,
  body: string,
): Promise<Script> {
  const { script, faults } = await parseDefinition(kind.type, body, caller.userId)
  if (!script) throw kind.refuse(faults)
  return script
}

/** A fault with line and column of the text itself; of another script its file, too. */
export const describeFault = (fault: Diagnostic): string =>
  formatDiagnostic(fault).replace(`${DEFINITION_FILE}:`, '')

/**
 * Creates the document of the text's own Name, or appends a version to it.
 * @throws invalid with every fault of the text, conflict (409) where it was changed meanwhile
 */
export async function saveDefinition(
  designer: Designer,
  { DefinitionXml: body, Notes, VersionHash: base }: SaveRequest,
): Promise<SaveResult> {
  const script = await requireDefinition(designer, requireText(body))
  const { kind, caller } = designer
  const { store } = designer.engine
  const document = await findDocument(store, kind.type, script.name)
  if (base !== undefined && base !== null && document?.versionHash !== base.toLowerCase())
    throw await kind.moved(store, caller, document)
  if (document?.body === body) return { ...toResult(designer, script, false), Unchanged: true }
  await appendVersion(designer, { script, document, notes: Notes ?? '', action: 'save' })
  return toResult(designer, script, document === undefined)
}

/**
 * Makes the draft the published document, and clears it; a draft equal to it is only cleared.
 * @throws notFound without a draft, invalid for one with faults, conflict (409) for a name that
 * another document holds
 */
export async function publishDraft(designer: Designer, key: string): Promise<SaveResult> {
  const { kind, model } = designer
  const { document, draft } = await requireDraft(designer, key)
  if (draft.body === document.body) {
    await dropSameDraft(designer, document, draft)
    const { name, versionHash } = document
    return { ...toResult(designer, { name, versionHash }, false), Unchanged: true }
  }
  const script = await requireDefinition(designer, draft.body)
  const holder = kind.find(model, script.name)
  if (holder && holder.name !== document.name && holder.name === script.name)
    throw kind.taken(script.name)
  const { notes } = draft
  await appendVersion(designer, { script, document, notes, action: 'publish', draft })
  return toResult(designer, script, false)
}

/** The text of a draft, and the draft that it was made from. */
export interface DraftRequest {
  DefinitionXml: string
  Notes?: string | null
  SavedAt?: string | null
}

/** Creates or replaces the draft: any text that could be a file. @throws conflict (409) */
export async function storeDraft(
  designer: Designer,
  key: string,
  { DefinitionXml, Notes, SavedAt }: DraftRequest,
): Promise<void> {
  const body = requireText(DefinitionXml)
  const document = await requireDocument(designer, key)
  const text = { body, notes: Notes ?? '', base: SavedAt ?? undefined }
  await keepDraft(designer, document, text)
}

/** Discards a draft; false if there was none. */
export const discardDraft = async (designer: Designer, key: string): Promise<boolean> =>
  dropDraft(designer, await requireDocument(designer, key))

const toResult = (
  { kind, engine }: Designer,
  script: Pick<Script, 'name' | 'versionHash'>,
  isNew: boolean,
): SaveResult => ({
  Name: script.name,
  Slug: kind.find(engine.models.get(), script.name)?.slug ?? '',
  Created: isNew,
  Unchanged: false,
  VersionHash: script.versionHash,
})
