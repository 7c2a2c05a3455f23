/** The parts that a file of extensions declares, learnt by running it in a process of its own. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { ExtensionFailed, ExtensionRun, type RunLimits } from './extension-run.ts'
import { DESCRIBE_MS_MAX } from './limits.ts'
import type { ExtensionFault, ExtensionPart } from './parts.ts'
import type { AppSettings } from './rpc-messages.ts'
import { HelperFault } from '../process/helper-process.ts'

/** Where extensions are in a data folder, and what their declarations are held to. */
interface DescribeOptions {
  folder: string
  /** The settings that `engine.setting` gives. */
  settings: AppSettings
  limits: RunLimits
  /** Aborts when the server closes. */
  signal: AbortSignal
}

/** Asks a file for the parts that it declares, or the fault that keeps it from that. */
export async function describeFile(
  name: string,
  { folder, settings, limits, signal }: DescribeOptions,
): Promise<readonly ExtensionPart[] | ExtensionFault> {
  const order = { do: 'describe', folder, file: join(folder, name) } as const
  const deadlineMs = Math.min(limits.deadlineMs, DESCRIBE_MS_MAX)
  await using run = new ExtensionRun(order, { ...limits, deadlineMs, settings, signal })
  try {
    const outcome = await run.finish()
    return 'parts' in outcome ? outcome.parts : []
  } catch (error) {
    if (error instanceof ExtensionFailed) return error.fault
    if (error instanceof HelperFault) return faultOf(name, reportEnd(error))
    throw error
  }
}

/** A fault of a whole file. */
export const faultOf = (name: string, message: string): ExtensionFault => ({
  File: name,
  Line: null,
  Message: message,
})

function reportEnd({ end, message }: HelperFault): string {
  if (end === 'deadline') return 'It did not declare its parts in time'
  if (end === 'memory') return 'It takes too much memory to declare its parts'
  return `Its process ended: ${message}`
}

/** Seconds after which a folder that could not be read is worth another try. */
const RETRY_SECONDS = 5

/** TypeScript files of the folder itself, by name: those beneath it are for them to import. */
export async function listExtensionFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return []
    throw new Failure('unavailable', say`The extensions folder cannot be read`, {
      cause,
      headers: { 'Retry-After': String(RETRY_SECONDS) },
    })
  })
  return entries
    .filter((entry) => !entry.isDirectory() && /\.ts$/.test(entry.name))
    .map(({ name }) => name)
    .filter((name) => !/\.(?:d|test)\.ts$/.test(name))
    .sort()
}

/** The resources that parts bring, on which roles get rights to them. */
export const listResources = (parts: Iterable<ExtensionPart>): Set<string> =>
  new Set([...parts].flatMap((part) => ('Resource' in part ? [part.Resource] : [])))
