/** Workflows as versioned documents. */
import { conflict, Failure, invalid, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { Workflow } from '../../model/compiled/workflow.ts'
import { toWireFault } from '../../model/deploy/report.ts'
import type { Model } from '../../model/model.ts'
import type { Diagnostic } from '../../model/parse/element.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { DocumentKind } from '../versioned-documents/change-document.ts'
import { describeFault } from '../versioned-documents/designer.ts'
import { type Document, loadVersions } from '../versioned-documents/documents.ts'
import { draftMoved } from '../versioned-documents/versions.ts'

/** Finds a workflow by name or slug, in any case. */
export const findWorkflow = (model: Model, key: string): Workflow | undefined => {
  const name = key.toLowerCase()
  return [...model.workflows.values()].find(
    (each) => each.name.toLowerCase() === name || each.slug === name,
  )
}

function refuse(faults: readonly Diagnostic[]): Failure {
  const first = faults[0] ? describeFault(faults[0]) : ''
  const text =
    faults.length === 1
      ? say`The workflow has an error: ${first}`
      : say`The workflow has ${faults.length} errors. The first one: ${first}`
  return invalid(text, { code: 'WORKFLOW_FAULTS', members: { faults: faults.map(toWireFault) } })
}

/** The 409 of a workflow changed meanwhile: its version now, since when, and by which user. */
async function moved(
  reader: Reader,
  caller: Caller,
  document: Document | undefined,
): Promise<Failure> {
  const [version] = document ? await loadVersions(reader, document, caller, { limit: 1 }) : []
  const code = 'WORKFLOW_MOVED'
  if (!version) return conflict(say`The workflow no longer exists`, { code })
  const { versionHash, savedAt, savedBy } = version
  const current = { VersionHash: versionHash, SavedAt: savedAt, SavedBy: savedBy ?? null }
  const text = say`The workflow was changed at ${savedAt}. Reload it and try again.`
  return conflict(text, { code, members: { current } })
}

/** Renames instances and tasks with their workflow. */
async function rename(tx: Tx, from: string, to: string): Promise<void> {
  for (const table of ['svc_workflow_instances', 'svc_workflow_tasks'])
    await tx.run(`UPDATE ${table} SET Workflow = @to WHERE Workflow = @from`, { from, to })
}

/** See `DocumentKind`. */
export const WORKFLOWS: DocumentKind = {
  type: 'Workflow',
  source: 'workflow-designer',
  find: findWorkflow,
  refuse,
  moved,
  draftMoved,
  rename,
  missing: () => notFound(say`There is no such workflow`, { code: 'WORKFLOW_NOT_FOUND' }),
  missingDraft: () => notFound(say`The workflow has no draft`, { code: 'DRAFT_NOT_FOUND' }),
  taken: (name) =>
    conflict(say`Another workflow is already named ${name}`, { code: 'WORKFLOW_NAME_TAKEN' }),
  full: (quota) =>
    new Failure(
      'tooLarge',
      say`Your workflow drafts and versions are limited to ${quota} bytes (Svc:Reports:UserQuota)`,
      { code: 'WORKFLOW_QUOTA' },
    ),
}
