/** Tables of the assistant in `engine.db`: a proposal commits with the write that it proposes. */
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users } from '../../store/tables/users.ts'

const owner = () => ({
  /** The owner, with the company and the API key that it was begun in and by. */
  UserId: integer()
    .notNull()
    .references(() => users.Id, { onDelete: 'cascade' }),
  CompanyId: integer().notNull(),
  ApiKeyId: integer(),
  /** The user who acted as the owner: what they asked is theirs. */
  ImpersonatorId: integer(),
})

/** A conversation of a user with the assistant. */
export const assistantConversations = sqliteTable(
  'svc_assistant_conversations',
  {
    /** A UUID. */
    Id: text().primaryKey(),
    ...owner(),
    Title: text().notNull(),
    CreatedAt: text().notNull(),
    UpdatedAt: text().notNull(),
  },
  (t) => [
    index('svc_assistant_conversations_user').on(t.UserId, t.CompanyId, t.UpdatedAt),
    index('svc_assistant_conversations_age').on(t.UpdatedAt),
  ],
)

/** A question of a conversation with its answer. */
export const assistantMessages = sqliteTable(
  'svc_assistant_messages',
  {
    /** A UUID, which grows with time. */
    Id: text().primaryKey(),
    ConversationId: text()
      .notNull()
      .references(() => assistantConversations.Id, { onDelete: 'cascade' }),
    Question: text().notNull(),
    /** The object that the caller looked at. */
    Object: text(),
    /** The answer, without rows of data, as a JSON array of items. */
    Items: text().notNull(),
    /** Hash of the rights that it was answered by: under others its texts are not shown again. */
    RightsHash: text().notNull(),
    Provider: text().notNull(),
    /** Tokens that a provider counted. */
    Tokens: integer().notNull(),
    /** The rating 1, -1 or 0, with its comment. */
    Rating: integer(),
    Comment: text(),
    CreatedAt: text().notNull(),
  },
  (t) => [index('svc_assistant_messages_conversation').on(t.ConversationId, t.Id)],
)

/** A write that its caller may confirm. */
export const assistantProposals = sqliteTable(
  'svc_assistant_proposals',
  {
    /** A random id; the idempotency key of the write. */
    Id: text().primaryKey(),
    ...owner(),
    Kind: text().notNull(),
    /** The request as the route of its kind takes it, as JSON; of several records a list. */
    Request: text().notNull(),
    CreatedAt: text().notNull(),
    ExpiresAt: text().notNull(),
    /** The instant when it was carried out, and the result, as JSON. */
    DoneAt: text(),
    Result: text(),
  },
  (t) => [
    index('svc_assistant_proposals_expiry').on(t.ExpiresAt),
    index('svc_assistant_proposals_user').on(t.UserId, t.CompanyId),
  ],
)
