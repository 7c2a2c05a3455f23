/** An answer that stays the same while the process runs, with its tag and its codings. */
import { createHash } from 'node:crypto'
import {
  chooseCoding,
  CODED_BYTES_MIN,
  type Coding,
  compress,
  nameCoding,
  varyByCoding,
} from './content-coding.ts'
import { holdsTag } from './file-answer.ts'

/** Levels of the codings: bodies are coded once, as small as is worth the first client's wait. */
const LEVEL = { zstd: 12, gzip: 9 } as const

interface Body {
  bytes: Uint8Array<ArrayBuffer>
  etag: string
}

/** Read, tagged and compressed when it is first asked for. */
export class StaticAnswer {
  readonly #load: () => Promise<Uint8Array<ArrayBuffer>>
  readonly #headers: Readonly<Record<string, string>>
  #body: Promise<Body> | undefined
  readonly #coded = new Map<Coding, Promise<Uint8Array>>()

  /** `headers` name the type; one that is compressed already is not compressed again. */
  constructor(
    load: () => Promise<Uint8Array<ArrayBuffer>>,
    headers: Readonly<Record<string, string>>,
  ) {
    this.#load = load
    this.#headers = headers
  }

  /** 304 where the request has it by its tag. */
  async answer(request: Request): Promise<Response> {
    const { bytes, etag } = await (this.#body ??= this.#open())
    const headers = new Headers({ ...this.#headers, ETag: etag })
    if (this.#isCodable(bytes)) varyByCoding(headers)
    if (holdsTag(request.headers.get('if-none-match'), etag))
      return new Response(null, { status: 304, headers })
    const coding = this.#isCodable(bytes)
      ? chooseCoding(request.headers.get('accept-encoding'))
      : undefined
    if (coding === undefined) return new Response(bytes, { headers })
    let coded = this.#coded.get(coding)
    if (!coded) this.#coded.set(coding, (coded = compress(bytes, coding, LEVEL[coding])))
    nameCoding(headers, coding)
    return new Response((await coded) as Uint8Array<ArrayBuffer>, { headers })
  }

  #isCodable({ length }: Uint8Array): boolean {
    const isImage = (this.#headers['Content-Type'] ?? '').startsWith('image/')
    return !isImage && length >= CODED_BYTES_MIN
  }

  async #open(): Promise<Body> {
    const bytes = await this.#load()
    return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
  }
}
