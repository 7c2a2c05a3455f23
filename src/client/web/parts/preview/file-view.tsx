/** A look at a file, where its kind can be shown in a page: pictures, PDF, text. */
import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { isPicture } from '../../fields/file-field.ts'
import { Picture } from '../../fields/picture.tsx'

interface ViewProps {
  name: string
  content: Blob
}

/** Characters of a text that are shown. */
const TEXT_MAX = 200_000

/** An address of the content as long as it is drawn; empty before. */
function useAddress(content: Blob): string {
  const address = useSignal('')
  useEffect(() => {
    const made = URL.createObjectURL(content)
    address.value = made
    return () => URL.revokeObjectURL(made)
  }, [content])
  return address.value
}

const PictureView = ({ name, content }: ViewProps) => (
  <Picture class="file-picture" source={content} alt={name} />
)

function PdfView({ name, content }: ViewProps) {
  const address = useAddress(content)
  return address === '' ? null : <iframe class="file-pdf" src={address} title={name} />
}

function TextView({ name, content }: ViewProps) {
  const text = useSignal('')
  useEffect(() => {
    void content.text().then((found) => (text.value = found.slice(0, TEXT_MAX)))
  }, [content])
  return (
    <pre class="file-text" tabIndex={0} role="region" aria-label={name}>
      {text.value}
    </pre>
  )
}

const VIEWS: readonly [(type: string) => boolean, ComponentType<ViewProps>][] = [
  [isPicture, PictureView],
  [(type) => /^application\/pdf\b/.test(type), PdfView],
  [(type) => /^text\/|^application\/json\b/.test(type), TextView],
]

/** Draws the file, or says that its kind cannot be shown. */
export function FileView(props: ViewProps) {
  const View = VIEWS.find(([isOfKind]) => isOfKind(props.content.type))?.[1]
  return View ? <View {...props} /> : <p class="quiet">{say('fileNoView')}</p>
}
