/**
 * Names of backups in their folder: `backup-20261128T140000Z.tar.zst`, and of those that are made
 * before an upgrade `before-upgrade-0.1.0-to-0.2.0-20261128T140000Z.tar.zst`.
 */

/** The form of both, for a schema of routes. */
export const NAME_PATTERN =
  '^(?:backup|before-upgrade-[\\w.+-]+-to-[\\w.+-]+)-[0-9]{8}T[0-9]{6}Z\\.tar\\.zst(?:\\.age)?$'

const NAME = new RegExp(NAME_PATTERN)
const TIME = /-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar\.zst(?:\.age)?$/

/** The name of a backup that is made now. */
export const planName = (now: Date, isEncrypted: boolean): string =>
  `backup-${planEnd(now, isEncrypted)}`

/** The name of a backup that is made now, before an upgrade from one version to another. */
export const planUpgradeName = (
  { from, to }: { from: string; to: string },
  now: Date,
  isEncrypted: boolean,
): string => `${BEFORE_UPGRADE}${from}-to-${to}-${planEnd(now, isEncrypted)}`

const BEFORE_UPGRADE = 'before-upgrade-'

/** Checks that a backup was made before an upgrade. */
export const isBeforeUpgrade = (name: string): boolean => name.startsWith(BEFORE_UPGRADE)

function planEnd(now: Date, isEncrypted: boolean): string {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  return `${time}.tar.zst${isEncrypted ? '.age' : ''}`
}

/** The instant that a name of ours tells; undefined for any other name. */
export function readTime(name: string): Date | undefined {
  const [, ...parts] = (NAME.test(name) && TIME.exec(name)) || []
  if (parts.length === 0) return undefined
  const [year, month, day, hour, minute, second] = parts
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(time.getTime()) ? undefined : time
}

/** The latest backup among the names of a folder that is of a time or before. */
export const findBackupBefore = (names: readonly string[], time: Date): string | undefined =>
  names
    .flatMap((name) => {
      const at = readTime(name)
      return at && at <= time ? [{ name, at: at.getTime() }] : []
    })
    .toSorted((a, b) => b.at - a.at)[0]?.name
