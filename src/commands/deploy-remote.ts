/** `appengine deploy --url`: the same deploy, into a running server. */
import { Value } from '@sinclair/typebox/value'
import { DeployResult } from '../features/scripts/schema.ts'
import type { Deployment } from '../model/deploy.ts'
import type { DeployOptions } from '../model/deploy-plan.ts'
import { fromWirePlan } from '../model/deploy-report.ts'
import type { ModelFile } from '../model/parse.ts'
import { UsageError } from './arguments.ts'
import { CommandFailure } from './output.ts'

const PATH = 'api/v1/svc/scripts'

/** A server, and who deploys into it. */
export interface Remote {
  url: string
  token: string
}

/**
 * Sends the files and gives what the server made of them, faults and losses included.
 * @throws CommandFailure with the server's own sentence for every other refusal.
 */
export async function deployRemote(
  { url, token }: Remote,
  files: readonly ModelFile[],
  options: DeployOptions,
): Promise<Deployment> {
  const body = JSON.stringify({
    Files: files.map((file) => ({ FileName: file.name, Body: file.body })),
    DryRun: options.dryRun,
    AllowDataLoss: options.allowDataLoss,
    Prune: options.prune,
    Overwrite: options.overwrite,
  })
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
  const answer = await fetch(addressOf(url), { method: 'POST', headers, body }).catch(
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw new CommandFailure(`No server answers at ${url}: ${reason}`)
    },
  )
  const { data, plan, error } = await readEnvelope(answer)
  const told = data ?? plan
  if (Value.Check(DeployResult, told)) return fromWirePlan(told)
  throw new CommandFailure(error ?? `${url} is no server of this kind (status ${answer.status})`)
}

function addressOf(url: string): URL {
  try {
    const base = new URL(url.endsWith('/') ? url : `${url}/`)
    if (base.protocol === 'http:' || base.protocol === 'https:') return new URL(PATH, base)
  } catch {
    // Said below.
  }
  throw new UsageError('--url takes an address such as http://127.0.0.1:8080')
}

interface Envelope {
  data?: unknown
  plan?: unknown
  error?: string
}

async function readEnvelope(answer: Response): Promise<Envelope> {
  const body: unknown = await answer.json().catch(() => undefined)
  if (typeof body !== 'object' || body === null) return {}
  const error: unknown = Reflect.get(body, 'error')
  return {
    data: Reflect.get(body, 'data'),
    plan: Reflect.get(body, 'plan'),
    ...(typeof error === 'string' && { error }),
  }
}
