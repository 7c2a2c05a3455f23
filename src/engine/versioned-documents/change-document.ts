/**
 * Changes of versioned documents: versions appended, drafts kept (src/engine/README.md, Versioned
 * documents). A version and what points to it are written in one transaction, with the audit.
 */
import { Failure, invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { type Reader, systemScope, type Tx } from '../../store/store.ts'
import type { Script } from '../../model/compiled/script.ts'
import { changeModel } from '../../model/deploy/change-model.ts'
import { executeDeploy } from '../../model/deploy/deploy.ts'
import type { DeployOptions } from '../../model/deploy/plan.ts'
import { prepareDeploy } from '../../model/deploy/prepare.ts'
import type { Model } from '../../model/model.ts'
import type { Diagnostic } from '../../model/parse/element.ts'
import { MODEL_FILE_BYTES_MAX } from '../../model/parse/parse.ts'
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import { requireValidCaller } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { ObjectEngine } from '../object/mutation.ts'
import { placeIn } from './definition-text.ts'
import {
  deleteDraft,
  type Document,
  type DocumentDraft,
  type DocumentType,
  findDocument,
  findDraft,
  loadSavedBytes,
  measureVersion,
  saveDraft,
} from './documents.ts'

/** Documents of one type, with the texts about them. */
export interface DocumentKind {
  type: DocumentType
  /** The source of a change, as the audit log names it. */
  source: string
  /** Finds a document of the kind by name or slug, in any case; undefined without one. */
  find: (model: Model, key: string) => { name: string; slug: string } | undefined
  /** The 404 of a missing document, and of one without a draft. */
  missing: () => Failure
  missingDraft: () => Failure
  /** The 409 of a name that another document holds. */
  taken: (name: string) => Failure
  /** Follows a change of name, in the transaction that makes it. */
  rename?: (tx: Tx, from: string, to: string) => Promise<void>
  /** The 400 of a text with faults. */
  refuse: (faults: readonly Diagnostic[]) => Failure
  /** The 409 of a document that was changed meanwhile, or removed. */
  moved: (reader: Reader, caller: Caller, now: Document | undefined) => Promise<Failure>
  /** The 409 of a draft that was changed meanwhile, or removed. */
  draftMoved: (reader: Reader, caller: Caller, now: DocumentDraft | undefined) => Promise<Failure>
  /** The 413 of a user whose drafts and versions exceed the quota in bytes. */
  full: (quota: number) => Failure
}

/** The user who changes documents, with the engine and the kind. */
export interface Editor {
  kind: DocumentKind
  engine: ObjectEngine
  caller: Caller
  traceId: string
  /** Bytes that the drafts and versions of the caller may take together. */
  quota: number
}

/** The parts of a new version. */
interface NewVersion {
  script: Script
  /** The document that the version follows; undefined for a new one. */
  document: Document | undefined
  notes: string
  /** The action, as the audit log names it. */
  action: string
  /** The draft that became the version, deleted with it. */
  draft?: DocumentDraft
}

const EVERYWHERE = systemScope('documents are those of every company')

/**
 * Appends a version, or begins a document with it: one script of one type is executed as a deploy
 * is, with the whole model, by the same gate.
 * @throws the failures of the kind
 */
export const appendVersion = (editor: Editor, version: NewVersion): Promise<void> =>
  changeModel(editor.caller.userId, () => executeVersion(editor, version))

async function executeVersion(editor: Editor, version: NewVersion): Promise<void> {
  const { script, document, notes } = version
  const { engine, caller, kind } = editor
  const placed = placeIn(script, document?.fileName ?? `${script.name}.xml`)
  const saved = { notes, former: document?.name, script: placed }
  const options: DeployOptions = {
    change: { source: 'designer', by: caller.userId, document: saved },
  }
  const prepared = await prepareDeploy(engine.store, [], options, engine.models.compiler)
  if (prepared.plan.faults.length > 0) throw kind.refuse(prepared.plan.faults)
  const bytes = measureVersion(placed, notes)
  const { isDone, plan } = await executeDeploy(engine, prepared, options, async (tx) => {
    await requireValidCaller(caller)
    await requireUnmoved(tx, editor, document?.name ?? script.name, document)
    if (document && version.draft) await clearDraft(tx, editor, document, version.draft)
    await requireRoom(tx, editor, bytes)
    if (document && document.name !== script.name)
      await kind.rename?.(tx, document.name, script.name)
    await writeEntry(tx, editor, version)
  })
  if (!isDone) throw kind.refuse(plan.faults)
}

async function writeEntry(
  tx: Tx,
  { engine, caller, traceId, kind: { type, source } }: Editor,
  { script, document, action }: NewVersion,
): Promise<void> {
  const actor = actorOf(caller, { now: engine.clock.now(), source, traceId })
  const hashes = [document?.versionHash ?? null, script.versionHash] as const
  const changes = { Type: [null, type], VersionHash: hashes } as const
  const renamed = document && document.name !== script.name
  await writeAudit(tx, actor, {
    entity: 'svc_scripts',
    id: script.name,
    action,
    changes: renamed ? { ...changes, Name: [document.name, script.name] } : changes,
  })
}

/** Creates or replaces the draft of a document: any text. @throws the failures of the kind */
export async function keepDraft(
  editor: Editor,
  document: Document,
  { body, notes, base }: { body: string; notes: string; base: string | undefined },
): Promise<void> {
  const { engine, caller, kind } = editor
  const draft = { body, notes, at: engine.clock.now(), savedBy: caller.userId }
  await engine.store.write(async (tx) => {
    await requireValidCaller(caller)
    const now = await findDocument(tx, kind.type, document.name)
    if (now?.id !== document.id) throw await kind.moved(tx, caller, now)
    const former = await findDraft(tx, now)
    if (base !== undefined && former?.savedAt !== base)
      throw await kind.draftMoved(tx, caller, former)
    await saveDraft(tx, now, draft)
    await requireRoom(tx, editor, 0)
  }, EVERYWHERE)
}

/** Deletes a draft; false if there was none. */
export const dropDraft = ({ engine, caller }: Editor, document: Document): Promise<boolean> =>
  engine.store.write(async (tx) => {
    await requireValidCaller(caller)
    return deleteDraft(tx, document)
  }, EVERYWHERE)

/** Clears a draft whose text is that of the document. @throws the failures of the kind */
export const dropSameDraft = (
  editor: Editor,
  document: Document,
  draft: DocumentDraft,
): Promise<void> =>
  editor.engine.store.write(async (tx) => {
    await requireValidCaller(editor.caller)
    await requireUnmoved(tx, editor, document.name, document)
    await clearDraft(tx, editor, document, draft)
  }, EVERYWHERE)

async function clearDraft(
  tx: Tx,
  { caller, kind }: Editor,
  document: Document,
  draft: DocumentDraft,
): Promise<void> {
  const now = await findDraft(tx, document)
  if (now?.body !== draft.body) throw await kind.draftMoved(tx, caller, now)
  await deleteDraft(tx, document)
}

/** Requires that the document is unchanged since the request came. */
async function requireUnmoved(
  tx: Tx,
  { caller, kind }: Editor,
  name: string,
  document: Document | undefined,
): Promise<void> {
  const now = await findDocument(tx, kind.type, name)
  if (now?.versionId !== document?.versionId) throw await kind.moved(tx, caller, now)
}

async function requireRoom(tx: Tx, { caller, quota, kind }: Editor, more: number): Promise<void> {
  if ((await loadSavedBytes(tx, caller.userId)) + more > quota) throw kind.full(quota)
}

/** A text that could be a file. @throws invalid for one that could not be stored verbatim */
export function requireText(body: string): string {
  if (!body.isWellFormed()) throw invalid(say`The definition is not valid UTF-8`)
  if (Buffer.byteLength(body) > MODEL_FILE_BYTES_MAX)
    throw invalid(say`The definition is larger than ${MODEL_FILE_BYTES_MAX} bytes`)
  return body
}
