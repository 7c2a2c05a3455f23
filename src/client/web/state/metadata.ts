/** The metadata of the object of an address: that of the last visit at once, then as it is now. */
import { language } from '../texts/texts.ts'
import { type Schemas, take, wire } from '../api/wire.ts'
import { whenDrawn } from './drawn.ts'
import { findKept, keep } from './kept.ts'

type Metadata = Schemas['MetadataResult']

/** Listens to the metadata of one object. */
interface MetadataEvents {
  onFound(metadata: Metadata): void
  onFault(thrown: unknown): void
}

/**
 * Finds the metadata of an object. What is kept is told at once and again only where it is
 * another by now; the server is asked for it behind the rows. Where it does not answer that, what
 * is drawn stays: the rows or the record tell the reason themselves. Returns what ends it.
 */
export function followMetadata(slug: string, { onFound, onFault }: MetadataEvents): () => void {
  const name = `metadata ${language.peek()} ${slug}`
  const kept = findKept<Metadata>(name)
  let isEnded = false
  const ask = async (): Promise<void> => {
    if (kept) await whenDrawn
    if (isEnded) return
    const params = { path: { name: slug } }
    const found = await take(wire.GET('/api/v1/svc/object/{name}/metadata', { params }))
    if (JSON.stringify(found) === JSON.stringify(kept)) return
    keep(name, found)
    if (!isEnded) onFound(found)
  }
  if (kept) onFound(kept)
  ask().catch((thrown: unknown) => {
    if (!isEnded && !kept) onFault(thrown)
  })
  return () => (isEnded = true)
}
