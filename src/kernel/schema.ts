/** Schemas of values that may be null or left out. */
import { Type } from '@sinclair/typebox'
import type { TSchema } from '@sinclair/typebox'

/** A value that may be null. */
export const orNull = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()])

/** A member that may be left out, or null, which says the same. */
export const optional = <T extends TSchema>(type: T) => Type.Optional(orNull(type))
