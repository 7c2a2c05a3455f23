/** The files that a field uploads: each with its progress, until it is a value of the field. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { say } from '../texts/texts.ts'
import { describeFault, ToldError } from '../api/told-error.ts'
import { uploadForm } from '../api/upload.ts'
import type { Schemas } from '../api/wire.ts'
import { drawKey } from '../state/intent.ts'
import { holdPlace } from '../state/uploads.ts'
import type { EditorProps, MetadataField } from './field-kind.ts'
import { type ListedFile, listFiles, tellSize } from './file-field.ts'

/** An upload in progress; `fault` says why it failed. */
export interface OpenUpload {
  file: File
  key: string
  share: number
  fault: string | undefined
  /** False where trying again is of no use, as with a file that is too large. */
  canRetry: boolean
  stop: AbortController
}

/** Contents of files that this page has uploaded, to be shown before they are stored. */
export const localFiles = new Map<string, File>()

/** True where a media type is one of `image/*` or `application/pdf`; any where none is named. */
const isAccepted = (type: string, accept: readonly string[]): boolean =>
  accept.length === 0 ||
  accept.some((each) => (each.endsWith('/*') ? type.startsWith(each.slice(0, -1)) : type === each))

/** Why a file is not uploaded at all; the server would say so behind its last byte. */
function findFault(file: File, { MaxBytes, Accept }: MetadataField): string | undefined {
  if (MaxBytes !== null && file.size > MaxBytes)
    return say('fileTooLarge', { size: tellSize(MaxBytes) })
  // Browsers do not know each kind: what they cannot name, the server judges.
  if (file.type !== '' && !isAccepted(file.type, Accept))
    return say('fileWrongKind', { kinds: Accept.join(', ') })
  return undefined
}

/** Sends one file; all tries of it bear its key. @throws ServerError */
async function send(
  { form, field }: EditorProps,
  { file, key, stop }: Pick<OpenUpload, 'file' | 'key' | 'stop'>,
  onShare: (share: number) => void,
): Promise<Schemas['FileUploadResult']> {
  const body = new FormData()
  body.set('objectName', form.name)
  body.set('fieldName', field.Name)
  body.set('files', file)
  const [made] = (await uploadForm('/api/v1/svc/object/upload', body, {
    key,
    signal: stop.signal,
    onProgress: (sent, total) => onShare(total > 0 ? sent / total : 0),
  })) as Schemas['FileUploadResult'][]
  if (!made) throw new ToldError(say('answerNoFile'))
  return made
}

/** The uploads of a field, and what begins and ends them. */
export function useUploads(props: EditorProps) {
  const uploads = useSignal<readonly OpenUpload[]>([])
  const latest = useRef(props)
  latest.current = props
  useEffect(() => () => uploads.peek().forEach(({ stop }) => stop.abort()), [])
  const change = (key: string, changes: Partial<OpenUpload>): void => {
    uploads.value = uploads
      .peek()
      .map((each) => (each.key === key ? { ...each, ...changes } : each))
  }
  const remove = (key: string): void => {
    uploads.value = uploads.peek().filter((each) => each.key !== key)
  }
  const take = (file: ListedFile): void => {
    const value = [...listFiles(latest.current.value), file]
    // Another upload may end before the form has drawn this one.
    latest.current = { ...latest.current, value }
    latest.current.onChange(value)
  }
  const run = async ({ file, key, stop }: OpenUpload): Promise<void> => {
    const release = holdPlace()
    try {
      const made = await send(latest.current, { file, key, stop }, (share) =>
        change(key, { share }),
      )
      localFiles.set(made.UploadKey, file)
      remove(key)
      take(made)
    } catch (thrown) {
      if (!stop.signal.aborted) change(key, { fault: describeFault(thrown), share: 0 })
    } finally {
      release()
    }
  }
  const begin = (upload: OpenUpload): void => {
    const work = run(upload)
    latest.current.onPending?.(work)
  }
  return { uploads, ...planWays({ latest, uploads, begin, remove }) }
}

interface Ways {
  latest: { readonly current: EditorProps }
  uploads: Signal<readonly OpenUpload[]>
  begin(upload: OpenUpload): void
  remove(key: string): void
}

/** Adding, trying again and giving up. */
function planWays({ latest, uploads, begin, remove }: Ways) {
  const add = (files: readonly File[]): void => {
    const { field, value } = latest.current
    const free = (field.MaxCount ?? Infinity) - listFiles(value).length - uploads.peek().length
    const added = files.map((file, at): OpenUpload => {
      const tooMany =
        at < free ? undefined : say('filesTooMany', { count: field.MaxCount ?? files.length })
      const fault = tooMany ?? findFault(file, field)
      const stop = new AbortController()
      return { file, key: drawKey(), share: 0, fault, canRetry: fault === undefined, stop }
    })
    uploads.value = [...uploads.peek(), ...added]
    added.filter(({ fault }) => fault === undefined).forEach(begin)
  }
  const retry = ({ file, key }: OpenUpload): void => {
    // The server has answered: this is another try, under a key of its own.
    remove(key)
    add([file])
  }
  const cancel = ({ key, stop }: OpenUpload): void => {
    stop.abort()
    remove(key)
  }
  return { add, retry, cancel }
}
