/** Files: `/files/{path}` (src/server/README.md, Files). */
import { Type } from '@sinclair/typebox'
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { looseFlag } from '../../kernel/schema.ts'
import { allRows } from '../../store/rows.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import { files } from '../../store/tables/files.ts'
import type { Field } from '../../model/compiled/field.ts'
import type { View } from '../../model/compiled/view.ts'
import type { Model } from '../../model/model.ts'
import { quote } from '../../model/sql/quote.ts'
import { listViewsOf } from '../../model/view-index.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import { isInline } from '../../engine/files/content-type.ts'
import { findUpload } from '../../engine/files/uploads.ts'
import type { Context } from '../../engine/object/context.ts'
import { isServed } from '../../engine/object/read/find-view.ts'
import { noteKeys } from '../../engine/object/read/shown-records.ts'
import { pathOf, readEntries } from '../../engine/object/record/file-entries.ts'
import { planByKey, type RecordKey } from '../../engine/object/record/record.ts'
import type { RequestCall } from '../../server/call.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { answerFile, type ServedFile } from '../../server/file-answer.ts'
import { AUTHENTICATED } from '../../server/gate.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { GERMAN } from './german.ts'

const AREA = {
  name: 'Files',
  description: 'Files of records, uploads that wait for one, and exports.',
}

const WHOLE = {
  'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
} as const

const GET_FILE = {
  params: Type.Object({
    path: Type.String({
      description: 'Path of a stored file, key of an upload, or export',
      examples: ['01a20064-4dfb-766c-8a31-5a1f6f9f8f11'],
    }),
  }),
  query: Type.Object({
    AllCompanies: Type.Optional(looseFlag('From System: a file of whichever company')),
  }),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'getFile',
    summary: 'A stored file',
    description:
      'The file of a record goes to those who may View the record and the field; an upload that ' +
      'waits to its owner; an export to its company. Anything else is 404. Raster images, PDF ' +
      'and plain text are shown in place, all else is saved. Range, If-Range, If-None-Match and ' +
      'HEAD are honoured.',
    responses: {
      200: { description: 'The file, under its own type', content: WHOLE },
      206: { description: 'The range that was asked for', content: WHOLE },
      304: { description: 'The client has the file, by its ETag' },
      416: { description: 'The requested range is outside the file' },
    },
  },
}

/** Gate: authentication; then what the caller may see of the record decides. */
const FILE_ROUTES: RouteGroup = {
  prefix: '',
  area: AREA.name,
  routes: [
    route('GET', '/files/:path', GET_FILE, (call) =>
      serve(call, call.params.path, call.query.AllCompanies === 'true'),
    ),
  ],
}

const missingFile = () => notFound(say`There is no such file`, { code: 'FILE_NOT_FOUND' })

async function serve(call: RequestCall, path: string, allCompanies: boolean): Promise<Response> {
  const { app } = call
  const found = await findServed(call, path, allCompanies)
  const answer = found && (await answerFile(call.request, found))
  if (answer) return answer
  if (found) app.log.error('a file is not on the disk', undefined, { path })
  throw missingFile()
}

async function findServed(
  call: RequestCall,
  path: string,
  allCompanies: boolean,
): Promise<ServedFile | undefined> {
  const { app, caller } = call
  const own = app.files.findPath(path)
  if (own === undefined) return findMade(app, path, caller.companyId)
  // The model without the caller's language: a file has its own.
  const model = call.servedModel
  const context = { caller, now: app.clock.now(), model }
  const scope = { store: app.store, caller, model, context, allCompanies }
  const file = (await findUpload(app, caller, path)) ?? (await findFile(scope, path))
  return (
    file && {
      path: own,
      fileName: file.FileName,
      contentType: file.ContentType,
      size: file.Size,
      sha256: file.Sha256,
      isInline: isInline(file.ContentType),
    }
  )
}

/** An export is saved, whatever it is. */
async function findMade(
  { made }: AppContext,
  name: string,
  companyId: number,
): Promise<ServedFile | undefined> {
  const file = await made.find(name, companyId)
  return (
    file && {
      path: file.path,
      fileName: file.ShownName,
      contentType: file.ContentType,
      size: file.Size,
      sha256: file.Sha256,
      isInline: false,
    }
  )
}

/** See `Feature`. */
export const filesFeature: Feature = {
  areas: [AREA],
  routes: [FILE_ROUTES],
  translations: { de: GERMAN },
}

/** A stored file's row: its name, type and place. */
type StoredFile = typeof files.$inferSelect

/** The caller of a file's route, with their reader and model. */
interface FileScope {
  store: Reader
  caller: Caller
  model: Model
  context: Context
  /** System asks beyond its company. */
  allCompanies: boolean
}

/**
 * The file of a Path; undefined also for one that no view shows this caller: without View, behind a
 * row filter, in a hidden field, of another company.
 */
async function findFile(scope: FileScope, path: string): Promise<StoredFile | undefined> {
  const rows = await allRows(scope.store, files, 'WHERE Path = @path', { path })
  for (const row of rows) if (await isShown(scope, row)) return row
  return undefined
}

async function isShown(scope: FileScope, file: StoredFile): Promise<boolean> {
  const entity = scope.model.entities.get(file.Entity)
  const column = entity?.columnByName.get(file.Field.toLowerCase())
  if (!entity || !column) return false
  for (const view of listViewsOf(scope.model, entity.name)) {
    for (const field of view.fields) {
      if (field.column === column && (await showsFile(scope, view, field, file))) return true
    }
  }
  return false
}

/** Returns true when the caller's row of the view names the file, as the record is now. */
async function showsFile(
  { store, caller, model, context, allCompanies }: FileScope,
  view: View,
  field: Field,
  file: StoredFile,
): Promise<boolean> {
  const grant = Grant.find(caller, model, view.resource, 'View', { allCompanies })
  if (!grant || !isServed(view, grant, field)) return false
  const key = toRecordKey(view, JSON.parse(file.RecordKey) as SqlValue[])
  if (!key) return false
  const select = [`file ${field.name}`, () => `${quote(field.name)} AS files`] as const
  const row = await store.get(planByKey({ view, grant, context }, key, 'read', select))
  const isNamed = readEntries(row?.files).some((entry) => pathOf(entry) === file.Path)
  if (isNamed) noteKeys(view, [JSON.parse(file.RecordKey) as SqlValue[]])
  return isNamed
}

/** A key of the entity as the view's; undefined for a view that lacks a part of it. */
function toRecordKey(view: View, values: readonly SqlValue[]): RecordKey | undefined {
  const parts: RecordKey['values'][number][] = []
  for (const [at, column] of (view.entity?.keys ?? []).entries()) {
    const field = view.keys.find((candidate) => candidate.column === column)
    if (!field) return undefined
    parts.push({ field, column, value: values[at] ?? null })
  }
  return parts.length > 0 ? { values: parts } : undefined
}
