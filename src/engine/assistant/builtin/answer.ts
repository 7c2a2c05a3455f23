/** The provider that needs nothing but the model and the data: it answers by one request. */
import type { Message } from '../../../kernel/messages.ts'
import type { AssistantCall } from '../assistant-call.ts'
import { describeSelf, type SelfDescription } from './about.ts'
import { findSecond, listOthers } from './alternatives.ts'
import { type ComparedPeriods, findCompared } from './comparisons.ts'
import { coverOf, type Span } from './cover.ts'
import type { BuiltRequest } from './decide.ts'
import type { Draft } from './draft.ts'
import { explain, explainColumns } from './explain.ts'
import { type Refusal, refuse } from './refuse.ts'
import { type Asked, understand } from './understand.ts'
import type { InterpretedWords } from '../item.ts'
import { inTurn } from '../turns.ts'

/** A question as a request, in words too. */
interface ReadQuestion {
  request: BuiltRequest
  explanation: Message
  /** Its groups and figures, as the explanation says them. */
  names: ReturnType<typeof explainColumns>
  /** The reading that was not taken. */
  alternative: { request: BuiltRequest; explanation: Message | string } | undefined
  /** The language that was asked in. */
  language: string
  /** Two periods that are compared. */
  compared: ComparedPeriods | undefined
  /** Each word of the question, in its order. */
  interpretation: readonly InterpretedWords[]
}

/** A question about the application itself. */
export interface SelfQuestion {
  self: SelfDescription
  language: string
}

/** A question that was not understood: the reason, and other questions to ask. */
interface UnreadQuestion extends Refusal {
  language: string
}

/** Reads a question as the caller; reveals only data that they may list. */
export const readQuestion = (
  by: AssistantCall,
  asked: Asked,
): Promise<ReadQuestion | SelfQuestion | UnreadQuestion> => inTurn(by, () => read(by, asked))

async function read(
  by: AssistantCall,
  asked: Asked,
): Promise<ReadQuestion | SelfQuestion | UnreadQuestion> {
  const found = await understand(by, asked)
  const language = found.language.name
  if (!('draft' in found)) {
    const self = await describeSelf(found, by.caller)
    if (self) return { self, language }
    return { ...(await refuse(by, asked, found)), language }
  }
  const { draft, request, alternative } = found
  const spans = coverOf(draft, request)
  const second = findSecond(draft, request, spans)
  return {
    request,
    language,
    explanation: explain(draft, request),
    names: explainColumns(draft, request),
    compared: findCompared(draft),
    interpretation: spans.map((span) => present(draft, request, span)),
    alternative:
      second.date ??
      (alternative && {
        request: alternative.request,
        explanation: explain(alternative.draft, alternative.request),
      }) ??
      second.measure,
  }
}

/** Words of the question as a client shows them. */
function present(draft: Draft, request: BuiltRequest, span: Span): InterpretedWords {
  return {
    Text: span.text,
    Meaning: span.meaning,
    Field: span.field ?? null,
    Value: span.value ?? null,
    Alternatives: listOthers(draft, request, span).map((other) => ({
      Field: other.field,
      Value: other.value ?? null,
      Explanation: other.explanation,
      Request: other.request,
    })),
  }
}
