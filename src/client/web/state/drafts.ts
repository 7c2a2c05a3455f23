/**
 * Drafts: what was typed and is not stored, kept in the browser by user, company, object and key. A
 * draft survives a reload, a sign-out, the server's restart and no network. Never saved by itself.
 */
import { signal } from '@preact/signals'
import type { Schemas } from '../api/wire.ts'
import { drawKey } from './intent.ts'

type Values = Schemas['FieldValues']

/** A row of a detail as it was typed; `key` is null for one that is new. */
export interface DraftRow {
  key: Values | null
  isRemoved: boolean
  values: Values
}

/** The typed values of a record, with the stamp that it had then. */
export interface Draft {
  /** When it was typed, in ISO 8601. */
  at: string
  rowVersion: string | null
  values: Values
  /** Rows of details by the names of these. */
  rows: Readonly<Record<string, readonly DraftRow[]>>
}

const DATABASE = 'appengine-drafts'
const STORE = 'drafts'

/** False where the browser keeps nothing, as in a private window: leaving asks first then. */
export const areDraftsKept = signal(true)

let opening: Promise<IDBDatabase> | undefined

function open(): Promise<IDBDatabase> {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(STORE)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('No drafts'))
  })
  return opening
}

/** Does one thing with the store; undefined where the browser keeps nothing. */
async function use<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T | undefined> {
  try {
    const database = await open()
    return await new Promise<T>((resolve, reject) => {
      const request = work(database.transaction(STORE, mode).objectStore(STORE))
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error ?? new Error('No drafts'))
    })
  } catch {
    areDraftsKept.value = false
    return undefined
  }
}

/** The name of the draft of a record, for its user alone; of a new record without a key. */
export const nameDraft = (
  user: { Id: number; Company: { Id: number } },
  object: string,
  key: readonly string[],
): string => JSON.stringify([user.Id, user.Company.Id, object, ...key])

/** A draft with the name that it is kept under. */
export interface KeptDraft {
  name: string
  draft: Draft
}

/**
 * The name of one visit's draft of a record: two tabs, or two visits, never share one, so that
 * neither takes the place of the other.
 */
export const nameVisit = (record: string): string => `${record} ${drawKey()}`

/** The drafts of all visits to a record, the latest first. */
export async function listDrafts(record: string): Promise<KeptDraft[]> {
  const range = IDBKeyRange.bound(record, `${record} \uffff`)
  const names = await use('readonly', (store) => store.getAllKeys(range))
  const found: KeptDraft[] = []
  for (const name of names ?? []) {
    const draft = await findDraft(String(name))
    if (draft) found.push({ name: String(name), draft })
  }
  return found.toSorted((one, other) => (one.draft.at < other.draft.at ? 1 : -1))
}

/** Keeps what was typed. */
export async function keepDraft(name: string, draft: Draft): Promise<void> {
  await use('readwrite', (store) => store.put(draft, name))
}

/** The draft of a record; undefined where there is none. */
export const findDraft = (name: string): Promise<Draft | undefined> =>
  use<Draft | undefined>('readonly', (store) => store.get(name) as IDBRequest<Draft | undefined>)

/** Forgets a draft: its values are stored, or not wanted. */
export async function dropDraft(name: string): Promise<void> {
  await use('readwrite', (store) => store.delete(name))
}
