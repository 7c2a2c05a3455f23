/** Successful answers in the specification's envelope. */

/**
 * The success envelope around a value; Elysia turns it into JSON by the route's response schema.
 */
export const ok = <T>(data: T): { success: true; data: T } => ({ success: true, data })

/** Made once, with what every answer gets anyway: copying them is cheaper than setting them. */
const JSON_INIT = {
  headers: new Headers({
    'Content-Type': 'application/json',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  }),
}

/**
 * The success envelope around text that is JSON already, as it came from SQL. It is neither checked
 * nor trimmed by a response schema: the plan's column list is the allow-list (architecture, Store).
 */
export const okText = (json: string): Response =>
  new Response('{"success":true,"data":' + json + '}', JSON_INIT)
