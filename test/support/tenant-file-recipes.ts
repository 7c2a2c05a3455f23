/**
 * Recipes of the sweep for files by ids that are not the caller's. Which users may read a file
 * is `test/api/files/files-serve.test.ts`'s to show.
 */
import { sendForm } from './tenant-form.ts'
import type { Keys, Recipe } from './tenant-keys.ts'
import type { Call } from './tenant-world.ts'

const BASE = '/api/v1/svc/object'

const refused = (calls: (keys: Keys) => Call[]): Recipe => ({
  as: [['nobody', 'clerk'], ['system']],
  isRefused: true,
  calls,
})

const idOf = ({ id }: Keys): string => `01a20064-4dfb-766c-8a31-${String(id).padStart(12, '0')}`

const upload = (objectName: string, fieldName: string, text: string): Call =>
  sendForm(`${BASE}/upload`, { objectName, fieldName }, ['a.txt', text])

const BACKUPS = '/api/v1/svc/backups'
const BACKUP = `${BACKUPS}/backup-20261128T120000Z.tar.zst`

/** Backups hold every company: none of the people of the sweep may do anything with them. */
const ofBackups = (call: Call): Recipe => ({
  as: [['clerk', 'boss', 'nobody']],
  isRefused: true,
  calls: () => [call],
})

export const FILE_RECIPES: Readonly<Record<string, Recipe>> = {
  'GET /api/v1/svc/backups': ofBackups({ path: BACKUPS }),
  'POST /api/v1/svc/backups': ofBackups({ path: BACKUPS, body: {} }),
  'GET /api/v1/svc/backups/:name': ofBackups({ path: BACKUP }),
  'DELETE /api/v1/svc/backups/:name': ofBackups({ path: BACKUP, method: 'DELETE' }),
  'GET /files/:path': refused((keys) => [
    { path: `/files/${idOf(keys)}` },
    { path: `/files/${idOf(keys)}?AllCompanies=true` },
    { path: `/files/${keys.text}` },
  ]),
  'DELETE /api/v1/svc/object/upload/:uploadKey': refused((keys) => [
    { path: `${BASE}/upload/${idOf(keys)}`, method: 'DELETE' },
  ]),
  'POST /api/v1/svc/object/upload': refused(({ text }) => [
    upload('Clients', 'Name', text),
    upload('Clients', text, text),
    upload(text, 'Name', text),
  ]),
}
