/**
 * Sentences that the database keeps with their values, so that each reader gets them in their own
 * language: `{"say":"Deleted by {0}","with":["ana"]}`. Other texts are kept as they are.
 */
import { Message, type MessageArgument, Noun, noun, renderMessage } from './messages.ts'

/** The start of each stored sentence. */
const MARK = '{"say":'

/** The text to store for a sentence; cut, and then without a translation, beyond the maximum. */
export function storeMessage(message: string | Message, charactersMax = Infinity): string {
  const isPlain = typeof message === 'string' && !message.startsWith(MARK)
  if (isPlain) return message.slice(0, charactersMax)
  const text = JSON.stringify(
    toStored(typeof message === 'string' ? new Message('{0}', [message]) : message),
  )
  return text.length <= charactersMax ? text : renderMessage(message).slice(0, charactersMax)
}

/** Renders a stored sentence in a language; any other text is returned unchanged. */
export function renderStored(stored: string, language?: string): string {
  if (!stored.startsWith(MARK)) return stored
  const message = parse(stored)
  return message === undefined ? stored : renderMessage(message, language)
}

function toStored(value: MessageArgument): unknown {
  if (value instanceof Message) return { say: value.template, with: value.args.map(toStored) }
  if (value instanceof Noun) return { noun: toStored(value.label) }
  return value
}

/** Undefined for text that only looks like a stored sentence. */
function parse(stored: string): Message | undefined {
  let value: unknown
  try {
    value = JSON.parse(stored)
  } catch {
    return undefined
  }
  const message = fromStored(value)
  return message instanceof Message ? message : undefined
}

function fromStored(value: unknown): MessageArgument | undefined {
  if (typeof value === 'string' || typeof value === 'number') return value
  if (typeof value !== 'object' || value === null) return undefined
  if ('noun' in value) {
    const label = fromStored(value.noun)
    return typeof label === 'string' || label instanceof Message ? noun(label) : undefined
  }
  if (!('say' in value && 'with' in value)) return undefined
  if (typeof value.say !== 'string' || !Array.isArray(value.with)) return undefined
  const args = value.with.map(fromStored)
  return args.includes(undefined)
    ? undefined
    : new Message(
        value.say,
        args.filter((arg) => arg !== undefined),
      )
}
