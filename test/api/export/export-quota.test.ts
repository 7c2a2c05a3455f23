/** The limit of one user's files, in the list of exports and on the disk. */
import { expect, test } from 'bun:test'
import { readdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import {
  DISK_RESERVE_BYTES,
  requireRoom,
  reserveRoom,
} from '../../../src/engine/files/disk-reserve.ts'
import type { TestApp } from '../../support/app.ts'
import { TestClock } from '../../support/identity.ts'
import { type Imports, startImports } from '../../support/imports.ts'

const MINUTE_MS = 60_000

const exportLands = (app: Imports, as: string) =>
  app.call<{ File: { Url: string } }>(as, '/export-data', { ObjectName: 'Lands' })

const listFiles = ({ folder }: TestApp): string[] => readdirSync(join(folder, 'exports'))

test('a user has so many exported files, until they expire; others have theirs', async () => {
  const clock = new TestClock()
  const settings = { 'Svc:Exports:UserFiles': '2', 'Svc:Exports:Retention': '1m' }
  await using app = await startImports({ clock, settings })
  for (let nth = 0; nth < 2; nth++) expect((await exportLands(app, 'clerk')).status).toBe(200)
  const told = await exportLands(app, 'clerk')
  expect([told.status, told.body.error, told.headers.get('Retry-After')]).toEqual([
    429,
    'You have reached the limit of 2 exported files (Svc:Exports:UserFiles)',
    '60',
  ])
  expect((await exportLands(app, 'other')).status).toBe(200)
  expect(listFiles(app.app)).toHaveLength(3)
  clock.pass(MINUTE_MS)
  expect((await exportLands(app, 'clerk')).status).toBe(200)
  // The expired ones of this user went first; those of others wait for the sweep.
  expect(listFiles(app.app)).toHaveLength(2)
})

test('so many at the same moment are no more than one after the other', async () => {
  await using app = await startImports({ settings: { 'Svc:Exports:UserFiles': '3' } })
  const answers = await Promise.all(Array.from({ length: 8 }, () => exportLands(app, 'clerk')))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
  expect(listFiles(app.app)).toHaveLength(3)
})

test('a file that takes more bytes than are left is refused, and nothing of it stays', async () => {
  await using app = await startImports({ settings: { 'Svc:Exports:UserQuota': '1200' } })
  const rows = Array.from({ length: 20 }, (_, at) => `X${at},${'long'.repeat(6)}${at}`)
  await app.take('clerk', { objectName: 'Lands', file: `Code,Name\n${rows.join('\n')}\n` })
  expect((await exportLands(app, 'clerk')).status).toBe(200)
  const told = await exportLands(app, 'clerk')
  expect([told.status, told.body.error]).toEqual([
    429,
    'Your exported files are limited to 1 KB (Svc:Exports:UserQuota)',
  ])
  expect(listFiles(app.app)).toHaveLength(1)
})

test('an identical template is told again in place of making another', async () => {
  await using app = await startImports()
  const template = async (as: string, format: string) => {
    const path = `/People/import-template?format=${format}`
    return (await app.call<{ File: { Url: string } }>(as, path)).body.data.File.Url
  }
  for (const format of ['xlsx', 'csv']) {
    const first = await template('clerk', format)
    expect(await template('clerk', format)).toBe(first)
    expect(await template('narrow', format)).not.toBe(first)
    expect((await app.app.fetch(first, { as: 'clerk' })).status).toBe(200)
  }
  expect(listFiles(app.app)).toHaveLength(4)
})

test('what is on its way to the disk counts beside what is there', async () => {
  await using app = await startImports()
  const { folder } = app.app
  const { bavail, bsize } = statfsSync(folder)
  const left = bavail * bsize - DISK_RESERVE_BYTES
  const room = await reserveRoom(folder, Math.floor(left * 0.9))
  const more = Math.floor(left * 0.5)
  await expect(requireRoom(folder, more)).rejects.toMatchObject({ kind: 'unavailable' })
  room[Symbol.dispose]()
  await requireRoom(folder, more)
})
