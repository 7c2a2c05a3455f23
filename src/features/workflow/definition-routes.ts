/** Definitions of workflows: `/api/v1/svc/workflow/definitions` and `/designer`. */
import { Elysia } from 'elysia'
import { JsonText } from '../../kernel/json-text.ts'
import { renderMessage } from '../../kernel/messages.ts'
import { REPORTS_USER_QUOTA } from '../../engine/floor.ts'
import { compareTexts } from '../../engine/versioned-documents/definition-text.ts'
import * as designer from '../../engine/versioned-documents/designer.ts'
import {
  type Document,
  findDraft,
  findSaver,
  isStale,
  loadVersions,
  loadVersionText,
} from '../../engine/versioned-documents/documents.ts'
import { requireVersion, toVersion } from '../../engine/versioned-documents/versions.ts'
import { readGraph, type WorkflowGraph, writeGraph } from '../../engine/workflow/designer-graph.ts'
import { listDefinitions } from '../../engine/workflow/list-definitions.ts'
import { validateWorkflow } from '../../engine/workflow/validate-definition.ts'
import { findWorkflow, WORKFLOWS } from '../../engine/workflow/workflow-kind.ts'
import type { AppContext } from '../../server/context.ts'
import { modelOf } from '../../server/language.ts'
import { envelopeOf, ok, okEnvelope } from '../../server/reply.ts'
import { callerOf, languageOf, traceIdOf } from '../../server/session.ts'
import * as operations from './definition-operations.ts'
import { askerOf } from './present.ts'

const PREFIX = '/api/v1/svc/workflow'
const OPTIONS = { strictPath: true, tags: ['Workflows'] }

/** Versions that one answer lists. */
const VERSIONS_MAX = 1000

const designerOf = (app: AppContext, request: Request): designer.Designer => ({
  kind: WORKFLOWS,
  engine: app,
  caller: callerOf(request),
  model: modelOf(app, request),
  traceId: traceIdOf(request),
  quota: app.settings.get(REPORTS_USER_QUOTA),
})

const documentOf = (app: AppContext, request: Request, key: string): Promise<Document> =>
  designer.requireDocument(designerOf(app, request), key)

/** Routes of definitions; each declares its gate. */
export function definitionRoutes(app: AppContext) {
  return new Elysia({ prefix: `${PREFIX}/definitions`, ...OPTIONS })
    .get(
      '',
      async ({ request }) => ok(await listDefinitions(askerOf(app, request), languageOf(request))),
      operations.LIST_WORKFLOWS,
    )
    .post(
      '',
      async ({ body, request }) =>
        ok(await designer.saveDefinition(designerOf(app, request), body)),
      operations.SAVE_DEFINITION,
    )
    .get(
      '/:key',
      async ({ params, request }) => {
        const { name, versionHash, body } = await documentOf(app, request, params.key)
        const workflow = findWorkflow(modelOf(app, request), params.key)
        const label = renderMessage(workflow?.label ?? name, languageOf(request))
        return ok({
          Name: name,
          Slug: workflow?.slug ?? '',
          Label: label,
          VersionHash: versionHash,
          DefinitionXml: body,
        })
      },
      operations.GET_DEFINITION,
    )
    .post(
      '/:key/validate',
      async ({ params, body, request }) => {
        const { name } = await documentOf(app, request, params.key)
        const { userId, companyId } = callerOf(request)
        const text = { body: body.DefinitionXml, name, userId, companyId }
        return ok(await validateWorkflow(app, text))
      },
      operations.VALIDATE_DEFINITION,
    )
    .post(
      '/:key/publish',
      async ({ params, request }) =>
        ok(await designer.publishDraft(designerOf(app, request), params.key)),
      operations.PUBLISH_DRAFT,
    )
}

/** Routes of versions; each declares its gate. */
export function versionRoutes(app: AppContext) {
  const versionOf = async (request: Request, document: Document, hash: string) => {
    const version = await requireVersion(app.store, callerOf(request), document, hash)
    return { version, text: await loadVersionText(app.store, version) }
  }
  return new Elysia({ prefix: `${PREFIX}/definitions/:key/versions`, ...OPTIONS })
    .get(
      '',
      async ({ params, query: { limit, offset }, request }) => {
        const document = await documentOf(app, request, params.key)
        const versions = await loadVersions(app.store, document, callerOf(request), {
          limit: Number(limit ?? VERSIONS_MAX),
          offset: Number(offset ?? 0),
        })
        return ok(versions.map(toVersion))
      },
      operations.LIST_VERSIONS,
    )
    .get(
      '/:versionHash',
      async ({ params, request }) => {
        const document = await documentOf(app, request, params.key)
        const { version, text } = await versionOf(request, document, params.versionHash)
        return ok({ ...toVersion(version), DefinitionXml: text })
      },
      operations.GET_VERSION,
    )
    .get(
      '/:versionHash/diff/:otherHash',
      async ({ params, request }) => {
        const document = await documentOf(app, request, params.key)
        const from = await versionOf(request, document, params.versionHash)
        const to = await versionOf(request, document, params.otherHash)
        const lines = await compareTexts([from.text, to.text], callerOf(request).userId)
        const hashes = { From: from.version.versionHash, To: to.version.versionHash }
        const names = JSON.stringify(hashes).slice(0, -1)
        return okEnvelope(envelopeOf(new JsonText(`${names},"Lines":${lines.text}}`)))
      },
      operations.DIFF_VERSIONS,
    )
}

/** Routes of drafts; each declares its gate. */
export function draftRoutes(app: AppContext) {
  const show = async (request: Request, key: string) => {
    const document = await documentOf(app, request, key)
    const draft = await findDraft(app.store, document)
    if (!draft) return ok(null)
    const { body: DefinitionXml, notes: Notes, savedAt: SavedAt } = draft
    const SavedBy = (await findSaver(app.store, draft.savedBy, callerOf(request))) ?? null
    const IsStale = await isStale(app.store, document, draft)
    return ok({ DefinitionXml, Notes, IsStale, SavedAt, SavedBy })
  }
  return new Elysia({ prefix: `${PREFIX}/definitions/:key/draft`, ...OPTIONS })
    .get('', ({ params, request }) => show(request, params.key), operations.GET_DRAFT)
    .post(
      '',
      async ({ params, body, request }) => {
        await designer.storeDraft(designerOf(app, request), params.key, body)
        return show(request, params.key)
      },
      operations.SAVE_DRAFT,
    )
    .delete(
      '',
      async ({ params, request }) =>
        ok(await designer.discardDraft(designerOf(app, request), params.key)),
      operations.DISCARD_DRAFT,
    )
}

/** Routes of graphs; each declares its gate. */
export function graphRoutes(app: AppContext) {
  return new Elysia({ prefix: `${PREFIX}/designer`, ...OPTIONS })
    .get(
      '/:key',
      async ({ params, request }) => ok(await loadGraph(app, request, params.key)),
      operations.GET_GRAPH,
    )
    .post(
      '/:key',
      async ({ params, body, request }) => {
        await storeGraph(app, request, params.key, body)
        return ok(await loadGraph(app, request, params.key))
      },
      operations.SAVE_GRAPH,
    )
}

/** Loads the text that a designer works on: the draft, else the published one. */
async function loadText(app: AppContext, request: Request, key: string) {
  const document = await documentOf(app, request, key)
  return { document, draft: await findDraft(app.store, document) }
}

async function loadGraph(app: AppContext, request: Request, key: string) {
  const { document, draft } = await loadText(app, request, key)
  const text = draft?.body ?? document.body
  // Only a workflow has a graph: a draft may be any text.
  await designer.requireDefinition(designerOf(app, request), text)
  return {
    Name: document.name,
    VersionHash: document.versionHash,
    Source: draft ? 'draft' : 'published',
    SavedAt: draft?.savedAt ?? null,
    ...readGraph(text),
  }
}

async function storeGraph(
  app: AppContext,
  request: Request,
  key: string,
  { SavedAt, ...graph }: WorkflowGraph & { SavedAt?: string | null },
): Promise<void> {
  const { document, draft } = await loadText(app, request, key)
  const text = draft?.body ?? document.body
  const by = designerOf(app, request)
  await designer.requireDefinition(by, text)
  const DefinitionXml = writeGraph(text, graph)
  if (DefinitionXml === text && !draft) return
  const base = SavedAt ?? draft?.savedAt
  const stored = { DefinitionXml, Notes: draft?.notes ?? '', ...(base && { SavedAt: base }) }
  await designer.storeDraft(by, key, stored)
}
