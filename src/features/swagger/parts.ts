/** The parts of an operation, as the document has them. */
import type { TSchema } from '@sinclair/typebox'
import type { DocumentSchema } from './components.ts'

/** A body in one type of content. */
export interface MediaType {
  schema?: DocumentSchema
  example?: unknown
  /** In place of `example`, by name. */
  examples?: Readonly<Record<string, { summary: string; value: unknown }>>
}

/** A parameter of the operation's own, or the name of one that many have. */
export interface Parameter {
  $ref?: string
  name?: string
  in?: string
  required?: boolean
  description?: string
  examples?: readonly unknown[]
  schema?: TSchema | DocumentSchema
  [member: string]: unknown
}

/** An answer of an operation, or the name of one that several have. */
export interface Answer {
  $ref?: string
  description?: string
  headers?: Readonly<Record<string, { $ref: string }>>
  content?: Record<string, MediaType>
  [member: string]: unknown
}

/** An operation of the document. */
export interface Operation {
  operationId?: string
  summary?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, MediaType> }
  responses?: Record<string, Answer>
  security?: Record<string, string[]>[]
  [member: string]: unknown
}

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options'

/** The operations of a path, and the parameters that all of them have. */
export type PathItem = { parameters?: Parameter[] } & Partial<Record<Method, Operation>>
