/** The hub of the assistant: `/api/v1/hubs/assistant` (src/server/README.md, Assistant). */
import { Type } from '@sinclair/typebox'
import { optional } from '../../kernel/schema.ts'
import { planAnewWhenReplaced } from '../../model/current.ts'
import {
  deleteConversation,
  listConversations,
  loadHistory,
  rateAnswer,
} from '../../engine/assistant/conversations.ts'
import { converse } from '../../engine/assistant/converse.ts'
import { openProvider } from '../../engine/assistant/open-provider.ts'
import { confirmProposal } from '../../engine/assistant/proposals.ts'
import type { AppContext } from '../../server/context.ts'
import { AUTHENTICATED } from '../../server/gate.ts'
import { type Hub, type HubCall, hubMethod, type HubPart, hubStream } from '../../server/hub/hub.ts'
import { toAssistantCall } from './assistant-call.ts'
import { QUESTION_MAX } from './schema.ts'

const ID = Type.String({ maxLength: 100 })
const COMMENT_MAX = 2000

const Message = Type.Object({
  ConversationId: optional(ID),
  Message: Type.String({ minLength: 1, maxLength: QUESTION_MAX }),
  Object: optional(Type.String({ maxLength: 200 })),
})

/** See `Hub`. */
export const assistantHub = (app: AppContext): Hub => ({
  name: 'assistant',
  summary: 'questions to the assistant',
  description: 'Answers questions from the data as the caller, piece by piece.',
  gate: AUTHENTICATED,
  parts: [conversationPart(app), proposalPart(app)],
})

const ofCall = (app: AppContext, { caller, model, traceId, signal }: HubCall) =>
  toAssistantCall({ app, caller, model, traceId, signal, language: caller.language ?? 'en' })

function conversationPart(app: AppContext): HubPart {
  const { store } = app
  const provider = openProvider(app)
  return {
    methods: {
      Send: hubStream({
        description:
          'Asks; streams items of the types text, tool, table, proposal, and done or error. ' +
          'Without a ConversationId it begins a conversation',
        arguments: { message: Message },
        run: (call, { message }) =>
          converse(ofCall(app, call), provider, {
            conversationId: message.ConversationId ?? undefined,
            message: message.Message,
            object: message.Object ?? undefined,
          }),
      }),
      Conversations: hubMethod({
        description: 'The caller’s conversations in this company, the latest first',
        arguments: {},
        run: ({ caller }) => listConversations(store, caller),
      }),
      History: hubMethod({
        description:
          'Questions and answers of a conversation; rows are loaded again by their Request',
        arguments: { id: ID },
        run: ({ caller }, { id }) => loadHistory(store, caller, id),
      }),
      Delete: hubMethod({
        description: 'Deletes a conversation',
        arguments: { id: ID },
        run: ({ caller }, { id }) => deleteConversation(store, caller, id),
      }),
      Feedback: hubMethod({
        description: 'Says whether an answer helped: 1, -1, or 0 for neither',
        arguments: {
          messageId: ID,
          rating: Type.Integer({ minimum: -1, maximum: 1 }),
          comment: optional(Type.String({ maxLength: COMMENT_MAX })),
        },
        run: ({ caller }, { messageId, rating, comment }) =>
          rateAnswer(store, caller, { id: messageId, rating, comment: comment ?? undefined }),
      }),
    },
  }
}

const proposalPart = (app: AppContext): HubPart => ({
  methods: {
    Confirm: hubMethod({
      description:
        'Carries a proposal of the caller’s out, once, by their rights of now: answers as the ' +
        'route of its kind does, and the same again when it is called again',
      arguments: { proposalId: ID },
      run: (call, { proposalId }) =>
        planAnewWhenReplaced(app, (model) =>
          confirmProposal({ ...ofCall(app, call), model }, proposalId),
        ),
    }),
  },
})
