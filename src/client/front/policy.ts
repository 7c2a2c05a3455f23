/**
 * The headers of the client's own files: nothing of another origin, no inline script or style, no
 * text as code. A test holds the page to them in a browser.
 */

/** The policy of the page; `styleHashes` are those of constant styles of its components. */
export const planPolicy = (styleHashes: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${["'self'", ...styleHashes].join(' ')}`,
    "font-src 'self'",
    "img-src 'self' blob:",
    "connect-src 'self'",
    "frame-src 'self' blob:",
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html vaadin worker',
  ].join('; ')

/** The policy of the service worker: it speaks to this server alone. */
export const WORKER_POLICY = "default-src 'none'; connect-src 'self'"

/** Headers of every file of the client. */
export const FILE_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
}
