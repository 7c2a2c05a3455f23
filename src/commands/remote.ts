/** A running server, asked by a command. */
import { UsageError } from './arguments.ts'
import { CommandFailure } from './output.ts'

/** A server, and who asks it. */
export interface Remote {
  url: string
  token: string
}

/** An answer of a server, or of something else at its address. */
interface RemoteAnswer {
  status: number
  data?: unknown
  plan?: unknown
  error?: string
}

/**
 * Posts JSON to a path of the server, such as `api/v1/svc/scripts`.
 * @throws CommandFailure where none answers
 */
export async function postToServer(
  { url, token }: Remote,
  path: string,
  body: string,
): Promise<RemoteAnswer> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
  const answer = await fetch(addressOf(url, path), { method: 'POST', headers, body }).catch(
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw new CommandFailure(`No server answers at ${url}: ${reason}`)
    },
  )
  return { status: answer.status, ...(await readEnvelope(answer)) }
}

function addressOf(url: string, path: string): URL {
  try {
    const base = new URL(url.endsWith('/') ? url : `${url}/`)
    if (base.protocol === 'http:' || base.protocol === 'https:') return new URL(path, base)
  } catch {
    // Said below.
  }
  throw new UsageError('--url takes an address such as http://127.0.0.1:8080')
}

async function readEnvelope(answer: Response): Promise<Omit<RemoteAnswer, 'status'>> {
  const body: unknown = await answer.json().catch(() => undefined)
  if (typeof body !== 'object' || body === null) return {}
  const error: unknown = Reflect.get(body, 'error')
  return {
    data: Reflect.get(body, 'data'),
    plan: Reflect.get(body, 'plan'),
    ...(typeof error === 'string' && { error }),
  }
}
