/** Comments on a record: written, changed and deleted, whom they may mention, who follows. */
import { onHub } from '../api/hub.ts'
import { type Schemas, take, wire } from '../api/wire.ts'
import { dropDraft, findDraft, keepDraft } from './drafts.ts'
import { isSameRecord } from './live-rows.ts'
import type { Person } from './mention-text.ts'

/** A record as comments name it. */
export type CommentedRecord = Pick<Schemas['CommentedRecord'], 'Object'> & {
  Keys: Schemas['FieldValues']
}

/** The text of a comment as it is typed, with the people who were chosen for it. */
export interface CommentText {
  text: string
  people: readonly Person[]
}

/** People of one list to choose from. */
const PEOPLE_MAX = 8

/** Writes a comment. @throws ServerError */
export async function addComment(
  record: CommentedRecord,
  Text: string,
  mentioned: readonly Person[],
  key: string,
): Promise<void> {
  await take(
    wire.POST('/api/v1/svc/comments', {
      params: { header: { 'Idempotency-Key': key } },
      body: { ...record, Text, Mentions: mentioned.map(({ Id }) => Id) },
    }),
  )
}

/** Changes a comment of the user's own. @throws ServerError, of 409 where it was changed since */
export async function changeComment(
  { Id, RowVersion }: Schemas['CommentState'],
  Text: string,
  mentioned: readonly Person[],
): Promise<void> {
  const body = { Text, Mentions: mentioned.map((each) => each.Id), RowVersion }
  await take(wire.PUT('/api/v1/svc/comments/{id}', { params: { path: { id: Id } }, body }))
}

/** Deletes a comment. @throws ServerError */
export async function deleteComment(id: number): Promise<void> {
  await take(wire.DELETE('/api/v1/svc/comments/{id}', { params: { path: { id } } }))
}

/** Tells whether the user follows the record. @throws ServerError */
export async function loadFollowing({ Object: object, Keys }: CommentedRecord): Promise<boolean> {
  const query = { object, keys: JSON.stringify(Keys), limit: 1 }
  return (await take(wire.GET('/api/v1/svc/comments', { params: { query } }))).IsFollowing
}

/** Follows the record, or no longer. @throws ServerError */
export async function saveFollowing(body: CommentedRecord, isFollowing: boolean): Promise<void> {
  const path = '/api/v1/svc/comments/follow'
  await take(isFollowing ? wire.POST(path, { body }) : wire.DELETE(path, { body }))
}

/** The people of the company whose names have the text, the first ones. @throws ServerError */
export const findPeople = (search: string): Promise<Person[]> =>
  take(wire.GET('/api/v1/svc/people', { params: { query: { search, limit: PEOPLE_MAX } } }))

/** Calls `onChange` after comments on a record changed that is open; returns what ends it. */
export const followComments = (record: CommentedRecord, onChange: () => void): (() => void) => {
  const ends = [
    onHub('commentsChanged', (told) => {
      if (isSameRecord(record, told as CommentedRecord)) onChange()
    }),
    onHub('resynced', onChange),
  ]
  return () => ends.forEach((end) => end())
}

/** Keeps what is typed, as drafts are kept; nothing is kept of an empty text. */
export async function keepCommentText(name: string, { text, people }: CommentText): Promise<void> {
  if (text.trim() === '') return dropDraft(name)
  const values = { Text: text, Mentions: people.map((each) => ({ ...each })) }
  await keepDraft(name, { at: new Date().toISOString(), rowVersion: null, values, rows: {} })
}

/** The text that was typed and not sent; undefined where there is none. */
export async function findCommentText(name: string): Promise<CommentText | undefined> {
  const draft = await findDraft(name)
  if (!draft) return undefined
  const { Text, Mentions } = draft.values
  return { text: String(Text), people: (Mentions ?? []) as unknown as Person[] }
}
