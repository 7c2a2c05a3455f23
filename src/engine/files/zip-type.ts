/** What a zip archive is: an Office document says so only by the names of what is in it. */
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

const ZIP = 'application/zip'
const OFFICE = 'application/vnd.openxmlformats-officedocument'
const END_SIGNATURE = 0x06054b50
const ENTRY_SIGNATURE = 0x02014b50
const END_BYTES = 22
const ENTRY_BYTES = 46
/** The end record with the longest comment that it may have. */
const TAIL_BYTES_MAX = END_BYTES + 0xffff
/** Of the directory; a document of people has some dozens of entries. */
const DIRECTORY_BYTES_MAX = 1024 * 1024

const BY_ENTRY: readonly (readonly [entry: string, type: string])[] = [
  ['word/vbaProject.bin', 'application/vnd.ms-word.document.macroenabled.12'],
  ['xl/vbaProject.bin', 'application/vnd.ms-excel.sheet.macroenabled.12'],
  ['ppt/vbaProject.bin', 'application/vnd.ms-powerpoint.presentation.macroenabled.12'],
  ['word/document.xml', `${OFFICE}.wordprocessingml.document`],
  ['xl/workbook.xml', `${OFFICE}.spreadsheetml.sheet`],
  ['ppt/presentation.xml', `${OFFICE}.presentationml.presentation`],
  ['META-INF/MANIFEST.MF', 'application/java-archive'],
]

/** Whether a file begins as a zip archive does. */
export const isArchive = (head: Uint8Array): boolean =>
  head[0] === 0x50 && head[1] === 0x4b && head[2] === 0x03 && head[3] === 0x04

/** The media type of a zip archive by its directory; nothing of it is unpacked. */
export async function detectArchive(path: string): Promise<string> {
  const names = new Set(await loadNames(path))
  return BY_ENTRY.find(([entry]) => names.has(entry))?.[1] ?? ZIP
}

async function loadNames(path: string): Promise<string[]> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const tail = await readAt(file, Math.max(0, size - TAIL_BYTES_MAX), TAIL_BYTES_MAX)
    for (let at = tail.length - END_BYTES; at >= 0; at--) {
      if (tail.readUInt32LE(at) !== END_SIGNATURE) continue
      const bytes = Math.min(tail.readUInt32LE(at + 12), DIRECTORY_BYTES_MAX)
      return listNames(await readAt(file, tail.readUInt32LE(at + 16), bytes))
    }
    return []
  } finally {
    await file.close()
  }
}

async function readAt(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes)
  const { bytesRead } = await file.read(buffer, 0, bytes, at)
  return buffer.subarray(0, bytesRead)
}

function listNames(directory: Buffer): string[] {
  const names: string[] = []
  for (let at = 0; at + ENTRY_BYTES <= directory.length;) {
    if (directory.readUInt32LE(at) !== ENTRY_SIGNATURE) break
    const nameBytes = directory.readUInt16LE(at + 28)
    const start = at + ENTRY_BYTES
    names.push(directory.toString('utf8', start, start + nameBytes))
    at = start + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  return names
}
