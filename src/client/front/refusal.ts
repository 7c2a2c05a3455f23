/** Refusals of the client's process itself: envelopes like the engine's, in the user's language. */
import { pickLanguage } from '../../kernel/languages.ts'

interface RefusalFacts {
  status: number
  headers?: Readonly<Record<string, string>>
  /** The sentence by language. */
  texts: Readonly<Record<'en' | 'de', string>>
}

const REFUSALS = {
  SERVER_UNREACHABLE: {
    status: 503,
    // The time that a restart takes: what may be asked twice is asked again.
    headers: { 'Retry-After': '2' },
    texts: {
      en: 'The server cannot be reached. It may be starting; try again in a moment',
      de:
        'Der Server ist nicht erreichbar. Vielleicht startet er gerade; bitte versuchen Sie es ' +
        'gleich noch einmal',
    },
  },
  BODY_TOO_LARGE: {
    status: 413,
    headers: { Connection: 'close' },
    texts: { en: 'The request is too large', de: 'Die Anfrage ist zu groß' },
  },
  UPGRADE_INVALID: {
    status: 400,
    texts: { en: 'This is not a WebSocket handshake', de: 'Das ist kein WebSocket-Handshake' },
  },
  HOST_INVALID: {
    status: 400,
    texts: {
      en: 'The Host header must name one valid host',
      de: 'Der Header Host muss genau einen gültigen Host nennen',
    },
  },
  INTERNAL: {
    status: 500,
    texts: {
      en: 'The server could not complete this',
      de: 'Der Server konnte das nicht ausführen',
    },
  },
} as const satisfies Readonly<Record<string, RefusalFacts>>

/** A refusal as clients tell it from others. */
type RefusalCode = keyof typeof REFUSALS

/** Refuses a request, in English where none is named; `reason` is for those who look into it. */
export function refuse(request: Request | undefined, code: RefusalCode, reason?: string): Response {
  const { status, headers, texts }: RefusalFacts = REFUSALS[code]
  const named = request?.headers.get('accept-language') ?? null
  const wanted = pickLanguage(named, Object.keys(texts), 'en')
  const error = wanted === 'de' ? texts.de : texts.en
  const body = { success: false, error, code, ...(reason !== undefined && { reason }) }
  return Response.json(body, {
    status,
    headers: { ...headers, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' },
  })
}
