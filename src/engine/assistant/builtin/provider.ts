/** The provider `builtin`: no network, no model file; one reading, one query, one sentence. */
import { renderMessage, say } from '../../../kernel/messages.ts'
import type { AssistantCall } from '../assistant-call.ts'
import type { SelfDescription } from './about.ts'
import { readQuestion } from './answer.ts'
import { readCommand, type SpokenCommand } from './command.ts'
import { compareRows } from './comparisons.ts'
import { tellResult } from './tell-result.ts'
import type { SpokenWrite } from './write-sentence.ts'
import type { AnswerItem, TableItem } from '../item.ts'
import type { AssistantProvider, Question } from '../provider.ts'
import type { ToolCall } from '../tool.ts'

/** The builtin `AssistantProvider`. */
export const builtinProvider: AssistantProvider = { name: 'builtin', answer }

async function* answer(
  by: AssistantCall,
  { text, object, before }: Question,
  call: ToolCall,
): AsyncIterable<AnswerItem> {
  const asked = { text, object, before: before.map(({ question }) => question) }
  const command = await readCommand(by, asked)
  if (command) {
    yield* propose(command, by, call)
    return
  }
  const found = await readQuestion(by, asked)
  if ('self' in found) {
    yield* tellSelf(found.self, found.language)
    return
  }
  if (!('request' in found)) {
    yield {
      Type: 'error',
      Code: 'NOT_UNDERSTOOD',
      Message: renderMessage(found.message, found.language),
      Suggestions: [...found.suggestions],
    }
    return
  }
  const { request, explanation, language, alternative, compared, interpretation } = found
  yield { Type: 'tool', Tool: 'query', Arguments: request }
  const { item } = await call('query', request)
  if (item?.Type !== 'table') return
  const other = alternative && {
    Explanation: renderMessage(alternative.explanation, language),
    Request: alternative.request,
  }
  const Explanation = renderMessage(explanation, language)
  const Interpretation = [...interpretation]
  const comparison =
    compared && !item.HasMore ? compareRows(compared, request, item.Rows) : undefined
  const table: TableItem = {
    ...item,
    Explanation,
    Interpretation,
    ...(other && { Alternative: other }),
    ...(comparison && { Comparison: comparison }),
  }
  yield tellResult(table, { explanation, language, column: compared?.column })
  yield table
}

/** Finds the one record by the query tool, and proposes. */
async function* propose(
  command: SpokenCommand | SpokenWrite,
  { language }: AssistantCall,
  call: ToolCall,
): AsyncIterable<AnswerItem> {
  if (command.kind === 'refused') {
    const Message = renderMessage(command.refusal, language)
    yield { Type: 'error', Code: 'NOT_UNDERSTOOD', Message }
    return
  }
  const { name } = command.subject.view
  const told = { Kind: command.kind, ObjectName: name }
  let given: Readonly<Record<string, unknown>>
  if (command.kind === 'create') given = { ...told, Values: command.values }
  else {
    yield { Type: 'tool', Tool: 'query', Arguments: command.request }
    const { item } = await call('query', command.request)
    const rows = item?.Type === 'table' ? item.Rows : []
    const [Keys] = rows
    if (!Keys || rows.length > 1) {
      const Message = renderMessage(
        Keys ? say`Which one? There is more than one with this name.` : say`Nothing found`,
        language,
      )
      yield { Type: 'error', Code: 'NOT_ONE_RECORD', Message }
      return
    }
    given = {
      ...told,
      Keys,
      ...('values' in command && { Values: command.values }),
      ...('action' in command && command.action && { Action: command.action.name }),
    }
  }
  yield { Type: 'tool', Tool: 'propose', Arguments: given }
  const proposed = await call('propose', given)
  if (proposed.item?.Type !== 'proposal') return
  yield { Type: 'text', Text: renderMessage(say`Please confirm: ${proposed.item.Title}`, language) }
  yield proposed.item
}

function* tellSelf(self: SelfDescription, language: string): Iterable<AnswerItem> {
  const Explanation = renderMessage(self.explanation, language)
  yield { Type: 'text', Text: Explanation }
  yield {
    Type: 'table',
    Object: self.object ?? '',
    Request: null,
    Explanation,
    Columns: self.columns.map(({ name, label }) => ({
      Name: name,
      Label: renderMessage(label, language),
      Type: 'Text',
    })),
    Rows: self.rows.map((row) => ({ ...row })),
    RowCount: self.rows.length,
    HasMore: false,
    Citations: [],
  }
}
