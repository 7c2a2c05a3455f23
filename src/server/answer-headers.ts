/** Headers of every answer, and the draining of refused bodies. */
import type { RequestFacts } from './session.ts'

/** Sets the headers that every answer has. */
export function putHeaders(
  { traceId, isLanguageNamed, language }: RequestFacts,
  headers: Headers,
): void {
  headers.set('X-Trace-Id', traceId)
  if (!headers.has('X-Content-Type-Options')) headers.set('X-Content-Type-Options', 'nosniff')
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
  if (!isLanguageNamed || language === undefined) return
  headers.set('Content-Language', language)
  headers.append('Vary', 'Accept-Language')
}

/** A refusal that came before the body was read: the rest of it is not worth waiting for. */
export const leavesBody = ({ headers }: Request, status: number): boolean =>
  status === 413 ||
  ((status === 401 || status === 503 || MULTIPART_TYPE.test(headers.get('content-type') ?? '')) &&
    (headers.has('transfer-encoding') ||
      Number(headers.get('content-length') ?? 0) > DRAINED_BYTES_MAX))

/** Media types of forms, which may be refused long before their end. */
const MULTIPART_TYPE = /^multipart\//i

/** Bytes of a refused body that are read to keep the connection. */
const DRAINED_BYTES_MAX = 64 * 1024

/** Ends the body of an answer that is not sent: a file that it would have read is closed. */
export const dropBody = async ({ body }: Response): Promise<void> => body?.cancel()
