/** Checks of extensions, which find faults of records before they are written. */
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type FieldErrors, invalid, tooLarge } from '../../kernel/failure.ts'
import type { Log } from '../../kernel/log.ts'
import { plain, say } from '../../kernel/messages.ts'
import type { View } from '../../model/compiled/view.ts'
import type { CurrentModel } from '../../model/current.ts'
import { type CallerApi, openCallerApi } from './caller-api.ts'
import { type AnswerCall, SCRIPT_FAILED } from './extension-run.ts'
import type { Declared, Extensions, LoadedExtensions } from './extensions.ts'
import { CHECKED_CHARACTERS_MAX } from './limits.ts'
import type { ValidationPart } from './parts.ts'
import { runOrder } from './run-script.ts'
import type { CheckedRecord, FindRecordCheck, Mutation } from '../object/mutation.ts'
import type { QueryCache } from '../object/read/query-cache.ts'

interface RecordChecksParts {
  queryCache: QueryCache
  extensions: Extensions
  log: Log
  models: CurrentModel
}

type Check = Declared<ValidationPart>

/** A `FindRecordCheck`: for a view without a check it is a look into a map. */
export function openRecordChecks(parts: RecordChecksParts): FindRecordCheck {
  const planned = new WeakMap<LoadedExtensions, Map<string, Check[]>>()
  return async (view) => {
    const loaded = await parts.extensions.load()
    if (loaded.validations.size === 0) return undefined
    let checks = planned.get(loaded)
    if (!checks) {
      planned.set(loaded, (checks = planChecks(loaded)))
      warnOfStrays(parts, loaded)
    }
    const own = [view.name, view.slug].flatMap((name) => checks.get(name.toLowerCase()) ?? [])
    if (own.length === 0) return undefined
    return async (mutation, records) => {
      const all: FieldErrors[] = records.map(() => ({}))
      for (const check of new Set(own)) {
        const faults = await runCheck(parts, check, { mutation, view, records })
        for (const [at, each] of faults.entries()) all[at] = { ...each, ...all[at] }
      }
      return all.map((each) => (Object.keys(each).length > 0 ? each : undefined))
    }
  }
}

const planChecks = ({ validations }: LoadedExtensions): Map<string, Check[]> =>
  Map.groupBy(validations.values(), ({ part }) => part.Object.toLowerCase())

/** A check of an object that is not there never runs: its author should know. */
function warnOfStrays({ models, log }: RecordChecksParts, { validations }: LoadedExtensions): void {
  const views = [...models.get().views.values()]
  const known = new Set(
    views.flatMap(({ name, slug }) => [name, slug]).map((name) => name.toLowerCase()),
  )
  for (const { part } of validations.values())
    if (!known.has(part.Object.toLowerCase()))
      log.warn('a check of an extension is of no object', { check: part.Name, object: part.Object })
}

const Outcomes = Type.Array(
  Type.Union([Type.Record(Type.String(), Type.String({ maxLength: 1000 })), Type.Null()]),
)

interface Checking {
  mutation: Mutation
  view: View
  records: readonly CheckedRecord[]
}

/** @throws invalid or unavailable where the check fails: unchecked records are not written */
async function runCheck(
  { extensions, queryCache: reader, log }: RecordChecksParts,
  { part, file }: Check,
  { mutation, view, records }: Checking,
): Promise<FieldErrors[]> {
  const { engine, caller, model, traceId } = mutation
  const api: CallerApi = {
    engine,
    extensions,
    reader,
    log,
    caller,
    model,
    traceId,
    language: caller.language ?? 'en',
  }
  const { folder, limits, checkMs, checks } = extensions
  const order = {
    do: 'validate',
    folder,
    file,
    name: part.Name,
    object: view.name,
    records,
  } as const
  if (JSON.stringify(records).length > CHECKED_CHARACTERS_MAX)
    throw tooLarge(say`An extension can check at most ${CHECKED_CHARACTERS_MAX} characters at once`)
  const run = () =>
    runOrder(extensions, order, {
      api,
      answer: readsOf(openCallerApi(api, part.Name)),
      limits: { ...limits, deadlineMs: records.length > 1 ? limits.deadlineMs : checkMs },
    })
  const { resultJson } = await checks.run(run, String(caller.userId))
  const outcomes: unknown = JSON.parse(resultJson)
  if (Value.Check(Outcomes, outcomes) && outcomes.length === records.length)
    return outcomes.map((each) => toFaults(view, each))
  throw invalid(say`The check '${part.Name}' must return its errors by field`, {
    code: SCRIPT_FAILED,
  })
}

const readsOf =
  (answer: AnswerCall): AnswerCall =>
  (what, given, signal) => {
    if (what !== 'sql' && what !== 'table') throw invalid(say`A check cannot change data`)
    return answer(what, given, signal)
  }

/** Faults by the names that the view has; a fault of an unknown field is the record's. */
function toFaults({ fieldByName }: View, said: Record<string, string> | null): FieldErrors {
  const faults: FieldErrors = {}
  for (const [name, text] of Object.entries(said ?? {})) {
    const field = fieldByName.get(name.toLowerCase())
    faults[field?.name ?? ''] ??= plain(text)
  }
  return faults
}
