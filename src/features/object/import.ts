/** POST /import-data: the form is received, its file on the disk, before its rows are read. */
import { reserveRoom } from '../../engine/files/disk-reserve.ts'
import { importData } from '../../engine/object/import/import-data.ts'
import {
  readImportRequest,
  requireMatching,
  type ImportRequest,
} from '../../engine/object/import/import-request.ts'
import type { Formats } from '../../engine/sheets/formats.ts'
import type { ImportFile, ImportParts } from '../../engine/object/import/import-work.ts'
import type { Mutation } from '../../engine/object/mutation.ts'
import type { ObjectActionResult } from '../../engine/object/schema.ts'
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import type { AppContext } from '../../server/context.ts'
import { requireGrant } from '../../server/gate.ts'
import { receiveMultipart, tooLong, type FileLimit } from '../../server/multipart.ts'
import { planMutation } from '../../server/mutation.ts'
import { answerIdempotent, takeKeyNow } from '../../server/idempotent-response.ts'
import { callerOf, languageOf } from '../../server/session.ts'
import { localeOf } from '../../server/language.ts'
import { FormCount } from './form-count.ts'
import { bytes, DAY, duration, integer, MB, SECOND } from '../../kernel/setting.ts'

export type FormFields = ReadonlyMap<string, string>

export const IMPORTS = {
  maxBytes: bytes('Svc:Uploads:MaxImportBytes', 'Size of a file that is imported', 1024 * MB, [
    1,
    1024 * MB,
  ]),
  undoFor: duration('Svc:Imports:UndoFor', 'How long an import can be taken back', 7 * DAY, [
    SECOND,
    365 * DAY,
  ]),
  concurrency: integer(
    'Svc:Imports:Concurrency',
    'Imports that are made at the same time',
    2,
    [1, 16],
  ),
}

/** What a form is read with, in place of the format that it names. */
export type ChooseFormat = (fields: FormFields) => { formats: Formats; format: string }

/** Forms of one user that come in at the same time: each may be as large as the disk allows. */
const FORMS_PER_USER_MAX = 4

/** What the imports of an app are held to. */
interface ImportLimits {
  forms: FormCount
  /** Each reads, checks and stages rows beside all that is served. */
  semaphore: Semaphore
}

const limitsOf = new WeakMap<AppContext, ImportLimits>()

function findLimits(app: AppContext): ImportLimits {
  let limits = limitsOf.get(app)
  if (!limits) {
    limits = {
      forms: new FormCount(FORMS_PER_USER_MAX, say`Too many imports at the same time`),
      semaphore: new Semaphore(app.settings.get(IMPORTS.concurrency)),
    }
    limitsOf.set(app, limits)
  }
  return limits
}

/**
 * Receives a form with its file, and imports it when its turn comes.
 * @throws what `importData` throws, tooLarge, tooMany, unavailable.
 */
export async function receiveImport(
  app: AppContext,
  request: Request,
  choose?: ChooseFormat,
): Promise<Response> {
  using form = new ImportForm(app, request, choose)
  await app.files.prepare()
  await using received = await receiveMultipart(request, {
    folder: app.files.receivedFolder,
    fileBytesMax: app.settings.get(IMPORTS.maxBytes),
    filesMax: 1,
    onFile: (fields) => form.planFile(fields),
  })
  const requested = await form.requireRequest(received.fields)
  form.requireFirst(received.fields)
  const [file] = received.files
  if (!file) throw invalid(say`The form has no file`)
  // The file is there as long as this function runs.
  const { semaphore } = findLimits(app)
  return await answerIdempotent(request, (recordResponse) =>
    semaphore.run(
      () =>
        importFile(app, planMutation(app, request, recordResponse), requested, {
          ...{ file, request, formats: form.formats },
        }),
      String(callerOf(request).userId),
    ),
  )
}

function importFile(
  app: AppContext,
  mutation: Mutation,
  requested: ImportRequest,
  { file, request, formats }: { file: ImportFile; request: Request; formats: Formats },
): Promise<ObjectActionResult> {
  const parts: ImportParts = {
    folder: app.files.receivedFolder,
    formats,
    made: app.made,
    progress: app.progress,
    undoForMs: app.settings.get(IMPORTS.undoFor),
    language: languageOf(request),
    locale: localeOf(request),
  }
  return importData(mutation, parts, requested, file)
}

/** One form while it comes. */
class ImportForm implements Disposable {
  readonly #app: AppContext
  readonly #request: Request
  readonly #choose: ChooseFormat | undefined
  #asked: ImportRequest | undefined
  #counted: Disposable | undefined
  /** On the disk: for the file, then for what of it is put aside. */
  #room: Disposable | undefined
  /** Of the fields that the request was read from. */
  #names: ReadonlySet<string> = new Set()
  /** The formats that the file may have. */
  formats: Formats

  constructor(app: AppContext, request: Request, choose: ChooseFormat | undefined) {
    this.#app = app
    this.#request = request
    this.#choose = choose
    this.formats = app.formats
  }

  [Symbol.dispose](): void {
    this.#counted?.[Symbol.dispose]()
    this.#room?.[Symbol.dispose]()
  }

  /** Refuses as soon as the form has named its object: before a byte of the file is kept. */
  async planFile(fields: FormFields): Promise<FileLimit> {
    await this.requireRequest(fields)
    const { userId } = callerOf(this.#request)
    this.#counted ??= findLimits(this.#app).forms.enter(userId)
    const most = this.#app.settings.get(IMPORTS.maxBytes)
    const length = Number(this.#request.headers.get('content-length') ?? 0)
    this.#room ??= await reserveRoom(this.#app.files.receivedFolder, length)
    return { bytesMax: most, refusal: () => tooLong(most) }
  }

  /** The request, once; then what a repeat under the same key gets is looked up. */
  async requireRequest(fields: FormFields): Promise<ImportRequest> {
    if (this.#asked) return this.#asked
    const objectName = fields.get('objectname')?.trim()
    if (!objectName) throw invalid(say`The form needs objectName before its file`)
    const { grant } = requireGrant(this.#app, this.#request, objectName, ['Import'])
    const requested = readImportRequest(fields)
    requireMatching(requested, grant)
    const chosen = this.#choose?.(fields)
    if (chosen) {
      this.formats = chosen.formats
      requested.format = chosen.format
    }
    const incoming = { request: this.#request, body: Object.fromEntries(fields) }
    const { resource } = grant
    await takeKeyNow(this.#app, incoming, () => [{ resource, rights: ['Import'] }])
    this.#names = new Set(fields.keys())
    return (this.#asked = requested)
  }

  /** The request was read before the file: what stands behind it would say nothing. */
  requireFirst(fields: FormFields): void {
    const late = [...fields.keys()].find((name) => !this.#names.has(name))
    if (late === undefined) return
    throw invalid(say`The field '${late.slice(0, 80)}' stands behind the file: fields come first`)
  }
}
