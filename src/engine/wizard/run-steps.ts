/** Steps through a wizard: start, next, back. The run is written with its answer, or not at all. */
import { conflict, invalid, validation } from '../../kernel/failure.ts'
import { newSecret } from '../../kernel/ids.ts'
import { say } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import { listBoundFields } from '../../model/bound-fields.ts'
import type { Step } from '../../model/compiled/wizard.ts'
import { type Mutation, writeMutation } from '../object/mutation.ts'
import { readParameters } from '../object/parameters.ts'
import { mayGiveStep } from '../object/read/permissions.ts'
import type { QueryCache } from '../object/read/query-cache.ts'
import { parseValue, toWire } from '../object/value.ts'
import { readDraft } from './draft.ts'
import { holdUploads } from './held-uploads.ts'
import { findPosition, type Position } from './position.ts'
import { changedRun, type Given, insertRun, updateRun, type WizardRun } from './run-records.ts'
import { loadRunResult } from './run-result.ts'
import type { BackRequest, NextRequest, StartRunRequest, WizardRunResult } from './schema.ts'
import { findStepFileFaults } from './step-files.ts'
import { nameStep, type TakenStep, takeStep } from './take-step.ts'
import { listEarlier, type WizardAccess, type WizardUse } from './wizard-access.ts'

/** Limits of runs (`Svc:Wizards:…`). */
interface RunLimits {
  /** Lifetime in milliseconds from a run's latest change. */
  lifetime: number
  /** Most runs of one user. */
  maxRuns: number
  /** Most bytes given in one run. */
  maxBytes: number
}

/** The parts that steps of runs are read and written with. */
export interface RunParts {
  reader: QueryCache
  limits: RunLimits
}

const ID_BYTES = 16

/** Begins a run; Parameters named as fields give these their first values. */
export async function startRun(
  { reader, limits }: RunParts,
  mutation: Mutation,
  use: WizardUse,
  { Parameters }: StartRunRequest,
): Promise<WizardRunResult> {
  const { caller, now } = { ...mutation, now: mutation.context.now }
  const at = now.toISOString()
  const run: WizardRun = {
    Id: newSecret(ID_BYTES),
    Wizard: use.view.name,
    UserId: caller.userId,
    CompanyId: caller.companyId,
    ApiKeyId: caller.apiKey?.id ?? null,
    ImpersonatorId: caller.impersonatorId ?? null,
    Language: caller.language ?? null,
    Step: '',
    Path: [],
    Given: readPrefilled(use, Parameters),
    VersionHash: use.view.versionHash,
    Version: 1,
    CreatedAt: at,
    ChangedAt: at,
    ExpiresAt: expiryOf(now, limits),
    WarnedAt: null,
  }
  requireSize(run, limits)
  const access = { ...use, reader }
  const begun = { ...run, Step: (await findPosition(access, run)).step.name }
  const result = await loadRunResult(access, begun)
  return writeMutation(mutation, use.view.name, async (tx) => {
    await insertRun(tx, begun, limits.maxRuns)
    return result
  })
}

const expiryOf = (now: Date, { lifetime }: RunLimits): string =>
  new Date(now.getTime() + lifetime).toISOString()

/** Takes Parameters named as fields that the caller may give, by step, where the values fit. */
function readPrefilled(
  { wizard, grant }: WizardUse,
  parameters: StartRunRequest['Parameters'],
): Given {
  const given = readParameters(parameters)
  const open = new Set(listBoundFields(wizard).filter((field) => mayGiveStep(grant, field)))
  const steps = wizard.steps.flatMap(({ name, fields }) => {
    const own = fields.flatMap((field) => {
      const value = given.get(field.name.toLowerCase())
      const parsed = open.has(field) && value !== undefined ? parseValue(field, value) : undefined
      return parsed && parsed.fault === undefined
        ? [[field.name, toWire(field, parsed.value)] as const]
        : []
    })
    return own.length > 0 ? [[name, Object.fromEntries(own)] as const] : []
  })
  return Object.fromEntries(steps)
}

/**
 * Takes the values of a step and moves to the next one that applies, or stays where none does.
 * @throws validation, conflict for a run that was changed elsewhere meanwhile
 */
export async function goNext(
  parts: RunParts,
  mutation: Mutation,
  { run, ...use }: WizardUse & { run: WizardRun },
  { Values, Step: named, Version }: NextRequest,
): Promise<WizardRunResult> {
  requireVersion(run, Version)
  const access = { ...use, reader: parts.reader }
  const position = await findPosition(access, run)
  const { step, bound, path } = position
  requireAsking(position, named)
  requireChoices(position)
  const taken = await takeStep({ ...access, step, bound, earlier: listEarlier(path) }, Values)
  const Given = { ...run.Given, [step.name]: taken.stored }
  const went = { ...run, Path: [...path.map(({ name }) => name), step.name], Given }
  const files = (tx: Tx) => requireFiles(tx, use, { step, taken })
  return saveStep(parts, mutation, { use, run, went, files, ignored: taken.ignored })
}

/** 409 where the values are of another step than the one that asks. */
function requireAsking({ step }: Position, named: string | null | undefined): void {
  if (named === undefined || named === null) return
  if (named.toLowerCase() === step.name.toLowerCase()) return
  throw conflict(say`The wizard is at another step: ${step.name}`, { code: 'WIZARD_STEP_MOVED' })
}

/** @throws validation for choices of an earlier step that the caller may no longer make */
function requireChoices({ lost }: Position): void {
  const step = lost[0]?.step
  if (!step) return
  const own = lost.filter((each) => each.step === step)
  const faults = Object.fromEntries(own.map(({ field, message }) => [field, message]))
  throw nameStep(validation(faults), step)
}

/** @throws conflict when the run was loaded before its latest change */
export function requireVersion(run: WizardRun, version: number | null | undefined): void {
  if (version !== undefined && version !== null && version !== run.Version) throw changedRun()
}

/** @throws validation for files that no longer exist */
export async function requireFiles(
  tx: Tx,
  use: WizardUse,
  { step, taken }: { step: Step; taken: TakenStep },
): Promise<void> {
  const faults = await findStepFileFaults(tx, use, step, taken)
  if (Object.keys(faults).length > 0) throw validation(faults)
}

/**
 * Goes back without loss: values of later steps stay, as do those so far in the step that is left.
 * @throws invalid at the first step, or for one that was not taken
 */
export async function goBack(
  parts: RunParts,
  mutation: Mutation,
  { run, ...use }: WizardUse & { run: WizardRun },
  { Step: named, Values, Version }: BackRequest,
): Promise<WizardRunResult> {
  requireVersion(run, Version)
  const access = { ...use, reader: parts.reader }
  const position = await findPosition(access, run)
  const { path, step } = position
  const to = findTarget(path, named)
  const before = run.Given[step.name]
  const kept = Values ? { [step.name]: await readDraft(access, position, Values, before) } : {}
  const Path = path.slice(0, path.indexOf(to)).map(({ name }) => name)
  const went = { ...run, Path, Given: { ...run.Given, ...kept } }
  return saveStep(parts, mutation, { use, run, went, ignored: [] })
}

function findTarget(path: readonly Step[], named: string | null | undefined): Step {
  const key = named?.toLowerCase()
  const to = key === undefined ? path.at(-1) : path.find(({ name }) => name.toLowerCase() === key)
  if (to) return to
  throw key === undefined
    ? invalid(say`This is the first step`, { code: 'WIZARD_FIRST_STEP' })
    : invalid(say`This step has not been completed`, { code: 'UNKNOWN_STEP' })
}

/** A step in either direction. */
interface Gone {
  use: WizardUse
  /** The run before the step. */
  run: WizardRun
  /** The run with its new path and values. */
  went: WizardRun
  files?: (tx: Tx) => Promise<void>
  ignored: readonly string[]
}

async function saveStep(
  { reader, limits }: RunParts,
  mutation: Mutation,
  { use, run, went, files, ignored }: Gone,
): Promise<WizardRunResult> {
  const { caller, context } = mutation
  const { now } = context
  const access: WizardAccess<QueryCache> = { ...use, reader }
  const position = await findPosition(access, went)
  const after: WizardRun = {
    ...went,
    Step: position.step.name,
    Path: position.path.map(({ name }) => name),
    VersionHash: use.view.versionHash,
    Language: caller.language ?? null,
    Version: run.Version + 1,
    ChangedAt: now.toISOString(),
    WarnedAt: null,
    ExpiresAt: expiryOf(now, limits),
  }
  requireSize(after, limits)
  // This step's answer names values lost to changes of the wizard since the run was written.
  const { VersionHash } = run
  const result = await loadRunResult(access, { ...after, VersionHash }, ignored)
  return writeMutation(mutation, use.view.name, async (tx) => {
    await files?.(tx)
    await updateRun(tx, after)
    await holdUploads(tx, after, { caller, wizard: use.wizard, now, before: run })
    return result
  })
}

function requireSize({ Given }: WizardRun, { maxBytes }: RunLimits): void {
  if (Buffer.byteLength(JSON.stringify(Given)) <= maxBytes) return
  const most = Math.floor(maxBytes / 1024)
  throw invalid(say`The values of a run are limited to ${most} KB`, { code: 'WIZARD_TOO_LARGE' })
}
