/** Text files of any of the encodings that spreadsheets write, read in pieces. */
import { isUtf8 } from 'node:buffer'
import { type FileHandle, open } from 'node:fs/promises'

/** Bytes read at once: few enough that work on them delays no other request. */
const PIECE_BYTES = 64 * 1024
const SNIFFED_BYTES = 4096
/** Bytes of a character of UTF-8 that may lie behind the end of a piece. */
const TAIL_BYTES = 3

type TextEncodingName = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** The text of a file in pieces, without its byte order mark. */
export async function* readText(path: string, signal?: AbortSignal): AsyncGenerator<string> {
  const file = await open(path)
  try {
    const encoding = await findEncoding(file)
    const decoder = new TextDecoder(encoding)
    for await (const bytes of readPieces(file)) {
      signal?.throwIfAborted()
      const text = decoder.decode(bytes, { stream: true })
      if (text !== '') yield text
    }
    const rest = decoder.decode()
    if (rest !== '') yield rest
  } finally {
    await file.close()
  }
}

async function* readPieces(file: FileHandle): AsyncGenerator<Uint8Array> {
  const bytes = new Uint8Array(PIECE_BYTES)
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(bytes, 0, PIECE_BYTES, at)
    if (bytesRead === 0) return
    yield bytes.subarray(0, bytesRead)
    at += bytesRead
  }
}

/**
 * Finds the encoding by the byte order mark, else by the zeros that UTF-16 has in Western texts; a
 * file that is not UTF-8 throughout is Windows-1252.
 */
async function findEncoding(file: FileHandle): Promise<TextEncodingName> {
  const head = new Uint8Array(SNIFFED_BYTES)
  const { bytesRead } = await file.read(head, 0, SNIFFED_BYTES, 0)
  const bytes = head.subarray(0, bytesRead)
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return findWide(bytes) ?? ((await isWholeUtf8(file)) ? 'utf-8' : 'windows-1252')
}

function findWide(bytes: Uint8Array): TextEncodingName | undefined {
  let even = 0
  let odd = 0
  for (const [at, byte] of bytes.entries()) if (byte === 0) at % 2 === 0 ? even++ : odd++
  const most = bytes.length / 4
  if (odd > most && even < odd / 8) return 'utf-16le'
  return even > most && odd < even / 8 ? 'utf-16be' : undefined
}

async function isWholeUtf8(file: FileHandle): Promise<boolean> {
  let carried = new Uint8Array(0)
  for await (const piece of readPieces(file)) {
    const bytes = carried.length > 0 ? Buffer.concat([carried, piece]) : piece
    const cut = findCut(bytes)
    if (!isUtf8(bytes.subarray(0, cut))) return false
    carried = new Uint8Array(bytes.subarray(cut))
  }
  return carried.length === 0
}

/** Returns the start of the last character of a piece, if it may continue in the next one. */
function findCut(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(TAIL_BYTES, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes.length
    if (byte >= 0xc0) return bytes.length - back
  }
  return bytes.length
}
