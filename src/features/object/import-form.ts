/** The multipart form of an import, received with its file on the disk. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { reserveRoom } from '../../engine/files/disk-reserve.ts'
import {
  type ImportRequest,
  readImportRequest,
  requireMatching,
} from '../../engine/object/import/import-request.ts'
import { requireTakeover } from '../../engine/object/import/takeover.ts'
import { requireViewUse } from '../../engine/object/read/find-view.ts'
import type { Formats } from '../../engine/sheets/formats.ts'
import type { RequestCall } from '../../server/call.ts'
import { takeKey } from '../../server/idempotent-response.ts'
import {
  type FileLimit,
  type ReceivedFile,
  receiveMultipart,
  tooLong,
} from '../../server/multipart.ts'
import { findLimits, IMPORTS } from './import-limits.ts'

export type FormFields = ReadonlyMap<string, string>

/** Chooses a form's formats, in place of the format that it names. */
export type ChooseFormat = (fields: FormFields) => { formats: Formats; format: string }

/** A form that arrived whole; its file goes with it. */
interface ReceivedImport extends AsyncDisposable {
  requested: ImportRequest
  fields: FormFields
  file: ReceivedFile
  formats: Formats
}

/** Receives a form, refused before its file where it can be. @throws tooLarge, tooMany, invalid */
export async function receiveForm(
  call: RequestCall,
  choose?: ChooseFormat,
): Promise<ReceivedImport> {
  const { app, request } = call
  await using held = new AsyncDisposableStack()
  const form = held.use(new ImportForm(call, choose))
  await app.files.prepare()
  const received = held.use(
    await receiveMultipart(request, {
      folder: app.files.receivedFolder,
      fileBytesMax: app.settings.get(IMPORTS.maxBytes),
      filesMax: 1,
      onFile: (fields) => form.planFile(fields),
    }),
  )
  const requested = await form.requireRequest(received.fields)
  form.requireFirst(received.fields)
  const [file] = received.files
  if (!file) throw invalid(say`The form has no file`)
  const { formats } = form
  const kept = held.move()
  return {
    requested,
    fields: received.fields,
    file,
    formats,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** One form while it comes. */
class ImportForm implements Disposable {
  readonly #call: RequestCall
  readonly #choose: ChooseFormat | undefined
  #requested: ImportRequest | undefined
  #counted: Disposable | undefined
  /** Room on the disk: for the file, then for the parts of it that are set aside. */
  #room: Disposable | undefined
  /** Names of the fields that the request was read from. */
  #names: ReadonlySet<string> = new Set()
  /** The formats that the file may have. */
  formats: Formats

  constructor(call: RequestCall, choose: ChooseFormat | undefined) {
    this.#call = call
    this.#choose = choose
    this.formats = call.app.formats
  }

  [Symbol.dispose](): void {
    this.#counted?.[Symbol.dispose]()
    this.#room?.[Symbol.dispose]()
  }

  /** Bytes of the body, as announced. */
  get #length(): number {
    return Number(this.#call.request.headers.get('content-length') ?? 0)
  }

  /** Refuses as soon as the form has named its object: before a byte of the file is stored. */
  async planFile(fields: FormFields): Promise<FileLimit> {
    await this.requireRequest(fields)
    const { app, caller } = this.#call
    this.#counted ??= findLimits(app).forms.enter(caller.userId)
    const most = app.settings.get(IMPORTS.maxBytes)
    this.#room ??= await reserveRoom(app.files.receivedFolder, this.#length)
    return { bytesMax: most, refusal: () => tooLong(most) }
  }

  /** Returns the request, read once; then looks up the answer to a repeat under the same key. */
  async requireRequest(fields: FormFields): Promise<ImportRequest> {
    if (this.#requested) return this.#requested
    const objectName = fields.get('objectname')?.trim()
    if (!objectName) throw invalid(say`The form must send objectName before the file`)
    const { app } = this.#call
    const { grant } = requireViewUse(app, this.#call, objectName, ['Import'])
    const requested = readImportRequest(fields)
    requireMatching(requested, grant)
    requireTakeover(requested, grant)
    const chosen = this.#choose?.(fields)
    if (chosen) {
      this.formats = chosen.formats
      requested.format = chosen.format
    }
    if (requested.background && this.formats !== app.formats)
      throw invalid(say`The format of an extension cannot be imported in the background`)
    const gate = { resource: grant.resource, rights: ['Import'] }
    await takeKey(this.#call, [gate], Object.fromEntries(fields))
    if (requested.background) {
      const { userId } = this.#call.caller
      await findLimits(app).kept.requireRoom(app.store, userId, this.#length)
    }
    this.#names = new Set(fields.keys())
    return (this.#requested = requested)
  }

  /** Refuses fields behind the file: the request was read before it and would ignore them. */
  requireFirst(fields: FormFields): void {
    const late = [...fields.keys()].find((name) => !this.#names.has(name))
    if (late === undefined) return
    throw invalid(say`The form must send the field '${late.slice(0, 80)}' before the file`)
  }
}
