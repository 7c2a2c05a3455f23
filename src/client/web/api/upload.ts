/** Forms with large files: sent with progress, and again under their key as all else. */
import { ServerError } from './server-error.ts'
import { send, takeAnswer } from './wire.ts'

/** How a form is sent. */
interface UploadOptions {
  /** Its Idempotency-Key; none for a form that only asks. */
  key?: string
  signal: AbortSignal
  /** Takes the bytes that have left and those of the whole form. */
  onProgress(sent: number, total: number): void
}

/** Pause before a form is sent again whose first sending the server is still at. */
const IN_FLIGHT_MS = 2000

/**
 * Sends a form and resolves to the data of its answer. A form that the server is still at is sent
 * again until it is done. @throws ServerError; the signal's reason once it is aborted
 */
export async function uploadForm(
  path: string,
  form: FormData,
  { key, signal, onProgress }: UploadOptions,
): Promise<unknown> {
  const headers = key === undefined ? undefined : { 'Idempotency-Key': key }
  for (;;) {
    const request = new Request(new URL(path, location.origin), { method: 'POST', signal, headers })
    try {
      return await takeAnswer(await send(request, (each) => deliver(each, form, onProgress)))
    } catch (thrown) {
      const isBusy =
        thrown instanceof ServerError && thrown.refusal.code === 'IDEMPOTENCY_IN_FLIGHT'
      if (!isBusy) throw thrown
    }
    await new Promise((resolve) => setTimeout(resolve, IN_FLIGHT_MS))
    signal.throwIfAborted()
  }
}

/** `fetch` does not say how far a body is: an older way of the browser does. */
const deliver = (
  { method, url, headers, signal }: Request,
  form: FormData,
  onProgress: UploadOptions['onProgress'],
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const call = new XMLHttpRequest()
    call.open(method, url)
    headers.forEach((value, name) => call.setRequestHeader(name, value))
    call.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total)
    call.onload = () => resolve(toResponse(call))
    call.onerror = () => reject(new TypeError('Network request failed'))
    call.onabort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', () => call.abort())
    call.send(form)
  })

function toResponse(call: XMLHttpRequest): Response {
  const headers = new Headers()
  for (const line of call.getAllResponseHeaders().trim().split('\r\n')) {
    const at = line.indexOf(':')
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim())
  }
  return new Response(call.responseText, { status: call.status, headers })
}
