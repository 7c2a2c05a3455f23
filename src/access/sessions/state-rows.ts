/** Shared parts of rows in `state.db`: secrets known by their hash, and expiry. */
import { createHash } from 'node:crypto'
import { systemScope, type Tx } from '../../store/store.ts'

/** Any company: rows of `state.db` belong to none. */
export const OF_NO_COMPANY = systemScope('what state.db holds belongs to no company')

/** Only the SHA-256 of a secret is stored: who reads the file cannot use it. */
export const hashSecret = (secret: string): string =>
  createHash('sha256').update(secret).digest('base64url')

const SWEPT_ROWS = 4

/** The key of each table, and by which column its rows are over. */
const EXPIRING = {
  svc_sessions: { key: 'Id', at: 'ExpiresAt' },
  svc_refresh_tokens: { key: 'Hash', at: 'ExpiresAt' },
  svc_mfa_challenges: { key: 'Hash', at: 'ExpiresAt' },
  svc_password_resets: { key: 'Hash', at: 'ExpiresAt' },
  svc_throttles: { key: 'Subject', at: 'WindowStart' },
} as const

/**
 * Deletes some of the rows that were over before an instant. Each write adds fewer than it deletes
 * at most, so that a few a write always keep up.
 */
export async function deleteExpired(
  tx: Tx,
  table: keyof typeof EXPIRING,
  before: string,
): Promise<void> {
  const { key, at } = EXPIRING[table]
  const over = `SELECT ${key} FROM ${table} WHERE ${at} < @before LIMIT ${SWEPT_ROWS}`
  await tx.run(`DELETE FROM ${table} WHERE ${key} IN (${over})`, { before })
}
