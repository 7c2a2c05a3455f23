/** Files of the server, read as a stream so that one sees how far they are. */
import { fetchFile } from './wire.ts'

interface LoadOptions {
  signal?: AbortSignal
  /** Called with the share that is there, from 0 to 1, where the server says how much it is. */
  onProgress?: (share: number) => void
}

/** Loads a file such as `/files/…` or `/report/…?format=pdf`. @throws ServerError */
export async function loadFile(
  address: string,
  { signal, onProgress }: LoadOptions = {},
): Promise<Blob> {
  const response = await fetchFile(address, signal && { signal })
  const total = Number(response.headers.get('content-length') ?? 0)
  const type = response.headers.get('content-type') ?? ''
  if (!response.body) return response.blob()
  const parts: Uint8Array<ArrayBuffer>[] = []
  let loaded = 0
  for await (const part of readParts(response.body)) {
    parts.push(part)
    loaded += part.byteLength
    if (total > 0) onProgress?.(Math.min(1, loaded / total))
  }
  return new Blob(parts, { type })
}

async function* readParts(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = body.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
}
