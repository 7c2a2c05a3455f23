/** The methods of a hub, found by the name that a client calls, with their arguments checked. */
import { type TObject, Type } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { invalid, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { matchNames } from '../case-insensitive-body.ts'
import { describeIssue } from '../describe-issue.ts'
import type { Hub, HubMethod, HubStream } from './hub.ts'

/** A method with the check of its arguments. */
export interface CheckedMethod {
  /** As the hub writes it. */
  readonly name: string
  readonly declared: HubMethod | HubStream
  readonly names: readonly string[]
  readonly schema: TObject
  /** Compiled with the first call. */
  readonly check: () => TypeCheck<TObject>
}

/** Methods by name in lower case: clients may write it in any case, as with ASP.NET. */
export type HubMethods = ReadonlyMap<string, CheckedMethod>

/** The methods of all parts of a hub. @throws Error for two of one name */
export function readMethods({ name, parts }: Hub): HubMethods {
  const methods = new Map<string, CheckedMethod>()
  for (const { methods: declared = {} } of parts)
    for (const [method, one] of Object.entries(declared)) {
      const key = method.toLowerCase()
      if (methods.has(key)) throw new Error(`The hub ${name} has two methods ${method}`)
      const schema = Type.Object({ ...one.arguments })
      let compiled: TypeCheck<TObject> | undefined
      const check = () => (compiled ??= TypeCompiler.Compile(schema))
      methods.set(key, {
        name: method,
        declared: one,
        names: Object.keys(one.arguments),
        schema,
        check,
      })
    }
  return methods
}

/** @throws notFound for a name that no method bears */
export function requireMethod(methods: HubMethods, target: string): CheckedMethod {
  const method = methods.get(target.toLowerCase())
  if (!method) throw notFound(say`There is no such method`)
  return method
}

/**
 * The arguments of a call by their names, as the schemas say. Members of objects are matched
 * without regard to case. @throws invalid for too many, too few or false ones
 */
export function readArguments(
  { names, schema, check }: CheckedMethod,
  given: readonly unknown[],
): Record<string, unknown> {
  if (given.length > names.length)
    throw invalid(say`The method takes at most ${names.length} arguments`)
  const args: Record<string, unknown> = {}
  for (const [at, value] of given.entries()) args[names[at] ?? ''] = value
  matchNames(schema, args)
  if (check().Check(args)) return args
  const issue = check().Errors(args).First()
  const [first] = issue ? [...describeIssue(issue)] : []
  const name = first?.path.split('/')[1] ?? ''
  throw invalid(say`${name}: ${first?.message ?? say`This value is not valid`}`)
}
