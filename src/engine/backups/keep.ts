/** Which backups are kept: `7d 4w 12m`, the last of each of so many days, weeks and months. */
import type { Setting } from '../../kernel/setting.ts'

const UNITS = ['d', 'w', 'm'] as const
type Unit = (typeof UNITS)[number]

/** How many days, weeks and months have their last backup kept. */
type KeepRule = Readonly<Record<Unit, number>>

const FORM = /^(\d{1,4})([dwm])$/
const EXPECTED = 'days, weeks and months such as 7d 4w 12m'

/** A setting of a rule. */
export const keepRule = (name: string, meaning: string, preset: string): Setting<KeepRule> => ({
  name,
  meaning,
  default: parse(preset) ?? { d: 0, w: 0, m: 0 },
  format: (rule) =>
    UNITS.flatMap((unit) => (rule[unit] > 0 ? [`${rule[unit]}${unit}`] : [])).join(' '),
  parse: (text) => {
    const value = parse(text)
    return value ? { value } : { fault: `must be ${EXPECTED}` }
  },
})

function parse(text: string): KeepRule | undefined {
  const rule = { d: 0, w: 0, m: 0 }
  for (const part of text.trim().split(/\s+/)) {
    const [, count, unit] = FORM.exec(part) ?? []
    if (unit === undefined) return undefined
    rule[unit as Unit] = Number(count)
  }
  return rule.d + rule.w + rule.m > 0 ? rule : undefined
}

/** A backup in its folder. */
export interface KeptBackup {
  name: string
  at: Date
  /** It was made and rehearsed well. */
  isGood: boolean
  /** It was made before an upgrade: it does not count among those of the schedule. */
  isBeforeUpgrade: boolean
}

/**
 * The names of backups that a rule does not keep. The newest one stays, and so does the last good
 * one, whatever the rule says; of those before upgrades the newest one, and `wayHome`, which takes
 * the last upgrade back.
 */
export function planRemovals(
  backups: readonly KeptBackup[],
  rule: KeepRule,
  wayHome?: string,
): string[] {
  const upgrades = backups.filter(({ isBeforeUpgrade }) => isBeforeUpgrade)
  const others = backups.filter(({ isBeforeUpgrade }) => !isBeforeUpgrade)
  const removals = [...planRemovalsOf(others, rule), ...planRemovalsOf(upgrades, rule)]
  return removals.filter((name) => name !== wayHome)
}

function planRemovalsOf(backups: readonly KeptBackup[], rule: KeepRule): string[] {
  const newest = backups.toSorted((a, b) => b.at.getTime() - a.at.getTime())
  const kept = new Set([newest[0], newest.find(({ isGood }) => isGood)])
  for (const unit of UNITS) {
    const seen = new Set<string>()
    for (const backup of newest) {
      const period = PERIODS[unit](backup.at)
      if (seen.has(period)) continue
      if (seen.size === rule[unit]) break
      seen.add(period)
      kept.add(backup)
    }
  }
  return newest.filter((backup) => !kept.has(backup)).map(({ name }) => name)
}

/** The names of the periods of an instant, in UTC; a week begins on Monday. */
const PERIODS: Readonly<Record<Unit, (at: Date) => string>> = {
  d: (at) => at.toISOString().slice(0, 10),
  w: (at) => {
    const monday = new Date(at)
    monday.setUTCDate(at.getUTCDate() - ((at.getUTCDay() + 6) % 7))
    return monday.toISOString().slice(0, 10)
  },
  m: (at) => at.toISOString().slice(0, 7),
}
