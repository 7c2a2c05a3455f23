/** Inside an extension's process: the engine that a file declares its parts to. */
import { findCronFault } from '../../kernel/cron.ts'
import { isApplicationName } from '../../kernel/settings.ts'
import { DECIMAL_SCALE_DEFAULT } from '../../model/fields/decimal.ts'
import { VALUE_TYPES } from '../../model/fields/kinds.ts'
import { toWords } from '../../model/names.ts'
import type {
  Engine,
  Handler,
  HostedService,
  Job,
  Listener,
  Parameter,
  Report,
  Script,
  Validation,
  ValueType,
} from './authoring.ts'
import { ADDRESS, EVENT, JOBS_QUEUE, PART_NAME, QUEUE_NAME } from './part-names.ts'
import type {
  ExtensionPart,
  HandlerPart,
  JobPart,
  ListenerPart,
  PartParameter,
  ReportPart,
  ScriptPart,
  ServicePart,
  ValidationPart,
} from './parts.ts'
import type { AppSettings } from './rpc-messages.ts'

/** Parts by lower-case name, with the code that runs. */
export interface CollectedParts {
  scripts: Map<string, { part: ScriptPart; script: Script }>
  handlers: Map<string, { part: HandlerPart; handler: Handler }>
  reports: Map<string, { part: ReportPart; report: Report }>
  jobs: Map<string, { part: JobPart; job: Job }>
  validations: Map<string, { part: ValidationPart; validation: Validation }>
  listeners: Map<string, { part: ListenerPart; listener: Listener }>
  services: Map<string, { part: ServicePart; service: HostedService }>
}

/** The declared parts, for the serving process. */
export const listParts = (collected: CollectedParts): ExtensionPart[] =>
  Object.values(collected).flatMap((parts: CollectedParts[keyof CollectedParts]) =>
    [...parts.values()].map(({ part }) => part),
  )

/**
 * Runs the default export of a file and collects the parts that it declares.
 * @throws Error for a wrong declaration, from its line
 */
export async function collectParts(file: string, settings: AppSettings): Promise<CollectedParts> {
  const module: unknown = await import(file)
  const declare: unknown =
    typeof module === 'object' && module !== null ? Reflect.get(module, 'default') : undefined
  if (typeof declare !== 'function')
    throw new Error('The default export is to be a function: export default (engine: Engine) => {}')
  const collected: CollectedParts = {
    scripts: new Map(),
    handlers: new Map(),
    reports: new Map(),
    jobs: new Map(),
    validations: new Map(),
    listeners: new Map(),
    services: new Map(),
  }
  await Reflect.apply(declare, undefined, [openEngine(collected, settings)])
  return collected
}

function openEngine(
  { scripts, handlers, reports, jobs, validations, listeners, services }: CollectedParts,
  settings: AppSettings,
): Engine {
  const engine: Engine = {
    script(given) {
      const script = given as unknown as Script
      const part = readScript(script)
      addOnce(scripts, { part, script }, jobs)
    },
    handler(given) {
      const handler = given as unknown as Handler
      const part = readHandler(handler)
      addOnce(handlers, { part, handler })
    },
    report(given) {
      const report = given as unknown as Report
      const part = readReport(report)
      addOnce(reports, { part, report })
    },
    job(given) {
      const job = given as unknown as Job
      const part = readJob(job)
      addOnce(jobs, { part, job }, scripts)
    },
    validate(validation) {
      const part = readValidation(validation)
      addOnce(validations, { part, validation })
    },
    on(listener) {
      const part = readListener(listener)
      addOnce(listeners, { part, listener })
    },
    hostedService(service) {
      const part = readService(service)
      addOnce(services, { part, service })
    },
    setting(name) {
      if (typeof name !== 'string' || !isApplicationName(name))
        throw new Error('engine.setting takes the name of a setting that begins with App:')
      const key = name.toLowerCase()
      return Object.hasOwn(settings, key) ? settings[key] : undefined
    },
  }
  return new Proxy(engine, {
    get(target, name) {
      if (typeof name === 'symbol' || name in target) return Reflect.get(target, name)
      const known = Object.keys(target).join(', ')
      throw new Error(`This engine has no engine.${name}; it has: ${known}`)
    },
  })
}

/** `others` share their names with the parts. */
function addOnce<T extends { part: ExtensionPart }>(
  parts: Map<string, T>,
  added: T,
  others?: ReadonlyMap<string, unknown>,
): void {
  const key = added.part.Name.toLowerCase()
  if (parts.has(key) || others?.has(key)) throw new Error(`${nameOf(added.part)} is declared twice`)
  parts.set(key, added)
}

/** A part as its author calls it in messages: `report monthly-sales`. */
const nameOf = ({ Kind, Name }: Pick<ExtensionPart, 'Kind' | 'Name'>): string => `${Kind} ${Name}`

function requireRun(run: unknown, of: string): void {
  if (typeof run !== 'function') throw new Error(`${of}: run is to be a function`)
}

function readScript(script: Script): ScriptPart {
  const part = readPart('script', script, { member: 'Name', name: script.Name, form: PART_NAME })
  requireRun(script.run, nameOf(part))
  return part
}

function readJob(job: Job): JobPart {
  const part = readPart('job', job, { member: 'Name', name: job.Name, form: PART_NAME })
  const of = nameOf(part)
  requireRun(job.run, of)
  const { Queue = JOBS_QUEUE, Attempts = null, Cron = null, TimeZone = null, RunAs = null } = job
  requireWaiting(of, { Queue, Attempts })
  if (Cron === null && (TimeZone !== null || RunAs !== null))
    throw new Error(`${of}: TimeZone and RunAs go with a Cron`)
  const fault =
    Cron === null ? undefined : findCronFault({ cron: Cron, timeZone: TimeZone ?? 'UTC' })
  if (fault !== undefined) throw new Error(`${of}: Cron: ${fault}`)
  const missing = part.Parameters.find(({ Required, Default }) => Required && Default === null)
  if (Cron !== null && missing)
    throw new Error(`${of}: the parameter ${missing.Name} has no value when it runs by its Cron`)
  return { ...part, Queue, Attempts, Cron, TimeZone, RunAs }
}

function readValidation(validation: Validation): ValidationPart {
  const Object = readName(validation.Object, { of: 'validate', member: 'Object', form: ADDRESS })
  const own = { of: `validate ${Object}`, member: 'Name', form: ADDRESS }
  const Name = readName(validation.Name ?? Object, own)
  const part = { Kind: 'validate', Name, Object } as const
  requireRun(validation.run, nameOf(part))
  return part
}

function readListener(listener: Listener): ListenerPart {
  const { Event, Queue = JOBS_QUEUE, Attempts = null } = listener
  if (typeof Event !== 'string' || !EVENT.test(Event))
    throw new Error('on: Event is to have the form object.event: orders.created')
  const own = { of: `on ${Event}`, member: 'Name', form: ADDRESS }
  const Name = listener.Name === undefined ? Event : readName(listener.Name, own)
  const part = { Kind: 'on', Name, Event, Queue, Attempts } as const
  requireRun(listener.run, nameOf(part))
  requireWaiting(nameOf(part), part)
  return part
}

function readService(service: HostedService): ServicePart {
  const given = { of: 'hostedService', member: 'Name', form: PART_NAME }
  const { RunAs = null, Company = null } = service
  const part = {
    Kind: 'hostedService',
    Name: readName(service.Name, given),
    RunAs,
    Company,
  } as const
  requireRun(service.run, nameOf(part))
  if ((RunAs === null) !== (Company === null))
    throw new Error(`${nameOf(part)}: RunAs and Company go together`)
  return part
}

function requireWaiting(
  of: string,
  { Queue, Attempts }: Pick<JobPart, 'Queue' | 'Attempts'>,
): void {
  if (!QUEUE_NAME.test(Queue))
    throw new Error(`${of}: Queue is to have small letters, digits and hyphens: reports-late`)
  if (Attempts !== null && !(Number.isInteger(Attempts) && Attempts >= 1 && Attempts <= 100))
    throw new Error(`${of}: Attempts is a whole number from 1 to 100`)
}

function readHandler(handler: Handler): HandlerPart {
  const named = { member: 'Name', name: handler.Name, form: PART_NAME }
  const part = readPart('handler', handler, named)
  const CanExport = typeof handler.export === 'function'
  const CanImport = typeof handler.import === 'function'
  if (!CanExport && !CanImport)
    throw new Error(`${nameOf(part)}: export or import is to be a function`)
  return {
    ...part,
    Formats: (handler.Formats ?? [part.Name]).map((format) => String(format).toLowerCase()),
    Extension: handler.Extension ?? '.txt',
    ContentType: handler.ContentType ?? 'application/octet-stream',
    CanExport,
    CanImport,
  }
}

const FORMATS = ['pdf', 'xlsx', 'csv', 'json'] as const

function readReport(report: Report): ReportPart {
  const part = readPart('report', report, { member: 'Key', name: report.Key, form: ADDRESS })
  requireRun(report.run, nameOf(part))
  const Formats = [...(report.Formats ?? FORMATS)]
  const wrong = Formats.find((format) => !FORMATS.includes(format))
  if (wrong !== undefined || Formats.length === 0)
    throw new Error(`${nameOf(part)}: Formats are some of ${FORMATS.join(', ')}`)
  return { ...part, Description: report.Description ?? '', Formats }
}

/** The name of a part: the member that holds it, and the form that it must have. */
interface GivenName {
  member: string
  name: unknown
  form: RegExp
}

function readPart<K extends ExtensionPart['Kind']>(
  Kind: K,
  given: Pick<Script, 'Label' | 'Resource' | 'Parameters'>,
  { member, name, form }: GivenName,
) {
  const Name = readName(name, { of: Kind, member, form })
  const of = nameOf({ Kind, Name })
  const parameters = (given.Parameters ?? []).map((parameter) => readParameter(parameter, of))
  const names = parameters.map((parameter) => parameter.Name.toLowerCase())
  const twice = parameters.find((_, at) => names.indexOf(names[at] ?? '') !== at)
  if (twice !== undefined) throw new Error(`${of}: parameter ${twice.Name} is declared twice`)
  return {
    Kind,
    Name,
    Label: given.Label ?? toWords(Name),
    Resource: readName(given.Resource ?? Name, { of, member: 'Resource', form }),
    Parameters: parameters,
  }
}

/** `of` says whose `member` it is. */
function readName(
  name: unknown,
  { of, member, form }: { of: string; member: string; form: RegExp },
): string {
  if (typeof name === 'string' && form.test(name)) return name
  const what = form === PART_NAME ? 'letters, digits and _' : 'letters, digits, _ and -'
  const shown = typeof name === 'string' ? `'${name.slice(0, SHOWN_MAX)}'` : typeof name
  throw new Error(`${of}: ${member} is to have ${what} and begin with a letter, not ${shown}`)
}

/** Characters of a name that a message shows. */
const SHOWN_MAX = 60

/** The vocabulary of authors has every type that a parameter may have. */
const PARAMETER_TYPES: readonly ValueType[] = VALUE_TYPES

function readParameter(given: Parameter, of: string): PartParameter {
  const member = 'the Name of a parameter'
  const Name = readName(given.Name, { of, member, form: PART_NAME })
  const Type = PARAMETER_TYPES.find((type) => type === (given.Type ?? 'Text'))
  if (Type === undefined)
    throw new Error(`${of}: the Type of parameter ${Name} is one of ${PARAMETER_TYPES.join(', ')}`)
  return {
    Name,
    Label: given.Label ?? toWords(Name),
    Type,
    Scale: given.Scale ?? DECIMAL_SCALE_DEFAULT,
    Required: given.Required ?? false,
    Default: given.Default ?? null,
  }
}
