/** The assistant over REST: `/api/v1/svc/assistant` (src/server/README.md, Assistant). */
import { type Static, Type } from '@sinclair/typebox'
import { invalid, validation } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { AssistantCall } from '../../engine/assistant/assistant-call.ts'
import { readQuestion, type SelfQuestion } from '../../engine/assistant/builtin/answer.ts'
import { compareRows } from '../../engine/assistant/builtin/comparisons.ts'
import { completeQuestion } from '../../engine/assistant/builtin/complete.ts'
import { builtinProvider } from '../../engine/assistant/builtin/provider.ts'
import { openTools } from '../../engine/assistant/call-tool.ts'
import { openForgetting } from '../../engine/assistant/forget.ts'
import { ASSISTANT_OPENAI } from '../../engine/assistant/openai/openai-options.ts'
import { ASSISTANT } from '../../engine/assistant/settings.ts'
import { toWidget } from '../../engine/assistant/to-widget/to-widget.ts'
import type { QueryResult } from '../../engine/object-explorer/schema.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { SAFE } from '../../server/route-table.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { toAssistantCall } from './assistant-call.ts'
import { GERMAN } from './german.ts'
import { assistantHub } from './hub.ts'
import { MCP_ROUTES } from './mcp-routes.ts'
import {
  AssistantAnswer,
  AssistantCompletion,
  AssistantQuestion,
  AssistantText,
  BEFORE_BYTES_MAX,
  NotUnderstood,
} from './schema.ts'

const AREA = {
  name: 'Assistant',
  description: 'Questions in words, answered from the data as the caller.',
}

const QUERY = {
  body: AssistantQuestion,
  response: Envelope(AssistantAnswer),
  detail: {
    'x-refusals': { 400: NotUnderstood },
    ...SAFE,
    'x-gate': AUTHENTICATED,
    'x-example': { Question: 'How many orders were shipped last month, by region?' },
    operationId: 'askAssistant',
    summary: 'The rows that answer a question in words',
    description:
      'Needs no network: the question is read by the labels, options, synonyms and values of ' +
      'the application, in English or German, and becomes one query of the object explorer, ' +
      'held to the caller’s rows and fields and audited. What is not understood is a 400 with ' +
      'the code NOT_UNDERSTOOD and `suggestions`. Gate: authentication; each object as its List.',
  },
}

const COMPLETE = {
  body: AssistantText,
  response: Envelope(Type.Array(AssistantCompletion)),
  detail: {
    ...SAFE,
    'x-gate': AUTHENTICATED,
    'x-example': { Text: 'how many ord' },
    operationId: 'completeQuestion',
    summary: 'Completions of a question while it is typed',
    description:
      'Eight at most, the likeliest first: objects, fields, measures and options that the caller ' +
      'may ask about, periods, and forms of questions; no value of a record. Each is understood ' +
      'as it stands. Gate: authentication; List on Object where it is given.',
  },
}

/** Gate: anyone; each object, row and field is checked as in the explorer. */
const ASSISTANT_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/assistant',
  area: AREA.name,
  routes: [
    route('POST', '/query', QUERY, async (call) =>
      ok(await answerQuestion(toAssistantCall(call), call.body)),
    ),
    route('POST', '/complete', COMPLETE, async (call) => {
      const { Text, Object: object } = call.body
      const typed = { text: Text, object: object ?? undefined }
      const found = await completeQuestion(toAssistantCall(call), typed)
      return ok(
        found.map(({ text, completion, kind }) => ({
          Text: text,
          Completion: completion,
          Kind: kind,
        })),
      )
    }),
  ],
}

/** Answers a question. @throws invalid with suggestions for words not understood */
async function answerQuestion(
  by: AssistantCall,
  { Question, Object: object, Before }: Static<typeof AssistantQuestion>,
): Promise<Static<typeof AssistantAnswer>> {
  const before = Before ?? []
  if (before.reduce((bytes, each) => bytes + Buffer.byteLength(each), 0) > BEFORE_BYTES_MAX)
    throw validation({
      Before: say`Earlier questions can have at most ${BEFORE_BYTES_MAX} bytes in total`,
    })
  const asked = { text: Question, object: object ?? undefined, before }
  const found = await readQuestion(by, asked)
  if ('self' in found) return presentSelf(found)
  if (!('request' in found)) {
    const { message, suggestions } = found
    throw invalid(message, { code: 'NOT_UNDERSTOOD', members: { suggestions } })
  }
  const { request, explanation, alternative, language, interpretation, compared } = found
  const { value } = await openTools(by, builtinProvider.name)('query', request)
  const Result = value as Static<typeof QueryResult>
  const widget = Result.HasMore && !request.Limit ? undefined : toWidget(by, found)
  return {
    Object: request.ObjectName,
    Request: request,
    About: null,
    Explanation: renderMessage(explanation, language),
    Alternative: alternative
      ? {
          Request: alternative.request,
          Explanation: renderMessage(alternative.explanation, language),
        }
      : null,
    Interpretation: [...interpretation],
    Result,
    ...(compared && !Result.HasMore && { Comparison: compareRows(compared, request, Result.Rows) }),
    ...(widget && { ToWidget: widget }),
    Provider: builtinProvider.name,
  }
}

function presentSelf({ self, language }: SelfQuestion): Static<typeof AssistantAnswer> {
  return {
    Object: self.object ?? null,
    Request: null,
    About: self.about,
    Alternative: null,
    Interpretation: [],
    Explanation: renderMessage(self.explanation, language),
    Result: {
      Columns: self.columns.map(({ name, label }) => ({
        Name: name,
        Label: renderMessage(label, language),
        Type: 'Text',
        ClrType: 'System.String',
      })),
      Rows: self.rows.map((row) => ({ ...row })),
      HasMore: false,
    },
    Provider: builtinProvider.name,
  }
}

/** See `Feature`. */
export const assistantFeature: Feature = {
  areas: [AREA],
  routes: [ASSISTANT_ROUTES, MCP_ROUTES],
  translations: { de: GERMAN },
  settings: [ASSISTANT, ASSISTANT_OPENAI],
  hubs: [assistantHub],
  background: [
    ({ store, clock, log, settings }) =>
      openForgetting({ store, clock, log, retention: settings.get(ASSISTANT.retention) }),
  ],
}
