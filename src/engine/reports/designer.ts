/**
 * What a designer does to reports: save, draft, publish (src/engine/README.md, Versioned
 * documents).
 */
import { conflict, Failure, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Script } from '../../model/compiled/script.ts'
import type { Model } from '../../model/model.ts'
import {
  appendVersion,
  dropDraft,
  dropSameDraft,
  keepDraft,
  requireText,
} from '../documents/change-document.ts'
import type { DocumentKind, Editor } from '../documents/change-document.ts'
import { findDocument, findDraft } from '../documents/documents.ts'
import type { Document, DocumentDraft } from '../documents/documents.ts'
import { refuseDefinition, requireDefinition } from './definition.ts'
import { findReport, requireReport } from './find-report.ts'
import type { ReportDraftRequest, ReportSaveRequest, ReportSaveResult } from './schema-designer.ts'
import { draftMoved, reportMoved } from './versions.ts'

/** Who designs reports, and with what. */
export interface Designer extends Editor {
  /** The one that served when the request came. */
  model: Model
}

/** Reports as documents. */
export const REPORTS: DocumentKind = {
  ...{ type: 'Report', source: 'report-designer' },
  ...{ refuse: refuseDefinition, moved: reportMoved, draftMoved },
  full: (quota) =>
    new Failure(
      'tooLarge',
      say`Your drafts and versions of reports may take ${quota} bytes (Svc:Reports:UserQuota)`,
      { code: 'REPORT_QUOTA' },
    ),
}

/** The stored document that a key means. @throws notFound */
export async function requireDocument(
  { engine, model }: Pick<Designer, 'engine' | 'model'>,
  key: string,
): Promise<Document> {
  const { name } = requireReport(model, key)
  const document = await findDocument(engine.store, 'Report', name)
  if (!document) throw notFound(say`There is no such report`, { code: 'REPORT_NOT_FOUND' })
  return document
}

/** The draft of a report with the name of what is stored. @throws notFound */
export async function requireDraft(
  designer: Designer,
  key: string,
): Promise<{ name: string; document: Document; draft: DocumentDraft }> {
  const document = await requireDocument(designer, key)
  const draft = await findDraft(designer.engine.store, document)
  if (!draft) throw notFound(say`The report has no draft`, { code: 'DRAFT_NOT_FOUND' })
  return { name: document.name, document, draft }
}

/**
 * Creates the report of the document's own Name, or appends a version to it.
 * @throws invalid with every fault of the text, conflict (409) where the report moved
 */
export async function saveDefinition(
  designer: Designer,
  { DefinitionXml: body, Notes, VersionHash: base }: ReportSaveRequest,
): Promise<ReportSaveResult> {
  const script = await requireDefinition(requireText(body), designer.caller.userId)
  const { store } = designer.engine
  const document = await findDocument(store, 'Report', script.name)
  if (base !== undefined && base !== null && document?.versionHash !== base.toLowerCase())
    throw await reportMoved(store, designer.caller, document)
  if (document?.body === body) return { ...toResult(designer, script, false), Unchanged: true }
  await appendVersion(designer, { script, document, notes: Notes ?? '', action: 'save' })
  return toResult(designer, script, document === undefined)
}

/**
 * Makes the draft the published document, and clears it; a draft that equals it is cleared alone.
 * @throws notFound without a draft, invalid for one with faults, conflict (409) for a name that
 * another report holds
 */
export async function publishDraft(designer: Designer, key: string): Promise<ReportSaveResult> {
  const { document, draft } = await requireDraft(designer, key)
  if (draft.body === document.body) {
    await dropSameDraft(designer, document, draft)
    const { name, versionHash } = document
    return { ...toResult(designer, { name, versionHash }, false), Unchanged: true }
  }
  const script = await requireDefinition(draft.body, designer.caller.userId)
  const holder = findReport(designer.model, script.name)
  if (holder && holder.name !== document.name && holder.name === script.name)
    throw conflict(say`Another report is called ${script.name}`, { code: 'REPORT_NAME_TAKEN' })
  const { notes } = draft
  await appendVersion(designer, { script, document, notes, action: 'publish', draft })
  return toResult(designer, script, false)
}

/** Creates or replaces the draft: any text that could be a file. @throws conflict (409) */
export async function storeDraft(
  designer: Designer,
  key: string,
  { DefinitionXml, Notes, SavedAt }: ReportDraftRequest,
): Promise<void> {
  const body = requireText(DefinitionXml)
  const document = await requireDocument(designer, key)
  const text = { body, notes: Notes ?? '', base: SavedAt ?? undefined }
  await keepDraft(designer, document, text)
}

/** Whether there was a draft. */
export const discardDraft = async (designer: Designer, key: string): Promise<boolean> =>
  dropDraft(designer, await requireDocument(designer, key))

const toResult = (
  designer: Designer,
  script: Pick<Script, 'name' | 'versionHash'>,
  isNew: boolean,
): ReportSaveResult => ({
  Name: script.name,
  Slug: designer.engine.models.get().reports.get(script.name)?.slug ?? '',
  Created: isNew,
  Unchanged: false,
  VersionHash: script.versionHash,
})
