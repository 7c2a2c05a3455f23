/** Ways that a backup takes to another place: a command of the operator's, and S3. */
import type { Settings } from '../../kernel/settings.ts'
import { BACKUP } from '../../engine/backups/settings.ts'

interface Way {
  /** How it is named in logs: `rclone`, `S3`. */
  what: string
  /** Rejects with the reason where it does not get there. */
  take(backup: { name: string; file: string; signal: AbortSignal }): Promise<void>
}

/** The ways that the settings name, in their order. */
export function takeElsewhere(settings: Settings): Way[] {
  const [program, ...rest] = settings.get(BACKUP.command)
  const bucket = settings.get(BACKUP.s3Bucket)
  return [
    ...(program === undefined ? [] : [planCommand(program, rest)]),
    ...(bucket === '' ? [] : [planUpload(settings, bucket)]),
  ]
}

/** Characters of a command's complaints that its failure tells. */
const COMPLAINT_MAX = 500

/** No shell: a name cannot be more than a word of the command. */
const planCommand = (program: string, words: readonly string[]): Way => ({
  what: program,
  take: async ({ file, signal }) => {
    const cmd = [program, ...words.map((word) => word.replaceAll('{file}', file))]
    const child = Bun.spawn({ cmd, stdio: ['ignore', 'ignore', 'pipe'], signal })
    const [code, complaint] = await Promise.all([child.exited, new Response(child.stderr).text()])
    signal.throwIfAborted()
    if (code === 0) return
    throw new Error(`exit code ${code} ${complaint.trim().slice(-COMPLAINT_MAX)}`.trim())
  },
})

const planUpload = (settings: Settings, bucket: string): Way => ({
  what: 'S3',
  take: async ({ name, file }) => {
    const endpoint = settings.get(BACKUP.s3Endpoint)
    const client = new Bun.S3Client({
      bucket,
      region: settings.get(BACKUP.s3Region),
      accessKeyId: settings.get(BACKUP.s3KeyId),
      secretAccessKey: settings.get(BACKUP.s3Key),
      ...(endpoint !== '' && { endpoint }),
    })
    const key = settings.get(BACKUP.s3Prefix) + name
    const content = Bun.file(file)
    await client.write(key, content, { type: 'application/zstd' })
    const size = await client.size(key)
    if (size !== content.size) throw new Error(`${key} has ${size} of ${content.size} bytes there`)
  },
})
