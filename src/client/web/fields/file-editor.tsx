/** The editor of files: those that are stored as links, others by drag or from the disk. */
import { useSignal } from '@preact/signals'
import { say } from '../texts/texts.ts'
import { type Schemas, take, wire } from '../api/wire.ts'
import type { EditorProps } from './field-kind.ts'
import { type ListedFile, listFiles } from './file-field.ts'

async function upload(
  { field, form }: EditorProps,
  files: readonly File[],
): Promise<Schemas['FileUploadResult'][]> {
  const body = new FormData()
  body.set('viewId', form.name)
  body.set('fieldName', field.Name)
  for (const file of files) body.append('files', file)
  return take(
    wire.POST('/api/v1/svc/object/upload', {
      // A form goes as it is; its type in the document is that of its members.
      body: body as unknown as Schemas['UploadForm'],
      bodySerializer: (each) => each as unknown as FormData,
    }),
  )
}

interface FileListProps extends Pick<EditorProps, 'isReadOnly' | 'onChange'> {
  files: readonly ListedFile[]
}

function FileList({ files, isReadOnly, onChange }: FileListProps) {
  return (
    <ul>
      {files.map((file) => (
        <li key={file.Path ?? file.UploadKey}>
          {file.Path === undefined ? (
            file.FileName
          ) : (
            <a href={`/files/${file.Path}`} target="_blank" rel="noopener">
              {file.FileName}
            </a>
          )}
          {!isReadOnly && (
            <button
              class="button quiet"
              type="button"
              aria-label={`${say('delete')}: ${file.FileName}`}
              onClick={() => onChange(files.filter((each) => each !== file))}
            >
              ×
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Draws the files, and takes others by drag or from the disk. */
export function FileEditor(props: EditorProps) {
  const { field, value, isReadOnly, fault, onChange } = props
  const refused = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const files = listFiles(value)
  const add = async (chosen: FileList | null | undefined): Promise<void> => {
    if (!chosen || chosen.length === 0) return
    isBusy.value = true
    refused.value = undefined
    try {
      onChange([...files, ...(await upload(props, [...chosen]))])
    } catch (thrown) {
      refused.value = thrown instanceof Error ? thrown.message : say('unexpected')
    } finally {
      isBusy.value = false
    }
  }
  return (
    <fieldset
      class="files"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        if (!isReadOnly) void add(event.dataTransfer?.files)
      }}
    >
      <legend>{field.Label}</legend>
      <FileList files={files} isReadOnly={isReadOnly} onChange={onChange} />
      {!isReadOnly && (
        <label class="button file-choice">
          {say(isBusy.value ? 'working' : 'chooseFiles')}
          <input
            type="file"
            aria-label={`${field.Label}: ${say('chooseFiles')}`}
            multiple={field.MaxCount !== 1}
            accept={field.Accept.join(',')}
            disabled={isBusy.value}
            onChange={(event) => void add(event.currentTarget.files)}
          />
        </label>
      )}
      {(refused.value ?? fault) && <div class="fault">{refused.value ?? fault}</div>}
    </fieldset>
  )
}
