/** Inside an extension's process: the engine that a file declares its parts to. */
import { DECIMAL_SCALE_DEFAULT } from '../../model/fields/decimal.ts'
import { isApplicationName } from '../../kernel/settings.ts'
import { toWords } from '../../model/names.ts'
import { findCronFault } from '../jobs/cron.ts'
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
} from './authoring.ts'
import { ADDRESS, EVENT, JOBS_QUEUE, PART_NAME, QUEUE_NAME, VALUE_TYPES } from './part-names.ts'
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

/** Parts by lower-case name, with what runs. */
export interface CollectedParts {
  scripts: Map<string, { part: ScriptPart; script: Script }>
  handlers: Map<string, { part: HandlerPart; handler: Handler }>
  reports: Map<string, { part: ReportPart; report: Report }>
  jobs: Map<string, { part: JobPart; job: Job }>
  validations: Map<string, { part: ValidationPart; validation: Validation }>
  listeners: Map<string, { part: ListenerPart; listener: Listener }>
  services: Map<string, { part: ServicePart; service: HostedService }>
}

/** What was declared, for the serving process. */
export const listParts = (collected: CollectedParts): ExtensionPart[] =>
  Object.values(collected).flatMap((parts: CollectedParts[keyof CollectedParts]) =>
    [...parts.values()].map(({ part }) => part),
  )

/**
 * Runs the default export of a file and collects what it declares.
 * @throws Error for what does not belong, from the line that says it
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
      addOnce(scripts, part.Name, { part, script }, jobs)
    },
    handler(given) {
      const handler = given as unknown as Handler
      const part = readHandler(handler)
      addOnce(handlers, part.Name, { part, handler })
    },
    report(given) {
      const report = given as unknown as Report
      const part = readReport(report)
      addOnce(reports, part.Name, { part, report })
    },
    job(given) {
      const job = given as unknown as Job
      const part = readJob(job)
      addOnce(jobs, part.Name, { part, job }, scripts)
    },
    validate(validation) {
      const part = readValidation(validation)
      addOnce(validations, part.Name, { part, validation })
    },
    on(listener) {
      const part = readListener(listener)
      addOnce(listeners, part.Name, { part, listener })
    },
    hostedService(service) {
      const part = readService(service)
      addOnce(services, part.Name, { part, service })
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
function addOnce<T>(
  parts: Map<string, T>,
  name: string,
  part: T,
  others?: ReadonlyMap<string, unknown>,
): void {
  const key = name.toLowerCase()
  if (parts.has(key) || others?.has(key)) throw new Error(`${name} is declared twice`)
  parts.set(key, part)
}

function readScript(script: Script): ScriptPart {
  const part = readPart(script)
  if (typeof script.run !== 'function') throw new Error(`${part.Name}: run is to be a function`)
  return { Kind: 'script', ...part }
}

function readJob(job: Job): JobPart {
  const part = readPart(job)
  const { Name } = part
  if (typeof job.run !== 'function') throw new Error(`${Name}: run is to be a function`)
  const { Queue = JOBS_QUEUE, Attempts = null, Cron = null, TimeZone = null, RunAs = null } = job
  requireWaiting({ Name, Queue, Attempts })
  if (Cron === null && (TimeZone !== null || RunAs !== null))
    throw new Error(`${Name}: TimeZone and RunAs go with a Cron`)
  const fault =
    Cron === null ? undefined : findCronFault({ cron: Cron, timeZone: TimeZone ?? 'UTC' })
  if (fault !== undefined) throw new Error(`${Name}: Cron: ${fault}`)
  const missing = part.Parameters.find(({ Required, Default }) => Required && Default === null)
  if (Cron !== null && missing)
    throw new Error(`${Name}: nobody gives ${missing.Name} when it comes by its Cron`)
  return { Kind: 'job', ...part, Queue, Attempts, Cron, TimeZone, RunAs }
}

function readValidation(validation: Validation): ValidationPart {
  const Object = readAddress(validation.Object, 'Object')
  const Name = readAddress(validation.Name ?? Object, 'Name')
  if (typeof validation.run !== 'function')
    throw new Error(`validate ${Name}: run is to be a function`)
  return { Kind: 'validate', Name, Object }
}

function readListener(listener: Listener): ListenerPart {
  const { Event, Queue = JOBS_QUEUE, Attempts = null } = listener
  if (typeof Event !== 'string' || !EVENT.test(Event))
    throw new Error('Event is to have the form object.event: orders.created')
  const Name = listener.Name === undefined ? Event : readAddress(listener.Name, 'Name')
  if (typeof listener.run !== 'function') throw new Error(`on ${Name}: run is to be a function`)
  requireWaiting({ Name, Queue, Attempts })
  return { Kind: 'on', Name, Event, Queue, Attempts }
}

function readService(service: HostedService): ServicePart {
  const Name = readName(service.Name, 'Name')
  const { RunAs = null, Company = null } = service
  if (typeof service.run !== 'function') throw new Error(`${Name}: run is to be a function`)
  if ((RunAs === null) !== (Company === null))
    throw new Error(`${Name}: RunAs and Company go together`)
  return { Kind: 'hostedService', Name, RunAs, Company }
}

function requireWaiting({
  Name,
  Queue,
  Attempts,
}: Pick<JobPart, 'Name' | 'Queue' | 'Attempts'>): void {
  if (!QUEUE_NAME.test(Queue))
    throw new Error(`${Name}: Queue is to have small letters and hyphens`)
  if (Attempts !== null && !(Number.isInteger(Attempts) && Attempts >= 1 && Attempts <= 100))
    throw new Error(`${Name}: Attempts is a whole number from 1 to 100`)
}

function readAddress(name: unknown, what: string): string {
  if (typeof name === 'string' && ADDRESS.test(name)) return name
  throw new Error(`${what} is to have the form [A-Za-z][A-Za-z0-9_-]*`)
}

function readHandler(handler: Handler): HandlerPart {
  const part = readPart(handler)
  const CanExport = typeof handler.export === 'function'
  const CanImport = typeof handler.import === 'function'
  if (!CanExport && !CanImport)
    throw new Error(`${part.Name}: export or import is to be a function`)
  return {
    Kind: 'handler',
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
  const part = readPart({ ...report, Name: report.Key })
  if (typeof report.run !== 'function') throw new Error(`${part.Name}: run is to be a function`)
  const Formats = [...(report.Formats ?? FORMATS)]
  const wrong = Formats.find((format) => !FORMATS.includes(format))
  if (wrong !== undefined || Formats.length === 0)
    throw new Error(`${part.Name}: Formats are some of ${FORMATS.join(', ')}`)
  return { Kind: 'report', ...part, Description: report.Description ?? '', Formats }
}

function readPart(given: Pick<Script, 'Name' | 'Label' | 'Resource' | 'Parameters'>) {
  const Name = readName(given.Name, 'Name')
  const parameters = (given.Parameters ?? []).map((parameter) => readParameter(parameter, Name))
  const names = parameters.map((parameter) => parameter.Name.toLowerCase())
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new Error(`${Name}: parameter ${twice} is declared twice`)
  return {
    Name,
    Label: given.Label ?? toWords(Name),
    Resource: readName(given.Resource ?? Name, 'Resource'),
    Parameters: parameters,
  }
}

function readName(name: unknown, what: string): string {
  if (typeof name === 'string' && PART_NAME.test(name)) return name
  throw new Error(`${what} is to have the form [A-Za-z][A-Za-z0-9_]*`)
}

function readParameter(given: Parameter, of: string): PartParameter {
  const Name = readName(given.Name, `${of}: the Name of a parameter`)
  const Type = VALUE_TYPES.find((type) => type === (given.Type ?? 'Text'))
  if (Type === undefined)
    throw new Error(`${of}: the Type of ${Name} is one of ${VALUE_TYPES.join(', ')}`)
  return {
    Name,
    Label: given.Label ?? toWords(Name),
    Type,
    Scale: given.Scale ?? DECIMAL_SCALE_DEFAULT,
    Required: given.Required ?? false,
    Default: given.Default ?? null,
  }
}
