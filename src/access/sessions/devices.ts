/** The clients that users sign in with, to tell them of one that is new. */
import { createHash } from 'node:crypto'
import { allRows, upsertRow } from '../../store/rows.ts'
import type { Store, Tx } from '../../store/store.ts'
import { OF_NO_COMPANY } from './state-rows.ts'
import { devices } from '../state-db.ts'

/** Clients that are known of a user; the one that was away longest is forgotten first. */
const DEVICES_MAX = 50

/** Longer names of clients are compared by their beginnings. */
const CLIENT_CHARACTERS_MAX = 200

/** A client is the first that the user ever signed in with, a known one, or another one. */
type Familiarity = 'first' | 'known' | 'new'

/** Notes down that a user signed in with a client (its User-Agent). */
export async function noteDevice(
  state: Store,
  userId: number,
  client: string | undefined,
  now: Date,
): Promise<Familiarity> {
  const device = { UserId: userId, Fingerprint: toFingerprint(client) }
  const at = now.toISOString()
  return state.write(async (tx) => {
    const known = await loadKnown(tx, userId)
    await upsertRow(
      tx,
      devices,
      { ...device, FirstSeenAt: at, LastSeenAt: at },
      'ON CONFLICT (UserId, Fingerprint) DO UPDATE SET LastSeenAt = excluded.LastSeenAt',
    )
    if (known.includes(device.Fingerprint)) return 'known'
    await forget(tx, userId, known.slice(0, Math.max(0, known.length - DEVICES_MAX + 1)))
    return known.length === 0 ? 'first' : 'new'
  }, OF_NO_COMPANY)
}

/** Returns a client's name without its versions: a browser that was updated is the same. */
const toFingerprint = (client = ''): string =>
  createHash('sha256')
    .update(
      client
        .slice(0, CLIENT_CHARACTERS_MAX)
        .toLowerCase()
        .replace(/[\d._]+/g, '#'),
    )
    .digest('base64url')

/** Fingerprints of a user's clients, the one that was away longest first. */
async function loadKnown(tx: Tx, userId: number): Promise<string[]> {
  const rows = await allRows(tx, devices, 'WHERE UserId = @userId ORDER BY LastSeenAt', { userId })
  return rows.map(({ Fingerprint }) => Fingerprint)
}

const FORGET = `DELETE FROM svc_devices WHERE UserId = @userId
  AND Fingerprint IN (SELECT value FROM json_each(@fingerprints))`

async function forget(tx: Tx, userId: number, fingerprints: readonly string[]): Promise<void> {
  if (fingerprints.length === 0) return
  await tx.run(FORGET, { userId, fingerprints: JSON.stringify(fingerprints) })
}
