/** The parser of multipart forms, and the limits of a form beside the bytes of its files. */
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { type Failure, invalid } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'

/** Bytes of all fields together: they are held in memory. */
export const FIELDS_BYTES_MAX = 1024 * 1024

const FIELDS_MAX = 64
const NAME_BYTES_MAX = 200
const HEADER_LINES_MAX = 32
const HEADER_BYTES_MAX = 8 * 1024

/** Limits of a form. */
export interface ParserOptions {
  /** Bytes of one file; more is 413. */
  fileBytesMax: number
  filesMax: number
  /** True when the names of files keep their folders. */
  keepsPaths?: boolean
}

/** 400. */
export const malformed = (): Failure => invalid(say`The multipart form is malformed or ended early`)

/** A parser for a form of this Content-Type. @throws invalid where that has no boundary */
export function makeParser(
  contentType: string,
  { fileBytesMax, filesMax, keepsPaths = false }: ParserOptions,
): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      preservePath: keepsPaths,
      isPartAFile: (_field, _type, fileName) => fileName !== undefined,
      limits: {
        fieldNameSize: NAME_BYTES_MAX,
        fieldSize: FIELDS_BYTES_MAX,
        fields: FIELDS_MAX,
        fileSize: fileBytesMax,
        files: filesMax,
        parts: FIELDS_MAX + filesMax,
        headerPairs: HEADER_LINES_MAX,
        headerSize: HEADER_BYTES_MAX,
      },
    })
  } catch {
    throw malformed()
  }
}
