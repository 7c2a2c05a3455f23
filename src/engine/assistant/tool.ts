/** The tools of the assistant: the only way by which an answer reaches the data. */
import type { Static, TObject } from '@sinclair/typebox'
import type { AssistantCall } from './assistant-call.ts'
import type { ProposalItem, TableItem } from './item.ts'
import { requireFittingArguments } from './known-members.ts'

/** The result of a tool: for a model or an MCP client, and the part that the caller is shown. */
export interface ToolResult {
  /** The value as JSON, within a bound of bytes. */
  value: unknown
  /** The item that the caller sees beside the text. */
  item?: TableItem | ProposalItem
}

/** A tool as it is declared to models and MCP clients. */
interface ToolFacts<T extends TObject> {
  readonly name: 'list_objects' | 'describe' | 'query' | 'report' | 'propose'
  /** The description for a model: the result of the tool, and when to use it. */
  readonly description: string
  readonly parameters: T
  /** True for one that changes nothing. */
  readonly isReading: boolean
}

interface ToolDefinition<T extends TObject> extends ToolFacts<T> {
  /** @throws the failures of the object API: denied, notFound, invalid */
  readonly run: (by: AssistantCall, given: Static<T>) => Promise<ToolResult>
}

/** A run of a tool with its arguments, as often as the model changes meanwhile. */
type ToolRun = (by: AssistantCall) => Promise<ToolResult>

/** A tool that takes arguments of any kind and checks them once. */
export interface AssistantTool extends ToolFacts<TObject> {
  /** @throws UnfitCall for arguments that do not fit the parameters */
  readonly bind: (given: unknown) => ToolRun
}

/** Makes a tool whose `run` gets arguments that fit its parameters. */
export const defineTool = <T extends TObject>({
  run,
  ...facts
}: ToolDefinition<T>): AssistantTool => ({
  ...facts,
  bind(given) {
    const fitting = requireFittingArguments(facts.parameters, given)
    return (by) => run(by, fitting)
  },
})

/** Runs a tool by its name, checked and audited. @throws invalid for arguments that do not fit */
export type ToolCall = (
  tool: string,
  given: Readonly<Record<string, unknown>>,
) => Promise<ToolResult>
