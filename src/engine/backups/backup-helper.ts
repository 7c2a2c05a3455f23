/**
 * Backups and rehearsals beside a serving process, which may not open its own databases a second
 * time: in a helper, told by messages.
 */
import { dirname, join } from 'node:path'
import type { StoreLimits } from '../../store/limits.ts'
import { makeBackup, type TellProgress } from './make-backup.ts'
import { type BackupManifest, UnusableBackup } from './manifest.ts'
import { rebuildFolder } from './restore.ts'
import { openWorkFolder } from './work-folder.ts'
import type { HelperPort } from '../process/helper-port.ts'
import { HelperFault, spawnHelper } from '../process/helper-process.ts'

/** A backup to be made, or one to be restored into a folder that is thrown away. */
export type BackupOrder = { limits: StoreLimits; passphrase: string | undefined } & (
  | { what: 'make'; folder: string; target: string; secrets: readonly string[]; engine: string }
  | { what: 'rehearse'; file: string }
)

/** Facts of a backup that was made or rehearsed. */
export interface BackupFacts extends Pick<BackupManifest, 'CreatedAt' | 'Engine' | 'Missing'> {
  Files: number
  /** Bytes of the files. */
  ContentBytes: number
  /** Bytes by which the log grew meanwhile; 0 of a rehearsal. */
  LogGrowth: number
}

type Message = { progress: [number, number] } | { done: BackupFacts } | { refused: string }

/** Far more than it takes: a helper beyond that is not what it should be. */
const MEMORY_BYTES_MAX = 1024 ** 3

/**
 * Does the order in a helper, which ends with the signal.
 * @throws UnusableBackup with the reason, for operators
 */
export async function runBackupHelper(
  order: BackupOrder,
  { signal, tell }: { signal: AbortSignal; tell: TellProgress },
): Promise<BackupFacts> {
  await using helper = spawnHelper('back-up', { memoryBytesMax: MEMORY_BYTES_MAX, signal })
  try {
    await helper.send(order)
    for await (const body of helper.messages()) {
      // The helper is this build itself: its messages can be trusted.
      const message = body as Message
      if ('refused' in message) throw new UnusableBackup(message.refused)
      if ('done' in message) return message.done
      tell(...message.progress)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof HelperFault ? stopped(error) : error
  }
  throw stopped()
}

const stopped = (cause?: unknown): UnusableBackup =>
  new UnusableBackup('The process that makes backups stopped unexpectedly.', { cause })

/** The inside of the helper. */
export async function backUpForParent(port: HelperPort): Promise<void> {
  for await (const message of port.messages()) {
    // The process that started this one is the same build.
    return port.send(await answer(message as BackupOrder, port))
  }
}

async function answer(order: BackupOrder, port: HelperPort): Promise<Message> {
  let told = -1
  let sent: Promise<void> = Promise.resolve()
  const tell: TellProgress = (done, total) => {
    const percent = Math.floor((done * 100) / Math.max(total, 1))
    if (percent === told) return
    told = percent
    sent = sent.then(() => port.send({ progress: [done, total] }))
  }
  try {
    const facts = order.what === 'make' ? await make(order, tell) : await rehearse(order, tell)
    await sent
    return { done: facts }
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) }
  }
}

async function make(
  { folder, target, passphrase, secrets, engine, limits }: Extract<BackupOrder, { what: 'make' }>,
  tell: TellProgress,
): Promise<BackupFacts> {
  const now = (): Date => new Date()
  const options = { folder, target, passphrase, secrets, engine, limits, now, tell }
  const { manifest, logGrowth } = await makeBackup(options)
  return toFacts(manifest, logGrowth)
}

/** Restores a backup beside itself, whole and opened, and throws the folder away. */
async function rehearse(
  { file, passphrase, limits }: Extract<BackupOrder, { what: 'rehearse' }>,
  tell: TellProgress,
): Promise<BackupFacts> {
  await using work = await openWorkFolder(join(dirname(file), '.rehearsal'))
  const warn = (): void => {}
  const now = (): Date => new Date()
  return toFacts(await rebuildFolder(work.path, { file, passphrase, limits, now, warn, tell }), 0)
}

const toFacts = (
  { CreatedAt, Engine, Missing, Entries, Bytes }: BackupManifest,
  LogGrowth: number,
): BackupFacts => ({ CreatedAt, Engine, Missing, Files: Entries, ContentBytes: Bytes, LogGrowth })
