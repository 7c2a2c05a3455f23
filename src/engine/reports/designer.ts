/**
 * What a designer does to reports: save, draft, publish (src/engine/README.md, Versioned
 * documents). A version and what points to it are written in one transaction, with the audit.
 */
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import type { Caller } from '../../access/caller.ts'
import { requireValidCaller } from '../../access/caller-validity.ts'
import { conflict, Failure, invalid, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import type { DeployOptions } from '../../model/deploy-plan.ts'
import { prepareDeploy } from '../../model/deploy-plan.ts'
import { DEPLOY_OVERTAKEN, executeDeploy } from '../../model/deploy.ts'
import type { Model, Script } from '../../model/model.ts'
import { MODEL_FILE_BYTES_MAX } from '../../model/parse.ts'
import { systemScope } from '../../store/store.ts'
import type { Tx } from '../../store/store.ts'
import {
  deleteDraft,
  findDocument,
  findDraft,
  loadSavedBytes,
  saveDraft,
} from '../documents/documents.ts'
import type { Document, DocumentDraft } from '../documents/documents.ts'
import type { ObjectEngine } from '../object/mutation.ts'
import { placeIn } from './definition-text.ts'
import { refuseDefinition, requireDefinition } from './definition.ts'
import { findReport, requireReport } from './find-report.ts'
import type { ReportDraftRequest, ReportSaveRequest, ReportSaveResult } from './schema-designer.ts'
import { reportMoved } from './versions.ts'

/** Who designs, and with what. */
export interface Designer {
  engine: ObjectEngine
  caller: Caller
  /** The one that served when the request came. */
  model: Model
  traceId: string
  /** `Svc:Reports:UserQuota` */
  quota: number
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
  const script = await requireDefinition(requireText(body), designer.caller.userId)
  const { store } = designer.engine
  const document = await findDocument(store, 'Report', script.name)
  if (base !== undefined && base !== null && document?.versionHash !== base.toLowerCase())
    throw await reportMoved(store, designer.caller, document)
  if (document?.body === body) return { ...toResult(designer, script, false), Unchanged: true }
  const version = { script, document, notes: Notes ?? '', action: 'save' }
  await appendVersion(designer, version)
  return toResult(designer, script, document === undefined)
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
      await requireUnmoved(tx, designer.caller, document.name, document)
      await clear(tx)
    }, EVERYWHERE)
    const { name, versionHash } = document
    return { ...toResult(designer, { name, versionHash }, false), Unchanged: true }
  }
  const script = await requireDefinition(draft.body, designer.caller.userId)
  const holder = findReport(designer.model, script.name)
  if (holder && holder.name !== document.name && holder.name === script.name)
    throw conflict(say`Another report is called ${script.name}`, { code: 'REPORT_NAME_TAKEN' })
  const version = { script, document, notes: draft.notes, action: 'publish' }
  await appendVersion(designer, version, clear)
  return toResult(designer, script, false)
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
    if (now?.id !== document.id) throw await reportMoved(tx, caller, now)
    await saveDraft(tx, now, { ...draft, savedBy: caller.userId })
    await requireRoom(tx, designer, 0)
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

/** Changes of reports, one after another: none has to be planned again because of another one. */
const saving = new Semaphore(1)

/** How often a change is planned where a deploy comes between. */
const ATTEMPTS = 3

/** One script of one type is executed as a deploy is: with the whole model, by the same gate. */
async function appendVersion(
  designer: Designer,
  version: NewVersion,
  within: (tx: Tx) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const attempt = async (left: number): Promise<void> => {
    try {
      await executeVersion(designer, version, within)
    } catch (error) {
      const isOvertaken = error instanceof Failure && error.code === DEPLOY_OVERTAKEN
      if (!isOvertaken || left === 0) throw error
      await attempt(left - 1)
    }
  }
  await saving.run(() => attempt(ATTEMPTS - 1), String(designer.caller.userId))
}

async function executeVersion(
  designer: Designer,
  { script, document, notes, action }: NewVersion,
  within: (tx: Tx) => Promise<void>,
): Promise<void> {
  const { engine, caller, traceId } = designer
  const placed = placeIn(script, document?.fileName ?? `${script.name}.xml`)
  const saved = { notes, former: document?.name, script: placed }
  const options: DeployOptions = {
    change: { source: 'designer', by: caller.userId, document: saved },
  }
  const prepared = await prepareDeploy(engine.store, [], options, engine.models.compile)
  if (prepared.plan.faults.length > 0) throw refuseDefinition(prepared.plan.faults)
  const actor = actorOf(caller, { now: engine.clock.now(), source: 'report-designer', traceId })
  const { isDone, plan } = await executeDeploy(engine, prepared, options, async (tx) => {
    await requireValidCaller(caller)
    await requireUnmoved(tx, caller, script.name, document)
    await within(tx)
    await requireRoom(tx, designer, Buffer.byteLength(script.body) + Buffer.byteLength(notes))
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

/** The report is what it was when the request came. @throws conflict that tells what moved */
async function requireUnmoved(
  tx: Tx,
  caller: Caller,
  name: string,
  document: Document | undefined,
): Promise<void> {
  const now = await findDocument(tx, 'Report', document?.name ?? name)
  if (now?.versionId !== document?.versionId) throw await reportMoved(tx, caller, now)
}

/** Holds a user to what their drafts and versions may take. @throws tooLarge */
async function requireRoom(tx: Tx, { caller, quota }: Designer, more: number): Promise<void> {
  if ((await loadSavedBytes(tx, caller.userId)) + more <= quota) return
  throw new Failure(
    'tooLarge',
    say`Your drafts and versions of reports may take ${quota} bytes (Svc:Reports:UserQuota)`,
    { code: 'REPORT_QUOTA' },
  )
}

/** What cannot be written as UTF-8 could not be stored verbatim. @throws invalid */
function requireText(body: string): string {
  if (!body.isWellFormed()) throw invalid(say`The definition is not encoded as UTF-8`)
  if (Buffer.byteLength(body) > MODEL_FILE_BYTES_MAX)
    throw invalid(say`The definition is over ${MODEL_FILE_BYTES_MAX} bytes`)
  return body
}

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
