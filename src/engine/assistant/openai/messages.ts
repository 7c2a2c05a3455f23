/** Messages to the model: the caller, the earlier exchanges, and the results of its tools. */
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat'
import type { AssistantCall } from '../assistant-call.ts'
import { TOOLS } from '../call-tool.ts'
import { overfull } from './model-failure.ts'
import rules from './rules.txt' with { type: 'text' }
import type { Exchange, Question } from '../provider.ts'
import { toToolSchema } from '../tool-schema.ts'

/** Characters of an earlier answer that the model sees. */
const BEFORE_TEXT_MAX = 2000
/** The text in place of an earlier result. */
const LEFT_OUT = 'DATA left out: call the tool again where it is needed.'

/** The tools as the protocol declares them. */
export const MODEL_TOOLS: ChatCompletionTool[] = TOOLS.map(({ name, description, parameters }) => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: toToolSchema(parameters),
  },
}))

/** The first messages of an answer. */
export function beginMessages(
  { caller, language, engine }: AssistantCall,
  { text, object, before }: Question,
): ChatCompletionMessageParam[] {
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: caller.timeZone })
  const facts = [
    `Language of the user: ${language}. Today is ${today.format(engine.clock.now())}.`,
    ...(object === undefined ? [] : [`The user looks at the object ${JSON.stringify(object)}.`]),
  ]
  return [
    { role: 'system', content: `${String(rules)}\n${facts.join('\n')}` },
    ...before.flatMap(toMessages),
    { role: 'user', content: text },
  ]
}

function toMessages({ question, text, requests }: Exchange): ChatCompletionMessageParam[] {
  const asked = requests.map(({ Request }) => `Query: ${JSON.stringify(Request)}`)
  // An earlier answer is data by now: it may be about records that change.
  const answer = [text.slice(0, BEFORE_TEXT_MAX), ...asked].filter((part) => part !== '').join('\n')
  return [
    { role: 'user', content: question },
    { role: 'assistant', content: answer === '' ? '-' : answer },
  ]
}

const TOOL_BYTES = Buffer.byteLength(JSON.stringify(MODEL_TOOLS))

const bytesOf = (messages: readonly ChatCompletionMessageParam[]): number =>
  TOOL_BYTES + Buffer.byteLength(JSON.stringify(messages))

/**
 * Fits the messages: earlier exchanges go first, the oldest before the others, then earlier
 * results. The question and the model's instructions never go.
 * @throws ModelFailure where those are too long by themselves
 */
export function fitMessages(
  messages: readonly ChatCompletionMessageParam[],
  bytesMax: number,
): { messages: ChatCompletionMessageParam[]; bytes: number } {
  const fitting = [...messages]
  const question = (): number => fitting.findLastIndex(({ role }) => role === 'user')
  while (bytesOf(fitting) > bytesMax && question() > 1)
    fitting.splice(1, Math.min(2, question() - 1))
  const results = fitting.flatMap(({ role }, at) => (role === 'tool' ? [at] : [])).slice(0, -1)
  for (const at of results) {
    const message = fitting[at]
    if (bytesOf(fitting) <= bytesMax) break
    if (message?.role === 'tool') fitting[at] = { ...message, content: LEFT_OUT }
  }
  const bytes = bytesOf(fitting)
  if (bytes > bytesMax) throw overfull()
  return { messages: fitting, bytes }
}
