/** Routes that every designer of versioned documents has: definition, versions and draft. */
import type { TObject, TString } from '@sinclair/typebox'
import { JsonText } from '../kernel/json-text.ts'
import { REPORTS_USER_QUOTA, RESULTS_MAX_BYTES } from '../engine/floor.ts'
import { requireAnswerBytes } from '../engine/object/capped-rows.ts'
import type * as schema from '../engine/report-pages/schema-designer.ts'
import type { DocumentKind } from '../engine/versioned-documents/change-document.ts'
import { compareTexts } from '../engine/versioned-documents/definition-text.ts'
import * as designer from '../engine/versioned-documents/designer.ts'
import {
  type Document,
  findDraft,
  findSaver,
  isStale,
  loadVersions,
  loadVersionText,
  measureVersions,
} from '../engine/versioned-documents/documents.ts'
import { requireVersion, toVersion } from '../engine/versioned-documents/versions.ts'
import type { RequestCall } from './call.ts'
import { envelopeOf, ok, okEnvelope } from './reply.ts'
import { type Route, route, type RouteDeclaration } from './route.ts'

/** Parameters of a path, all of them texts. */
type At<Name extends string> = { readonly params: TObject<Record<Name, TString>> }
type OnKey = RouteDeclaration & At<'key'>
type With<Name extends string, Schema> = { readonly [Part in Name]: Schema }

/** Declarations of a designer's routes: schemas, gates, and texts of the OpenAPI document. */
interface DesignerOperations {
  readonly GET_DEFINITION: OnKey
  readonly SAVE_DEFINITION: RouteDeclaration & With<'body', typeof schema.ReportSaveRequest>
  readonly VALIDATE_DEFINITION: OnKey & With<'body', typeof schema.ReportValidateRequest>
  readonly PUBLISH_DRAFT: OnKey
  readonly LIST_VERSIONS: OnKey & With<'query', typeof schema.VersionsQuery>
  readonly GET_VERSION: RouteDeclaration & At<'key' | 'versionHash'>
  readonly DIFF_VERSIONS: RouteDeclaration & At<'key' | 'versionHash' | 'otherHash'>
  readonly GET_DRAFT: OnKey
  readonly SAVE_DRAFT: OnKey & With<'body', typeof schema.ReportDraftRequest>
  readonly DISCARD_DRAFT: OnKey
}

/** A designer of one kind of documents. */
interface DesignerSpec {
  readonly kind: DocumentKind
  readonly operations: DesignerOperations
  /** Path of the save, below that of the definitions: empty, or `/save`. */
  readonly savePath: '' | '/save'
  /** Versions that a list without a limit has; undefined: all, in an answer of bounded size. */
  readonly versionsMax?: number
  /** How a stored document is addressed and called. @throws notFound */
  readonly describe: (call: RequestCall, document: Document) => { Slug: string; Label: string }
  /** All that is wrong with a text in the place of the stored document of a name. */
  readonly validate: (call: RequestCall, text: { body: string; name: string }) => Promise<unknown>
}

/** The designer of a call: its caller, with the model of the request. */
export const designerOf = (call: RequestCall, kind: DocumentKind): designer.Designer => ({
  kind,
  engine: call.app,
  caller: call.caller,
  model: call.model,
  traceId: call.traceId,
  quota: call.app.settings.get(REPORTS_USER_QUOTA),
})

/** The stored document that a key means. @throws notFound */
export const documentOf = (call: RequestCall, kind: DocumentKind, key: string): Promise<Document> =>
  designer.requireDocument(designerOf(call, kind), key)

/** Routes below `…/definitions`, in their order: the definition, its versions, its draft. */
export const designerRoutes = (spec: DesignerSpec): Route[] => [
  ...definitionRoutes(spec),
  ...versionRoutes(spec),
  ...draftRoutes(spec),
]

const definitionRoutes = ({ kind, operations, savePath, ...spec }: DesignerSpec): Route[] => {
  const save = route('POST', savePath, operations.SAVE_DEFINITION, async (call) =>
    ok(await designer.saveDefinition(designerOf(call, kind), call.body)),
  )
  const get = route('GET', '/:key', operations.GET_DEFINITION, async (call) => {
    const document = await documentOf(call, kind, call.params.key)
    const { Slug, Label } = spec.describe(call, document)
    const { name: Name, versionHash: VersionHash, body: DefinitionXml } = document
    return ok({ Name, Slug, Label, VersionHash, DefinitionXml })
  })
  return [
    ...(savePath === '' ? [save, get] : [get, save]),
    route('POST', '/:key/validate', operations.VALIDATE_DEFINITION, async (call) => {
      const { name } = await documentOf(call, kind, call.params.key)
      return ok(await spec.validate(call, { body: call.body.DefinitionXml, name }))
    }),
    route('POST', '/:key/publish', operations.PUBLISH_DRAFT, async (call) =>
      ok(await designer.publishDraft(designerOf(call, kind), call.params.key)),
    ),
  ]
}

async function loadVersion({ app, caller }: RequestCall, document: Document, hash: string) {
  const version = await requireVersion(app.store, caller, document, hash)
  return { version, text: await loadVersionText(app.store, version) }
}

const versionRoutes = ({ kind, operations, versionsMax }: DesignerSpec): Route[] => [
  route('GET', '/:key/versions', operations.LIST_VERSIONS, async (call) => {
    const { app, query } = call
    const document = await documentOf(call, kind, call.params.key)
    const limit = query.limit === undefined ? versionsMax : Number(query.limit)
    if (limit === undefined)
      requireAnswerBytes(
        await measureVersions(app.store, document),
        app.settings.get(RESULTS_MAX_BYTES),
      )
    const page = { ...(limit !== undefined && { limit }), offset: Number(query.offset ?? 0) }
    return ok((await loadVersions(app.store, document, call.caller, page)).map(toVersion))
  }),
  route('GET', '/:key/versions/:versionHash', operations.GET_VERSION, async (call) => {
    const document = await documentOf(call, kind, call.params.key)
    const { version, text } = await loadVersion(call, document, call.params.versionHash)
    return ok({ ...toVersion(version), DefinitionXml: text })
  }),
  route(
    'GET',
    '/:key/versions/:versionHash/diff/:otherHash',
    operations.DIFF_VERSIONS,
    async (call) => {
      const { key, versionHash, otherHash } = call.params
      const document = await documentOf(call, kind, key)
      const from = await loadVersion(call, document, versionHash)
      const to = await loadVersion(call, document, otherHash)
      const lines = await compareTexts([from.text, to.text], call.caller.userId)
      const hashes = { From: from.version.versionHash, To: to.version.versionHash }
      const names = JSON.stringify(hashes).slice(0, -1)
      return okEnvelope(envelopeOf(new JsonText(`${names},"Lines":${lines.text}}`)))
    },
  ),
]

const draftRoutes = ({ kind, operations }: DesignerSpec): Route[] => [
  route('GET', '/:key/draft', operations.GET_DRAFT, async (call) =>
    ok(await loadDraft(call, await documentOf(call, kind, call.params.key))),
  ),
  route('POST', '/:key/draft', operations.SAVE_DRAFT, async (call) => {
    await designer.storeDraft(designerOf(call, kind), call.params.key, call.body)
    return ok(await loadDraft(call, await documentOf(call, kind, call.params.key)))
  }),
  route('DELETE', '/:key/draft', operations.DISCARD_DRAFT, async (call) =>
    ok(await designer.discardDraft(designerOf(call, kind), call.params.key)),
  ),
]

async function loadDraft(
  { app, caller }: RequestCall,
  document: Document,
): Promise<schema.ReportDraft | null> {
  const draft = await findDraft(app.store, document)
  if (!draft) return null
  const { body: DefinitionXml, notes: Notes, savedAt: SavedAt } = draft
  const SavedBy = (await findSaver(app.store, draft.savedBy, caller)) ?? null
  const IsStale = await isStale(app.store, document, draft)
  return { DefinitionXml, Notes, IsStale, SavedAt, SavedBy }
}
