/** Names of backups in their folder: `backup-20261128T140000Z.tar.zst`. */

const NAME = /^backup-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar\.zst(?:\.age)?$/

/** The name of a backup that is made now. */
export function planName(now: Date, isEncrypted: boolean): string {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  return `backup-${time}.tar.zst${isEncrypted ? '.age' : ''}`
}

/** The instant that a name of ours tells; undefined for any other name. */
export function readTime(name: string): Date | undefined {
  const [, ...parts] = NAME.exec(name) ?? []
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
