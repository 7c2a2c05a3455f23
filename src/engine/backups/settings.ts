/** `Svc:Backup:*`. */
import { readFileSync } from 'node:fs'
import { findCronFault } from '../../kernel/cron.ts'
import { boolean, type Setting, text } from '../../kernel/setting.ts'
import type { Settings } from '../../kernel/settings.ts'
import { keepRule } from './keep.ts'
import { UnusableBackup } from './manifest.ts'

/** A command as its words: `["rclone", "copy", "{file}", "remote:erp"]`, or with commas between. */
const words = (name: string, meaning: string): Setting<readonly string[]> => ({
  name,
  meaning,
  default: [],
  format: (argv) => (argv.length === 0 ? '' : JSON.stringify(argv)),
  parse: (given) => {
    const argv = given.trim().startsWith('[') ? readJson(given) : given.split(',')
    const isCommand = argv?.every((word) => typeof word === 'string') === true && argv[0] !== ''
    return isCommand
      ? { value: argv.map((word) => word.trim()) }
      : { fault: 'must be the words of a command, with commas between them or as JSON' }
  },
})

function readJson(given: string): string[] | undefined {
  try {
    const json: unknown = JSON.parse(given)
    return Array.isArray(json) && json.length > 0 ? (json as string[]) : undefined
  } catch {
    return undefined
  }
}

const schedule: Setting<string> = {
  ...text('Svc:Backup:Schedule', 'When backups are made: minute hour day month weekday', ''),
  parse: (given) => {
    const cron = given.trim()
    const fault = cron === '' ? undefined : findCronFault({ cron, timeZone: 'UTC' })
    return fault === undefined ? { value: cron } : { fault: `must be a cron time: ${fault}` }
  },
}

export const BACKUP = {
  schedule,
  folder: text(
    'Svc:Backup:Folder',
    'Where backups lie, best on another disk; a relative path is of the data folder',
    'backups',
  ),
  keep: keepRule(
    'Svc:Backup:Keep',
    'The last backups of so many days, weeks and months; never goes the last good one',
    '7d 4w 12m',
  ),
  beforeUpgrade: boolean(
    'Svc:Backup:BeforeUpgrade',
    'A backup before the tables of an older version are brought up to date; without it no way back',
    true,
  ),
  passphraseFile: text(
    'Svc:Backup:PassphraseFile',
    'File with the passphrase that backups are encrypted with; none leaves them open',
    '',
  ),
  // Named by what it is for operators, who read "then".
  command: words(
    'Svc:Backup:Then',
    'Command that takes each backup elsewhere, run without a shell; {file} is its path',
  ),
  s3Endpoint: text('Svc:Backup:S3:Endpoint', 'Address of an S3 server that gets each backup', '', {
    pattern: /^https?:\/\/\S+$/,
    expected: 'an address such as https://s3.example.com',
  }),
  s3Bucket: text('Svc:Backup:S3:Bucket', 'The bucket; without one nothing goes to S3', ''),
  s3Prefix: text('Svc:Backup:S3:Prefix', 'Begins the names there, such as erp/', ''),
  s3Region: text('Svc:Backup:S3:Region', 'The region of the bucket', 'us-east-1'),
  s3KeyId: text('Svc:Backup:S3:AccessKeyId', 'Access key of that server', ''),
  s3Key: {
    ...text('Svc:Backup:S3:SecretAccessKey', 'Secret of that access key', ''),
    isSecret: true,
  },
}

/**
 * The passphrase in the file that the settings name, so that no secret stands among them; undefined
 * where backups are not encrypted.
 * @throws UnusableBackup for an empty file
 */
export function readBackupPassphrase(settings: Settings): string | undefined {
  const path = settings.get(BACKUP.passphraseFile)
  if (path === '') return undefined
  const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  if (text === '') throw new UnusableBackup(`${path} is empty: it must hold the passphrase.`)
  return text
}
