/** Definitions of workflows: `/api/v1/svc/workflow/definitions` and `/designer`. */
import { renderMessage } from '../../kernel/messages.ts'
import { requireDefinition, storeDraft } from '../../engine/versioned-documents/designer.ts'
import { findDraft } from '../../engine/versioned-documents/documents.ts'
import { readGraph, type WorkflowGraph, writeGraph } from '../../engine/workflow/designer-graph.ts'
import { listDefinitions } from '../../engine/workflow/list-definitions.ts'
import { validateWorkflow } from '../../engine/workflow/validate-definition.ts'
import { findWorkflow, WORKFLOWS } from '../../engine/workflow/workflow-kind.ts'
import type { RequestCall } from '../../server/call.ts'
import { designerOf, designerRoutes, documentOf } from '../../server/designer-routes.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import * as operations from './definition-operations.ts'

/** Versions that one answer lists. */
const VERSIONS_MAX = 1000

/** Each declares its gate. */
export const DEFINITIONS: RouteGroup = {
  prefix: '/api/v1/svc/workflow/definitions',
  area: 'Workflows',
  routes: [
    route('GET', '', operations.LIST_WORKFLOWS, async (call) =>
      ok(await listDefinitions(call, call.language)),
    ),
    ...designerRoutes({
      kind: WORKFLOWS,
      operations,
      savePath: '',
      versionsMax: VERSIONS_MAX,
      describe: (call, { name }) => {
        const workflow = findWorkflow(call.model, name)
        const Label = renderMessage(workflow?.label ?? name, call.language)
        return { Slug: workflow?.slug ?? '', Label }
      },
      validate: ({ app, caller: { userId, companyId } }, text) =>
        validateWorkflow(app, { ...text, userId, companyId }),
    }),
  ],
}

/** Each declares its gate. */
export const GRAPHS: RouteGroup = {
  prefix: '/api/v1/svc/workflow/designer',
  area: 'Workflows',
  routes: [
    route('GET', '/:key', operations.GET_GRAPH, async (call) =>
      ok(await loadGraph(call, call.params.key)),
    ),
    route('POST', '/:key', operations.SAVE_GRAPH, async (call) => {
      await storeGraph(call, call.params.key, call.body)
      return ok(await loadGraph(call, call.params.key))
    }),
  ],
}

/** Loads the text that a designer works on: the draft, else the published one. */
async function loadText(call: RequestCall, key: string) {
  const document = await documentOf(call, WORKFLOWS, key)
  return { document, draft: await findDraft(call.app.store, document) }
}

async function loadGraph(call: RequestCall, key: string) {
  const { document, draft } = await loadText(call, key)
  const text = draft?.body ?? document.body
  // Only a workflow has a graph: a draft may be any text.
  await requireDefinition(designerOf(call, WORKFLOWS), text)
  const Source: 'draft' | 'published' = draft ? 'draft' : 'published'
  return {
    Name: document.name,
    VersionHash: document.versionHash,
    Source,
    SavedAt: draft?.savedAt ?? null,
    ...readGraph(text),
  }
}

async function storeGraph(
  call: RequestCall,
  key: string,
  { SavedAt, ...graph }: WorkflowGraph & { SavedAt?: string | null },
): Promise<void> {
  const { document, draft } = await loadText(call, key)
  const text = draft?.body ?? document.body
  const by = designerOf(call, WORKFLOWS)
  await requireDefinition(by, text)
  const DefinitionXml = writeGraph(text, graph)
  if (DefinitionXml === text && !draft) return
  const base = SavedAt ?? draft?.savedAt
  const stored = { DefinitionXml, Notes: draft?.notes ?? '', ...(base && { SavedAt: base }) }
  await storeDraft(by, key, stored)
}
