/** The tools of the assistant: the only way by which an answer reaches the data. */
import type { TObject } from '@sinclair/typebox'
import type { AssistantCall } from './asker.ts'
import type { ProposalItem, TableItem } from './item.ts'

/** The result of a tool: for a model or an MCP client, and the part that the caller is shown. */
export interface ToolResult {
  /** The value as JSON, within a bound of bytes. */
  value: unknown
  /** The item that the caller sees beside the text. */
  item?: TableItem | ProposalItem
}

/** A tool as it is declared to models and MCP clients. */
export interface AssistantTool {
  readonly name: 'list_objects' | 'describe' | 'query' | 'report' | 'propose'
  /** The description for a model: the result of the tool, and when to use it. */
  readonly description: string
  readonly parameters: TObject
  /** True for one that changes nothing. */
  readonly isReading: boolean
  /** @throws the failures of the object API: denied, notFound, invalid */
  readonly run: (
    asker: AssistantCall,
    given: Readonly<Record<string, unknown>>,
  ) => Promise<ToolResult>
}

/** Runs a tool by its name, checked and audited. @throws invalid for arguments that do not fit */
export type ToolCall = (
  tool: string,
  given: Readonly<Record<string, unknown>>,
) => Promise<ToolResult>
