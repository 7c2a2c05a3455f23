/** The editor of files: by drag or from the disk, each with its progress and a look at it. */
import { useSignal } from '@preact/signals'
import { say } from '../texts/texts.ts'
import { loadFile } from '../api/load-file.ts'
import { shownFile } from '../state/shown-file.ts'
import type { EditorProps } from './field-kind.ts'
import { isPicture, type ListedFile, listFiles, tellFile } from './file-field.ts'
import { localFiles, type OpenUpload, useUploads } from './file-uploads.ts'
import { Picture } from './picture.tsx'

/** Shows a file: the one that is stored, or the one that this page has uploaded. */
function show({ Path, UploadKey = '', FileName }: ListedFile): void {
  const local = localFiles.get(UploadKey)
  shownFile.value = {
    name: FileName,
    load: (told) => (local ? Promise.resolve(local) : loadFile(`/files/${Path ?? ''}`, told)),
  }
}

/** True where there is something to show: a file of an earlier visit is only named. */
const canShow = ({ Path, UploadKey = '' }: ListedFile): boolean =>
  Path !== undefined || localFiles.has(UploadKey)

/** Bytes of a picture up to which it is drawn beside its name. */
const THUMB_BYTES_MAX = 5_000_000

/** A small picture of a file that is one. */
function Thumb({ file: { Path, UploadKey = '', ContentType, Size } }: { file: ListedFile }) {
  const source = localFiles.get(UploadKey) ?? (Path === undefined ? undefined : `/files/${Path}`)
  if (!source || !isPicture(ContentType) || Size > THUMB_BYTES_MAX) return null
  return <Picture class="file-thumb" source={source} alt="" />
}

interface FileLineProps {
  file: ListedFile
  onRemove: (() => void) | undefined
}

function FileLine({ file, onRemove }: FileLineProps) {
  return (
    <li class="file-line">
      {canShow(file) ? (
        <button class="link-button" type="button" onClick={() => show(file)}>
          <Thumb file={file} />
          {file.FileName}
        </button>
      ) : (
        <span>{file.FileName}</span>
      )}
      <small class="quiet">{tellFile(file)}</small>
      {onRemove && (
        <button
          class="icon-button"
          type="button"
          aria-label={`${say('delete')}: ${file.FileName}`}
          onClick={onRemove}
        >
          ×
        </button>
      )}
    </li>
  )
}

interface UploadLineProps {
  upload: OpenUpload
  onRetry(): void
  onCancel(): void
}

/** An upload in progress, or why it failed. */
function UploadLine({ upload: { file, share, fault, canRetry }, ...ways }: UploadLineProps) {
  return (
    <li class="file-line" data-fault={fault !== undefined || undefined}>
      <span>{file.name}</span>
      {fault === undefined ? (
        <progress max={1} value={share} aria-label={say('uploading', { name: file.name })} />
      ) : (
        <small role="alert">{fault}</small>
      )}
      {fault !== undefined && canRetry && (
        <button class="button quiet" type="button" onClick={() => ways.onRetry()}>
          {say('tryAgain')}
        </button>
      )}
      <button
        class="icon-button"
        type="button"
        aria-label={`${say('cancel')}: ${file.name}`}
        onClick={() => ways.onCancel()}
      >
        ×
      </button>
    </li>
  )
}

/** Draws the files, and takes others by drag or from the disk. */
export function FileEditor(props: EditorProps) {
  const { field, value, isReadOnly, fault, onChange } = props
  const { uploads, add, retry, cancel } = useUploads(props)
  const isOver = useSignal(false)
  const files = listFiles(value)
  return (
    <fieldset
      class="files"
      data-over={isOver.value || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        isOver.value = !isReadOnly
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault()
        isOver.value = false
        if (!isReadOnly) add([...(event.dataTransfer?.files ?? [])])
      }}
    >
      <legend>{field.Label}</legend>
      <ul>
        {files.map((file) => (
          <FileLine
            key={file.Path ?? file.UploadKey}
            file={file}
            onRemove={
              isReadOnly ? undefined : () => onChange(files.filter((each) => each !== file))
            }
          />
        ))}
        {uploads.value.map((upload) => (
          <UploadLine
            key={upload.key}
            upload={upload}
            onRetry={() => retry(upload)}
            onCancel={() => cancel(upload)}
          />
        ))}
      </ul>
      {!isReadOnly && <FileChoice {...props} onChoose={add} />}
      {field.Help !== null && <small class="quiet">{field.Help}</small>}
      {fault && <div class="fault">{fault}</div>}
    </fieldset>
  )
}

function FileChoice({ field, onChoose }: EditorProps & { onChoose(files: File[]): void }) {
  return (
    <label class="button file-choice">
      {say('chooseFiles')}
      <input
        type="file"
        aria-label={`${field.Label}: ${say('chooseFiles')}`}
        multiple={field.MaxCount !== 1}
        accept={field.Accept.join(',')}
        onChange={({ currentTarget }) => {
          onChoose([...(currentTarget.files ?? [])])
          // The same file may be chosen again.
          currentTarget.value = ''
        }}
      />
    </label>
  )
}
