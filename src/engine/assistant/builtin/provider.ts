/** The provider `builtin`: no network, no model file; one reading, one query, one sentence. */
import { Message, renderMessage, say } from '../../../kernel/messages.ts'
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
import { RECORDS_MAX } from '../tools/propose.ts'

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

/** Finds the records by the query tool, and proposes. */
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
    const refused = await refuseCount(command, rows.length, call)
    if (refused) {
      yield { Type: 'error', Code: refused.code, Message: renderMessage(refused.text, language) }
      return
    }
    const keys = command.subject.view.keys.map(({ name: key }) => key)
    const records = rows.map((row) => Object.fromEntries(keys.map((key) => [key, row[key]])))
    given = {
      ...told,
      ...(records.length > 1 ? { Records: records } : { Keys: records[0] }),
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

/** The refusal of no record, of several in place of one, and of more than a proposal takes. */
async function refuseCount(
  { kind, request, isSeveral, subject }: Exclude<SpokenCommand | SpokenWrite, NoRecords>,
  found: number,
  call: ToolCall,
): Promise<{ code: string; text: Message } | undefined> {
  if (found === 0) return { code: 'NOT_ONE_RECORD', text: say`Nothing found` }
  if (found > 1 && !isSeveral) {
    const text = say`Which one? There is more than one with this name.`
    return { code: 'NOT_ONE_RECORD', text }
  }
  if (found <= RECORDS_MAX) return undefined
  const { Fields: _, Sort: __, Limit: ___, ...counted } = request
  const { item } = await call('query', { ...counted, Aggregates: [{ Function: 'count' }] })
  const count = item?.Type === 'table' ? Number(item.Rows[0]?.count) : found
  const { label } = subject.view
  const many = say`${count} ${label} are more than the ${RECORDS_MAX} of a proposal.`
  const hint =
    kind === 'update'
      ? say`Please narrow them down, or filter the list and use bulk edit.`
      : say`Please narrow them down.`
  const text = new Message('{0} {1}', [many, hint])
  return { code: 'TOO_MANY_RECORDS', text }
}

/** A command that is about no record which is there. */
interface NoRecords {
  kind: 'create' | 'refused'
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
