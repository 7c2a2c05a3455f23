/**
 * Records that the user had open last, in this company. They are kept at the server, as a browser
 * may be another user's tomorrow.
 */
import { signal } from '@preact/signals'
import { type Schemas, take, wire } from '../api/wire.ts'
import { isOwnLink } from './link.ts'
import { user } from './session.ts'

/** A record that was open. */
interface RecentRecord {
  /** Such as `/object/orders/400`. */
  address: string
  title: string
  /** The label of its object. */
  label: string
}

const KEPT_MAX = 12
/** The time without another record after which the list is saved. */
const SAVE_MS = 3000

/** The records, the last one first. */
export const recentRecords = signal<readonly RecentRecord[]>([])

/** The user and the company that the list is of. */
let owner = ''
let isLoaded = false
let timer: ReturnType<typeof setTimeout> | undefined

/** The owner of now; the list of another one is forgotten. */
function takeOwner(): Schemas['CallerUser'] | undefined {
  const now = user.peek()
  if (typeof now !== 'object') return undefined
  const name = `${now.Id} ${now.Company.Id}`
  if (name !== owner) {
    owner = name
    isLoaded = false
    recentRecords.value = []
  }
  return now
}

const settingOf = ({ Company }: Schemas['CallerUser']): string => `recent:${Company.Id}`

/** Loads the list, once a user. @throws ServerError */
export async function loadRecentRecords(): Promise<void> {
  const now = takeOwner()
  if (!now || isLoaded) return
  const settings = await take(wire.GET('/api/v1/svc/settings/me'))
  if (takeOwner() !== now) return
  isLoaded = true
  recentRecords.value = joinRecords(recentRecords.peek(), readRecords(settings[settingOf(now)]))
}

const joinRecords = (
  newer: readonly RecentRecord[],
  older: readonly RecentRecord[],
): RecentRecord[] =>
  [
    ...newer,
    ...older.filter((each) => newer.every(({ address }) => address !== each.address)),
  ].slice(0, KEPT_MAX)

const isRecord = (value: unknown): value is RecentRecord =>
  typeof value === 'object' &&
  value !== null &&
  ['address', 'title', 'label'].every((name) => typeof Reflect.get(value, name) === 'string') &&
  isOwnLink((value as RecentRecord).address)

const readRecords = (value: unknown): RecentRecord[] =>
  Array.isArray(value) ? value.filter(isRecord) : []

/** Notes a record that is open now. */
export function noteRecord(record: RecentRecord): void {
  if (!takeOwner()) return
  recentRecords.value = joinRecords([record], recentRecords.peek())
  saveLater()
}

/** Forgets a record that is no longer there. */
export function forgetRecord(address: string): void {
  if (recentRecords.peek().every((each) => each.address !== address)) return
  recentRecords.value = recentRecords.peek().filter((each) => each.address !== address)
  saveLater()
}

function saveLater(): void {
  clearTimeout(timer)
  // A list that is not saved is no loss that a user has to be told of.
  timer = setTimeout(() => void save().catch(() => undefined), SAVE_MS)
}

/** Nothing is kept for a user by another who acts as them: the server would refuse it. */
async function save(): Promise<void> {
  const now = takeOwner()
  if (!now || now.Impersonator) return
  await loadRecentRecords()
  await take(
    wire.PUT('/api/v1/svc/settings/me/{key}', {
      params: { path: { key: settingOf(now) } },
      body: { Value: recentRecords.peek().map((each) => ({ ...each })) },
    }),
  )
}
