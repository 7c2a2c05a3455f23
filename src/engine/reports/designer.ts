/**
 * What a designer does to reports: save, draft, publish (src/engine/README.md, Versioned
 * documents). A version and what points to it are written in one transaction, with the audit.
 */
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import type { Caller } from '../../access/caller.ts'
import { requireValidCaller } from '../../access/caller-validity.ts'
import { conflict, invalid, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { DeployOptions } from '../../model/deploy-plan.ts'
import { prepareDeploy } from '../../model/deploy-plan.ts'
import { executeDeploy } from '../../model/deploy.ts'
import type { Model, Script } from '../../model/model.ts'
import { MODEL_FILE_BYTES_MAX } from '../../model/parse.ts'
import { systemScope } from '../../store/store.ts'
import type { Tx } from '../../store/store.ts'
import {
  deleteDraft,
  findDocument,
  findDraft,
  loadVersions,
  saveDraft,
} from '../documents/documents.ts'
import type { Document, DocumentDraft } from '../documents/documents.ts'
import type { ObjectEngine } from '../object/mutation.ts'
import { refuseDefinition, requireDefinition } from './definition.ts'
import { findReport, requireReport } from './find-report.ts'
import type { ReportDraftRequest, ReportSaveRequest, ReportSaveResult } from './schema-designer.ts'

/** Who designs, and with what. */
export interface Designer {
  engine: ObjectEngine
  caller: Caller
  /** The one that served when the request came. */
  model: Model
  traceId: string
}

const EVERYWHERE = systemScope('reports are those of every company')

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
  const script = await requireDefinition(requireText(body))
  const document = await findDocument(designer.engine.store, 'Report', script.name)
  if (base !== undefined && base !== null) await requireBase(designer, document, base)
  const result = toResult(designer, script, document === undefined)
  if (document?.body === body) return { ...result, Unchanged: true }
  const version = { script, document, notes: Notes ?? '', action: 'save' }
  await appendVersion(designer, version)
  return { ...result, Slug: slugNow(designer, script) }
}

/**
 * Makes the draft the published document, and clears it; a draft that equals it is cleared alone.
 * @throws notFound without a draft, invalid for one with faults, conflict (409) for a name that
 * another report holds
 */
export async function publishDraft(designer: Designer, key: string): Promise<ReportSaveResult> {
  const { document, draft } = await requireDraft(designer, key)
  const clear = async (tx: Tx): Promise<void> => {
    const now = await findDraft(tx, document)
    if (now?.body !== draft.body) throw conflict(say`The draft has changed meanwhile`)
    await deleteDraft(tx, document)
  }
  if (draft.body === document.body) {
    await designer.engine.store.write(async (tx) => {
      await requireValidCaller(designer.caller)
      const now = await findDocument(tx, 'Report', document.name)
      if (now?.versionId !== document.versionId) throw moved()
      await clear(tx)
    }, EVERYWHERE)
    const script = await requireDefinition(draft.body)
    return { ...toResult(designer, script, false), Unchanged: true }
  }
  const script = await requireDefinition(draft.body)
  const holder = findReport(designer.model, script.name)
  if (holder && holder.name !== document.name && holder.name === script.name)
    throw conflict(say`Another report is called ${script.name}`, { code: 'REPORT_NAME_TAKEN' })
  const version = { script, document, notes: draft.notes, action: 'publish' }
  await appendVersion(designer, version, clear)
  return { ...toResult(designer, script, false), Slug: slugNow(designer, script) }
}

/** Creates or replaces the draft: any text that could be a file. */
export async function storeDraft(
  designer: Designer,
  key: string,
  { DefinitionXml, Notes }: ReportDraftRequest,
): Promise<void> {
  const document = await requireDocument(designer, key)
  const { engine, caller } = designer
  const at = engine.clock.now()
  const draft = { body: requireText(DefinitionXml), notes: Notes ?? '', at }
  await engine.store.write(async (tx) => {
    await requireValidCaller(caller)
    const now = await findDocument(tx, 'Report', document.name)
    if (!now) throw moved()
    await saveDraft(tx, now, { ...draft, savedBy: caller.userId })
  }, EVERYWHERE)
}

/** Whether there was a draft. */
export async function discardDraft(designer: Designer, key: string): Promise<boolean> {
  const document = await requireDocument(designer, key)
  return designer.engine.store.write(async (tx) => {
    await requireValidCaller(designer.caller)
    return deleteDraft(tx, document)
  }, EVERYWHERE)
}

/** What becomes a version. */
interface NewVersion {
  script: Script
  /** What it follows; undefined for a new report. */
  document: Document | undefined
  notes: string
  action: string
}

/** One script of one type is executed as a deploy is: with the whole model, by the same gate. */
async function appendVersion(
  designer: Designer,
  { script, document, notes, action }: NewVersion,
  within: (tx: Tx) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { engine, caller, traceId } = designer
  const by = caller.userId
  const saved = { notes, former: document?.name }
  const options: DeployOptions = { change: { source: 'designer', by, document: saved } }
  const name = document?.fileName ?? `${script.name}.xml`
  const { store, models } = engine
  const prepared = await prepareDeploy(
    store,
    [{ name, body: script.body }],
    options,
    models.compile,
  )
  if (prepared.plan.faults.length > 0) throw refuseDefinition(prepared.plan.faults)
  const actor = actorOf(caller, { now: engine.clock.now(), source: 'report-designer', traceId })
  const { isDone, plan } = await executeDeploy(engine, prepared, options, async (tx) => {
    await requireValidCaller(caller)
    const now = document && (await findDocument(tx, 'Report', document.name))
    if (now?.versionId !== document?.versionId) throw moved()
    await within(tx)
    const hashes = [document?.versionHash ?? null, script.versionHash] as const
    const changes = { Type: [null, 'Report'], VersionHash: hashes } as const
    const renamed = document && document.name !== script.name
    await writeAudit(tx, actor, {
      ...{ entity: 'svc_scripts', id: script.name, action },
      changes: renamed ? { ...changes, Name: [document.name, script.name] } : changes,
    })
  })
  if (!isDone) throw refuseDefinition(plan.faults)
}

const moved = () => conflict(say`The report has changed meanwhile: load it again`)

/** @throws conflict that tells the version that is current, and whose it is */
async function requireBase(
  { engine }: Designer,
  document: Document | undefined,
  base: string,
): Promise<void> {
  if (document?.versionHash === base) return
  const [current] = document ? await loadVersions(engine.store, document) : []
  const { versionHash, savedAt, savedBy = '' } = current ?? {}
  throw conflict(say`The report was changed by ${savedBy} at ${savedAt ?? ''}: load it again`, {
    code: 'REPORT_MOVED',
    members: { current: { VersionHash: versionHash, SavedAt: savedAt, SavedBy: savedBy } },
  })
}

/** What cannot be written as UTF-8 could not be stored verbatim. @throws invalid */
function requireText(body: string): string {
  if (!body.isWellFormed()) throw invalid(say`The definition is not encoded as UTF-8`)
  if (Buffer.byteLength(body) > MODEL_FILE_BYTES_MAX)
    throw invalid(say`The definition is over ${MODEL_FILE_BYTES_MAX} bytes`)
  return body
}

const slugNow = ({ engine }: Designer, { name }: Script): string =>
  engine.models.get().reports.get(name)?.slug ?? ''

const toResult = (designer: Designer, script: Script, isNew: boolean): ReportSaveResult => ({
  Name: script.name,
  Slug: slugNow(designer, script),
  Created: isNew,
  Unchanged: false,
  VersionHash: script.versionHash,
})
