/** POST /upload and DELETE /upload/{uploadKey}: files that wait for their record. */
import { validation } from '../../kernel/failure.ts'
import { newId } from '../../kernel/ids.ts'
import { say } from '../../kernel/messages.ts'
import { bytes, MB } from '../../kernel/setting.ts'
import { systemScope, type WriteScope } from '../../store/store.ts'
import { requireValidCaller } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { detectType, isAccepted } from '../../engine/files/content-type.ts'
import { reserveRoom } from '../../engine/files/disk-reserve.ts'
import { cleanFileName } from '../../engine/files/file-name.ts'
import type { FileUploadResult } from '../../engine/files/schema.ts'
import {
  loadWaitingBytes,
  overQuota,
  saveUploads,
  type Upload,
  UPLOAD_LIFETIME_MS,
  type UploadParts,
} from '../../engine/files/uploads.ts'
import { requireUploadField, type UploadField } from '../../engine/object/write/upload-field.ts'
import type { RequestCall } from '../../server/call.ts'
import type { AppContext } from '../../server/context.ts'
import { answerIdempotent, takeKey } from '../../server/idempotent-response.ts'
import {
  type FileLimit,
  type ReceivedFile,
  receiveMultipart,
  tooLong,
} from '../../server/multipart.ts'
import { FormCount } from './form-count.ts'

export const UPLOADS = {
  maxFileBytes: bytes(
    'Svc:Uploads:MaxFileBytes',
    'Size of a file that is uploaded for a record',
    100 * MB,
    [1, 1024 * MB],
  ),
  userQuota: bytes(
    'Svc:Uploads:UserQuota',
    'What the uploads of one user that wait for a record may take together',
    1024 * MB,
    [1, 1024 * 1024 * MB],
  ),
}

/** Files of one form, whatever the column's MaxCount. */
const FILES_MAX = 20

/** Forms that are received from one user at the same time: each holds a file that is open. */
const FORMS_PER_USER_MAX = 8

type FormFields = ReadonlyMap<string, string>

/** Returns the parts that read and write the rows of uploads. */
export const uploadParts = (app: AppContext): UploadParts => ({
  store: app.store,
  files: app.files,
  clock: app.clock,
  userQuota: app.settings.get(UPLOADS.userQuota),
})

/** Takes forms with files; one value for the server, since it counts the running ones. */
export class Uploading {
  readonly #forms = new FormCount(
    FORMS_PER_USER_MAX,
    say`You have too many uploads running. Please try again later.`,
  )

  /**
   * Receives a form's files and keeps them as uploads. A caller who may not fill the field is
   * refused before the file is read, if the names come before it as they should.
   * @throws denied, validation, tooLarge, tooMany, unavailable.
   */
  async receive(call: RequestCall): Promise<Response> {
    const { app, request } = call
    using form = new UploadForm(call, this.#forms)
    await app.files.prepare()
    await using received = await receiveMultipart(request, {
      folder: app.files.receivedFolder,
      fileBytesMax: app.settings.get(UPLOADS.maxFileBytes),
      filesMax: FILES_MAX,
      onFile: (fields) => form.planFile(fields),
    })
    const target = await form.requireField(received.fields)
    const rows = await planRows(app, call.caller, target, received.files)
    const results = rows.map(({ row }) => toResult(row, target))
    // Awaited here: the end of this block removes the received files.
    return await answerIdempotent(call, async (recordResponse) => {
      await saveUploads(uploadParts(app), rows, {
        recordResponse: (tx) => recordResponse(tx, results),
        scope: form.planScope(),
      })
      return results
    })
  }
}

/** One form while it comes. */
class UploadForm implements Disposable {
  readonly #call: RequestCall
  readonly #underWay: FormCount
  #target: UploadField | undefined
  #names = { objectName: '', fieldName: '', viewId: '' }
  #files = 0
  #counted: Disposable | undefined
  /** On the disk, for all files of the form. */
  #room: Disposable | undefined

  constructor(call: RequestCall, underWay: FormCount) {
    this.#call = call
    this.#underWay = underWay
  }

  [Symbol.dispose](): void {
    this.#counted?.[Symbol.dispose]()
    this.#room?.[Symbol.dispose]()
  }

  /** Judges the form as soon as it can be, and says how large its next file may be. */
  async planFile(fields: FormFields): Promise<FileLimit> {
    const { app, caller, request } = this.#call
    const { settings, files } = app
    this.#files++
    // A first file may come before the names; it is checked after it.
    if (isNamed(fields) || this.#files > 1)
      requireCount(await this.requireField(fields), this.#files)
    this.#counted ??= this.#underWay.enter(caller.userId)
    const most = settings.get(UPLOADS.maxFileBytes)
    const parts = uploadParts(app)
    const left = Math.max(0, parts.userQuota - (await loadWaitingBytes(parts, caller.userId)))
    const own = Math.min(most, this.#target?.field.maxBytes ?? most)
    // No more than will be taken: an announced length alone keeps no other user out.
    const taken = Math.min(left, own * (this.#target?.field.maxCount ?? 1))
    const length = Number(request.headers.get('content-length') ?? taken)
    this.#room ??= await reserveRoom(files.receivedFolder, Math.min(length, taken))
    return left < own
      ? { bytesMax: left, refusal: () => overQuota(parts.userQuota) }
      : { bytesMax: own, refusal: () => tooLong(own) }
  }

  /** The transaction is refused when the caller may not fill the field any more. */
  planScope(): WriteScope {
    const { caller } = this.#call
    return {
      ...systemScope('uploads belong to users'),
      revalidate: () => {
        requireUploadField(this.#call.model, caller, this.#names)
        return requireValidCaller(caller)
      },
    }
  }

  /** Returns the field, found once; then looks up the answer to a repeat under the same key. */
  async requireField(fields: FormFields): Promise<UploadField> {
    if (this.#target) return this.#target
    const names = (this.#names = {
      objectName: fields.get('objectname') ?? '',
      fieldName: fields.get('fieldname') ?? '',
      viewId: fields.get('viewid') ?? '',
    })
    const { model, caller } = this.#call
    const target = requireUploadField(model, caller, names)
    const { resource, rights } = target
    await takeKey(this.#call, [{ resource, rights }], names)
    return (this.#target = target)
  }
}

const isNamed = (fields: FormFields): boolean => fields.has('objectname') && fields.has('fieldname')

function requireCount({ field }: UploadField, count: number): void {
  const most = field.maxCount ?? 1
  if (count > most) throw validation({ file: say`At most ${most} files are allowed` })
}

/** Plans the rows of received files. @throws validation without a file, or for a type not taken. */
async function planRows(
  { clock }: AppContext,
  { userId, companyId }: Caller,
  { field, entity, column }: UploadField,
  received: readonly ReceivedFile[],
): Promise<{ path: string; row: Upload }[]> {
  if (received.length === 0) throw validation({ file: say`The form has no file` })
  const now = clock.now()
  const rows: { path: string; row: Upload }[] = []
  for (const { path, head, size, sha256, fileName: given } of received) {
    const fileName = cleanFileName(given)
    const contentType = await detectType({ path, head, fileName })
    if (!isAccepted(contentType, field.accept))
      throw validation({
        file: say`${field.label}: the file type must be one of: ${field.accept.join(', ')}`,
      })
    const row: Upload = {
      Key: newId(),
      UserId: userId,
      CompanyId: companyId,
      Entity: entity,
      Field: column,
      FileName: fileName,
      ContentType: contentType,
      Size: size,
      Sha256: sha256,
      CreatedAt: now.toISOString(),
      ExpiresAt: new Date(now.getTime() + UPLOAD_LIFETIME_MS).toISOString(),
    }
    if (size > (field.maxBytes ?? size)) throw tooLong(field.maxBytes ?? size)
    rows.push({ path, row })
  }
  return rows
}

function toResult(row: Upload, { field }: UploadField): FileUploadResult {
  const { Key, FileName, ContentType, Size, ExpiresAt } = row
  return { UploadKey: Key, FileName, ContentType, Size, FieldName: field.name, ExpiresAt }
}
