/**
 * The service worker as pages know it: they hand it their token for a request of a file, and are
 * told which notification to open. Without https there is none, but on one's own machine.
 */
import { findToken } from './tokens.ts'

const ADDRESS = '/worker.js'

interface ScriptPolicy {
  createScriptURL(address: string): string
}

interface Browser {
  trustedTypes?: { createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy }
}

/** The worker's registrations of this browser; undefined where there can be none. */
const container = (): ServiceWorkerContainer | undefined =>
  'serviceWorker' in navigator ? navigator.serviceWorker : undefined

/** True where a worker answers the requests of this page: it adds the token to those of files. */
export const hasWorker = (): boolean => container()?.controller != null

/** Answers the worker, and has `open` open a notification; returns what ends it. */
export function answerWorker(open: (seq: number) => void): () => void {
  const hear = ({ data, ports }: MessageEvent<unknown>): void => {
    if (typeof data !== 'object' || data === null) return
    if ('open' in data && typeof data.open === 'number') open(data.open)
    if ('ask' in data)
      findToken().then(
        (token) => ports[0]?.postMessage(token),
        () => ports[0]?.postMessage(undefined),
      )
  }
  container()?.addEventListener('message', hear)
  return () => container()?.removeEventListener('message', hear)
}

let registered: Promise<ServiceWorkerRegistration | undefined> | undefined

/** Registers the worker; undefined where there can be none. */
export function startWorker(): Promise<ServiceWorkerRegistration | undefined> {
  registered ??= register()
  return registered
}

async function register(): Promise<ServiceWorkerRegistration | undefined> {
  const policy = (globalThis as Browser).trustedTypes?.createPolicy('worker', {
    createScriptURL: () => ADDRESS,
  })
  try {
    await container()?.register(policy?.createScriptURL('') ?? ADDRESS)
    return await container()?.ready
  } catch {
    // A browser may refuse workers, as in private windows: pictures come without one.
    return undefined
  }
}
