/** Conversations as they are kept: each its owner's, without the rows of its answers. */
import { notFound } from '../../kernel/failure.ts'
import { newId } from '../../kernel/ids.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { type Reader, type Store, systemScope } from '../../store/store.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { assistantConversations, assistantMessages } from './engine-db.ts'
import type { AssistantItem } from './item.ts'
import { hashRights, OWN, ownArgs } from './owner.ts'
import type { Exchange } from './provider.ts'

const SCOPE = systemScope('conversations belong to users')

/** Conversations that a list shows, and exchanges that a history does. */
const LISTED_MAX = 200
const HISTORY_MAX = 500
/** Exchanges that a question may follow. */
const BEFORE_MAX = 10
/** Characters of a title, and of the items of one answer. */
const TITLE_MAX = 80
const ITEMS_MAX = 200_000

/** A conversation in a list. */
type ConversationEntry = Pick<
  typeof assistantConversations.$inferSelect,
  'Id' | 'Title' | 'UpdatedAt'
>

/** A question of a history with its answer. */
interface HistoryEntry {
  MessageId: string
  At: string
  Question: string
  Items: AssistantItem[]
  Rating: number | null
}

const missingConversation = () =>
  notFound(say`There is no such conversation`, { code: 'CONVERSATION_NOT_FOUND' })

const FIND = `SELECT Id FROM svc_assistant_conversations WHERE Id = @id AND ${OWN}`

/** @throws notFound for one that is not the caller's */
async function requireConversation(reader: Reader, caller: Caller, id: string): Promise<void> {
  const found = await reader.get(FIND, { ...ownArgs(caller), id })
  if (!found) throw missingConversation()
}

const LIST = `SELECT Id, Title, UpdatedAt FROM svc_assistant_conversations WHERE ${OWN}
  ORDER BY UpdatedAt DESC, Id LIMIT ${LISTED_MAX}`

/** The caller's conversations, the latest first. */
export const listConversations = (reader: Reader, caller: Caller): Promise<ConversationEntry[]> =>
  reader.all<ConversationEntry>(LIST, ownArgs(caller))

type MessageRow = Pick<
  typeof assistantMessages.$inferSelect,
  'Id' | 'CreatedAt' | 'Question' | 'Items' | 'RightsHash' | 'Rating'
>

const MESSAGES = `SELECT Id, CreatedAt, Question, Items, RightsHash, Rating FROM (
  SELECT * FROM svc_assistant_messages WHERE ConversationId = @id ORDER BY Id DESC LIMIT @most
) ORDER BY Id`

const loadMessages = (reader: Reader, id: string, most: number): Promise<MessageRow[]> =>
  reader.all<MessageRow>(MESSAGES, { id, most })

/**
 * The questions and answers of a conversation, the oldest first. Answers given under other rights
 * than the present ones are not shown again. @throws notFound
 */
export async function loadHistory(
  reader: Reader,
  caller: Caller,
  id: string,
): Promise<HistoryEntry[]> {
  await requireConversation(reader, caller, id)
  const hash = hashRights(caller)
  const rows = await loadMessages(reader, id, HISTORY_MAX)
  return rows.map(({ Id, CreatedAt, Question, Items, RightsHash, Rating }) => ({
    MessageId: Id,
    At: CreatedAt,
    Question,
    Rating,
    Items: RightsHash === hash ? readItems(Items) : [withheld(caller)],
  }))
}

const withheld = ({ language }: Caller): AssistantItem => ({
  Type: 'text',
  Text: renderMessage(say`Your rights have changed since this answer. Please ask again.`, language),
})

const readItems = (text: string): AssistantItem[] => JSON.parse(text) as AssistantItem[]

/** The exchanges that a further question follows. @throws notFound */
export async function loadBefore(reader: Reader, caller: Caller, id: string): Promise<Exchange[]> {
  await requireConversation(reader, caller, id)
  const hash = hashRights(caller)
  const rows = await loadMessages(reader, id, BEFORE_MAX)
  return rows.map(({ Question, Items, RightsHash }) => {
    const items = RightsHash === hash ? readItems(Items) : []
    return {
      question: Question,
      text: items.map((item) => (item.Type === 'text' ? item.Text : '')).join(''),
      requests: items.flatMap((item) =>
        item.Type === 'table' ? [{ Object: item.Object, Request: item.Request }] : [],
      ),
    }
  })
}

/** An exchange that has ended. */
interface EndedExchange {
  messageId: string
  question: string
  object: string | undefined
  items: readonly AssistantItem[]
  provider: string
  tokens: number
}

const BEGIN = `INSERT INTO svc_assistant_conversations
  (Id, UserId, CompanyId, ApiKeyId, ImpersonatorId, Title, CreatedAt, UpdatedAt)
  VALUES (@id, @user, @company, @key, @impersonator, @title, @now, @now)`

/** Most conversations of an owner, the oldest go: questions must not fill the disk. */
const CONVERSATIONS_MAX = 500
const EXCHANGES_MAX = 500

const TRIM_CONVERSATIONS = `DELETE FROM svc_assistant_conversations WHERE Id IN (
  SELECT Id FROM svc_assistant_conversations WHERE ${OWN}
  ORDER BY UpdatedAt DESC, Id DESC LIMIT -1 OFFSET ${CONVERSATIONS_MAX})`

const TRIM_EXCHANGES = `DELETE FROM svc_assistant_messages WHERE Id IN (
  SELECT Id FROM svc_assistant_messages WHERE ConversationId = @id
  ORDER BY Id DESC LIMIT -1 OFFSET ${EXCHANGES_MAX})`

const TOUCH = `UPDATE svc_assistant_conversations SET UpdatedAt = @now WHERE Id = @id AND ${OWN}`

const ADD = `INSERT INTO svc_assistant_messages
  (Id, ConversationId, Question, Object, Items, RightsHash, Provider, Tokens, CreatedAt)
  VALUES (@messageId, @id, @question, @object, @items, @rights, @provider, @tokens, @now)`

/** Begins a conversation under the first words of its first question; gives its id. */
export async function beginConversation(
  store: Store,
  caller: Caller,
  { question, now }: { question: string; now: Date },
): Promise<string> {
  const id = newId()
  const title = question.replace(/\s+/g, ' ').trim().slice(0, TITLE_MAX)
  const args = { ...ownArgs(caller), id, title, now: now.toISOString() }
  await store.write(async (tx) => {
    await tx.run(BEGIN, args)
    await tx.run(TRIM_CONVERSATIONS, ownArgs(caller))
  }, SCOPE)
  return id
}

/** Saves an exchange, unless its conversation was deleted in between. */
export async function keepExchange(
  store: Store,
  caller: Caller,
  { id, ended, now }: { id: string; ended: EndedExchange; now: Date },
): Promise<void> {
  const { messageId, question, object, provider, tokens } = ended
  const args = { messageId, id, question, object: object ?? null, provider, tokens }
  const at = now.toISOString()
  await store.write(async (tx) => {
    if ((await tx.run(TOUCH, { ...ownArgs(caller), id, now: at })) === 0) return
    const items = keepItems(ended.items)
    await tx.run(ADD, { ...args, items, rights: hashRights(caller), now: at })
    await tx.run(TRIM_EXCHANGES, { id })
  }, SCOPE)
}

/** Drops rows from kept items; they are queried again, so that revoked data is not shown. */
function keepItems(items: readonly AssistantItem[]): string {
  const kept = items.map((item) =>
    item.Type === 'table' ? { ...item, Rows: [], Citations: [] } : item,
  )
  const text = JSON.stringify(kept)
  return text.length <= ITEMS_MAX ? text : '[]'
}

/** Deletes one with all its exchanges. @throws notFound */
export async function deleteConversation(store: Store, caller: Caller, id: string): Promise<void> {
  await store.write(async (tx) => {
    const sql = `DELETE FROM svc_assistant_conversations WHERE Id = @id AND ${OWN}`
    if ((await tx.run(sql, { ...ownArgs(caller), id })) === 0) throw missingConversation()
  }, SCOPE)
}

const RATE = `UPDATE svc_assistant_messages SET Rating = @rating, Comment = @comment
  WHERE Id = @id AND ConversationId IN (SELECT Id FROM svc_assistant_conversations WHERE ${OWN})`

/** Saves a caller's rating of an answer given to them. @throws notFound */
export async function rateAnswer(
  store: Store,
  caller: Caller,
  { id, rating, comment }: { id: string; rating: number; comment: string | undefined },
): Promise<void> {
  await store.write(async (tx) => {
    const args = { ...ownArgs(caller), id, rating, comment: comment ?? null }
    if ((await tx.run(RATE, args)) === 0)
      throw notFound(say`There is no such answer`, { code: 'ANSWER_NOT_FOUND' })
  }, SCOPE)
}
