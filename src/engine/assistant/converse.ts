/** A question of a conversation: answered piece by piece, and kept with its answer. */
import { toEnvelope, toFailure } from '../../kernel/envelope.ts'
import { newId } from '../../kernel/ids.ts'
import type { AssistantCall } from './assistant-call.ts'
import { openTools } from './call-tool.ts'
import { beginConversation, keepExchange, loadBefore } from './conversations.ts'
import type { AnswerItem, AssistantItem } from './item.ts'
import type { AssistantProvider } from './provider.ts'

/** A message that a caller sends. */
interface Sent {
  /** The conversation; undefined begins one. */
  conversationId: string | undefined
  message: string
  object: string | undefined
}

/**
 * Answers, and ends with `done` or `error`. Items given before a stop are kept.
 * @throws notFound for a conversation that is not the caller's
 */
export async function* converse(
  by: AssistantCall,
  provider: AssistantProvider,
  { conversationId, message, object }: Sent,
): AsyncIterable<AssistantItem> {
  const { engine, caller } = by
  const { store, clock } = engine
  const before = conversationId ? await loadBefore(store, caller, conversationId) : []
  const asked = { question: message, now: clock.now() }
  const id = conversationId ?? (await beginConversation(store, caller, asked))
  const messageId = newId()
  const items: AnswerItem[] = []
  const spent = { tokens: 0 }
  const question = { text: message, object, before, spend: (n: number) => void (spent.tokens += n) }
  try {
    for await (const item of provider.answer(by, question, openTools(by, provider.name))) {
      items.push(item)
      yield item
    }
  } catch (error) {
    if (by.signal.aborted) throw error
    const item = toErrorItem(by, error)
    items.push(item)
    yield item
  } finally {
    const ended = { messageId, question: message, object, items, provider: provider.name }
    await keepExchange(store, caller, {
      id,
      now: clock.now(),
      ended: { ...ended, tokens: spent.tokens },
    })
  }
  yield {
    Type: 'done',
    ConversationId: id,
    MessageId: messageId,
    Provider: provider.name,
  }
}

function toErrorItem({ log, traceId, language }: AssistantCall, error: unknown): AnswerItem {
  const failure = toFailure(error)
  if (failure.kind === 'internal') log.error('the assistant failed', error, { traceId })
  const { code, error: told } = toEnvelope(failure, traceId, false, language)
  return { Type: 'error', Code: code, Message: told }
}
