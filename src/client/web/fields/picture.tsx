/**
 * Pictures of the server. With a service worker the browser draws them by their address; without
 * one (no https, a private window) they are loaded with the token, and drawn by a `blob:` address.
 */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { loadFile } from '../api/load-file.ts'
import { hasWorker } from '../api/worker.ts'

interface PictureProps {
  /** Its address, such as `/files/…`, or its content where the page has that. */
  source: string | Blob
  /** Its text; empty where the page names it already. */
  alt: string
  class: string
}

/** The `blob:` address of content, as long as it is drawn; undefined before, or without content. */
function useContent(source: string | Blob, isWanted: boolean): string | undefined {
  const address = useSignal<string | undefined>(undefined)
  useEffect(() => {
    if (!isWanted) return undefined
    const gone = new AbortController()
    const { signal } = gone
    const content = source instanceof Blob ? Promise.resolve(source) : loadFile(source, { signal })
    content.then(
      (found) => {
        if (signal.aborted) return
        const made = URL.createObjectURL(found)
        signal.addEventListener('abort', () => URL.revokeObjectURL(made))
        address.value = made
      },
      // What cannot be loaded is not drawn; its name tells what it is.
      () => undefined,
    )
    return () => {
      gone.abort()
      address.value = undefined
    }
  }, [source, isWanted])
  return address.value
}

/** Draws a picture, once it is there. */
export function Picture({ source, alt, class: name }: PictureProps) {
  const isRefused = useSignal(false)
  const isDirect = typeof source === 'string' && hasWorker() && !isRefused.value
  const content = useContent(source, !isDirect)
  const address = isDirect ? source : content
  if (address === undefined) return null
  return (
    <img
      class={name}
      src={address}
      alt={alt}
      loading="lazy"
      onError={() => (isRefused.value = true)}
    />
  )
}
