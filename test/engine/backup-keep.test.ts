/** `Svc:Backup:Keep`: which backups stay. */
import { expect, test } from 'bun:test'
import { keepRule, planRemovals } from '../../src/engine/backups/keep.ts'
import {
  findBackupBefore,
  isBeforeUpgrade,
  planName,
  planUpgradeName,
  readTime,
} from '../../src/engine/backups/names.ts'

const rule = (text: string) => {
  const parsed = keepRule('Svc:Backup:Keep', '', '1d').parse(text)
  if ('fault' in parsed) throw new Error(parsed.fault)
  return parsed.value
}

/** Backups of instants, in the order of a folder; `!` marks one that was rehearsed well. */
const backups = (...times: string[]) =>
  times.map((time) => {
    const at = new Date(`${time.replace('!', '').padEnd(13, 'T00')}:00:00Z`)
    return { name: time, at, isGood: time.endsWith('!'), isBeforeUpgrade: false }
  })

const ROWS: readonly [keep: string, has: string[], removed: string[]][] = [
  [
    '2d',
    ['2026-11-28T01', '2026-11-28T09', '2026-11-27T01', '2026-11-26T01'],
    ['2026-11-28T01', '2026-11-26T01'],
  ],
  ['1d', ['2026-11-28', '2026-11-01!', '2026-10-01!'], ['2026-10-01!']],
  ['1d', ['2026-11-01'], []],
  // Monday is the 23rd.
  [
    '1d 2w',
    ['2026-11-28', '2026-11-23', '2026-11-22', '2026-11-16', '2026-11-15'],
    ['2026-11-23', '2026-11-16', '2026-11-15'],
  ],
  [
    '1d 3m',
    ['2026-11-28', '2026-11-01', '2026-10-31', '2026-10-01', '2026-08-15', '2026-07-15'],
    ['2026-11-01', '2026-10-01', '2026-07-15'],
  ],
]

test.each(ROWS)('%s of %j removes %j', (keep, has, removed) => {
  for (const order of [has, has.toReversed()])
    expect(planRemovals(backups(...order), rule(keep)).toSorted()).toEqual(removed.toSorted())
})

test.each(['', 'forever', '7', '0d', '7d4w'])('"%s" is no rule', (text) => {
  expect(keepRule('Svc:Backup:Keep', '', '1d').parse(text)).toEqual({
    fault: 'must be days, weeks and months such as 7d 4w 12m',
  })
})

test('a name tells its time, and the last one before a time is found', () => {
  const now = new Date('2026-11-28T14:05:06.789Z')
  expect(planName(now, true)).toBe('backup-20261128T140506Z.tar.zst.age')
  expect(readTime(planName(now, false))).toEqual(new Date('2026-11-28T14:05:06Z'))
  const names = [
    'backup-20261127T000000Z.tar.zst',
    'backup-20261128T000000Z.tar.zst',
    'x',
    'backup-20269999T000000Z.tar.zst',
  ]
  const before = (time: string) => findBackupBefore(names, new Date(time))
  expect(before('2026-11-27T12:00:00Z')).toBe('backup-20261127T000000Z.tar.zst')
  expect(before('2026-12-01T12:00:00Z')).toBe('backup-20261128T000000Z.tar.zst')
  expect(before('2026-11-01T12:00:00Z')).toBeUndefined()
})

test('of backups before upgrades the newest stays, and the one that leads home', () => {
  const days = ['2026-11-28', '2026-11-27', '2026-11-26', '2026-11-25']
  const has = backups(...days).map((each) => ({
    ...each,
    name: `before-upgrade ${each.name}`,
    isBeforeUpgrade: true,
  }))
  const nightly = backups('2026-11-24!', '2026-11-23')
  const wayHome = 'before-upgrade 2026-11-25'
  expect(planRemovals([...has, ...nightly], rule('1d'), wayHome)).toEqual([
    '2026-11-23',
    'before-upgrade 2026-11-27',
    'before-upgrade 2026-11-26',
  ])
})

test('the name of a backup before an upgrade tells both versions and its time', () => {
  const now = new Date('2026-11-28T14:05:06.789Z')
  const name = planUpgradeName({ from: 'schema-21', to: '0.2.0-rc.1+b' }, now, true)
  expect(name).toBe('before-upgrade-schema-21-to-0.2.0-rc.1+b-20261128T140506Z.tar.zst.age')
  expect([isBeforeUpgrade(name), isBeforeUpgrade(planName(now, true))]).toEqual([true, false])
  expect(readTime(name)).toEqual(new Date('2026-11-28T14:05:06Z'))
  for (const other of ['before-upgrade-a-20261128T140506Z.tar.zst', `x${name}`, `${name}.json`])
    expect(readTime(other)).toBeUndefined()
})
