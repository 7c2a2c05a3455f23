/** Settings that users keep for themselves: JSON values by key. */
import { tooLarge } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { upsertRow } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { userSettings } from './engine-db.ts'

const KB = 1024

/** Most kilobytes of one value, as JSON in UTF-8. */
export const VALUE_KB_MAX = 64

/** Most kilobytes of all keys and values of a user. */
export const ALL_KB_MAX = 1024

/** Most keys of a user: each costs a row, however short its value is. */
export const KEYS_MAX = 1000

const ALL = `SELECT Key, Value FROM svc_user_settings WHERE UserId = @userId ORDER BY Key`

/** Loads all settings of a user as the text of one JSON object, by key. */
export async function loadSettingsOf(reader: Reader, userId: number): Promise<string> {
  const rows = await reader.all(ALL, { userId })
  const members = rows.map(({ Key, Value }) => `${JSON.stringify(Key)}:${String(Value)}`)
  return `{${members.join(',')}}`
}

const USED = `SELECT count(*) AS Keys, coalesce(sum(Bytes), 0) AS Bytes FROM svc_user_settings
  WHERE UserId = @userId`

/**
 * Saves one setting in place of a former one. @throws tooLarge (413) for a value over
 * `VALUE_KB_MAX`, and where the user would have more than `KEYS_MAX` keys or `ALL_KB_MAX` in all.
 */
export async function saveSetting(
  tx: Tx,
  userId: number,
  { key, value }: { key: string; value: unknown },
): Promise<void> {
  const text = JSON.stringify(value)
  if (Buffer.byteLength(text) > VALUE_KB_MAX * KB)
    throw tooLarge(say`The value of a setting can have at most ${VALUE_KB_MAX} KB`)
  const row = { UserId: userId, Key: key, Value: text, Bytes: Buffer.byteLength(key + text) }
  const onConflict = 'ON CONFLICT DO UPDATE SET Value = excluded.Value, Bytes = excluded.Bytes'
  await upsertRow(tx, userSettings, row, onConflict)
  const used = await tx.get(USED, { userId })
  if (Number(used?.Keys) > KEYS_MAX)
    throw tooLarge(say`You can keep at most ${KEYS_MAX} settings. Clear some of them first.`)
  if (Number(used?.Bytes) > ALL_KB_MAX * KB)
    throw tooLarge(
      say`Your settings can have at most ${ALL_KB_MAX} KB together. Clear some of them first.`,
    )
}

/** Deletes one setting, if it is there. */
export async function clearSetting(tx: Tx, userId: number, key: string): Promise<void> {
  const one = 'DELETE FROM svc_user_settings WHERE UserId = @userId AND Key = @key'
  await tx.run(one, { userId, key })
}
