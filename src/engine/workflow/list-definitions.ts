/** The published workflows, with counts of their running instances. */
import { renderMessage } from '../../kernel/messages.ts'
import { findDocument, findDraft } from '../versioned-documents/documents.ts'
import type { WorkflowCall } from './instance-use.ts'

const RUNNING = `SELECT Workflow, VersionHash, count(*) AS Instances FROM svc_workflow_instances
  WHERE CompanyId = @company AND Status = 'Running' GROUP BY Workflow, VersionHash ORDER BY 2`

interface RunningRow {
  Workflow: string
  VersionHash: string
  Instances: number
  [name: string]: string | number
}

/** All workflows by name; instances are those of the caller's company. */
export async function listDefinitions({ engine, caller, model }: WorkflowCall, language: string) {
  const { store } = engine
  const args = { company: caller.companyId }
  const running = await store.all<RunningRow>({ sql: RUNNING, args, runs: 'measured' })
  const byName = Map.groupBy(running, ({ Workflow }) => Workflow)
  const names = [...model.workflows.keys()].sort()
  return Promise.all(
    names.flatMap((name) => {
      const workflow = model.workflows.get(name)
      return workflow ? [describe(workflow)] : []
    }),
  )

  async function describe(workflow: NonNullable<ReturnType<typeof model.workflows.get>>) {
    const { name, slug, label, view, versionHash } = workflow
    const document = await findDocument(store, 'Workflow', name)
    const draft = document && (await findDraft(store, document))
    return {
      Name: name,
      Slug: slug,
      Label: renderMessage(label, language),
      Object: view,
      VersionHash: versionHash,
      HasDraft: draft !== undefined,
      Running: (byName.get(name) ?? []).map(({ VersionHash, Instances }) => ({
        VersionHash,
        Instances,
      })),
    }
  }
}
