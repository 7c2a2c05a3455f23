/**
 * The extensions of a data folder, as the serving process knows them without ever running their
 * code itself.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { unavailable } from '../../kernel/failure.ts'
import type { Log } from '../../kernel/log.ts'
import { say } from '../../kernel/messages.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import type { Reader } from '../../store/store.ts'
import { describeFile, faultOf, listExtensionFiles, listResources } from './describe-file.ts'
import type { RunLimits } from './extension-run.ts'
import { BUILT_IN_REPORT_KEYS } from './part-names.ts'
import { findDefaultFault } from './part-parameters.ts'
import type {
  ExtensionFault,
  ExtensionPart,
  HandlerPart,
  JobPart,
  ListenerPart,
  ReportPart,
  ScriptPart,
  ServicePart,
  ValidationPart,
} from './parts.ts'
import { ExtensionQueries } from './query.ts'
import type { AppSettings } from './rpc-messages.ts'
import { IMPORT_FORMATS } from '../sheets/format.ts'

/** A part with the path of the file that declares it. */
export interface Declared<P extends ExtensionPart> {
  part: P
  file: string
}

/** The loaded extensions, by the lower-case names of their parts. */
export interface LoadedExtensions {
  scripts: ReadonlyMap<string, Declared<ScriptPart>>
  handlers: ReadonlyMap<string, Declared<HandlerPart>>
  reports: ReadonlyMap<string, Declared<ReportPart>>
  jobs: ReadonlyMap<string, Declared<JobPart>>
  validations: ReadonlyMap<string, Declared<ValidationPart>>
  listeners: ReadonlyMap<string, Declared<ListenerPart>>
  services: ReadonlyMap<string, Declared<ServicePart>>
  /** Faults of the files that were left out. */
  faults: readonly ExtensionFault[]
}

interface ExtensionsOptions {
  /** The data folder. */
  folder: string
  /** The settings that `engine.setting` gives. */
  settings: AppSettings
  /** The reader that their SQL runs on. */
  store: Reader
  log: Log
  /** Limits of a run; to declare its parts an extension has ten seconds. */
  limits: RunLimits
  /** Time of a check of one record. */
  checkMs: number
  /** Runs at the same time. */
  runsMax: number
  /** Most bytes that one of their queries may give: `Svc:Results:MaxBytes`. */
  answerBytesMax: number
}

/** While they are put together. */
type PartMaps = {
  [Name in Exclude<keyof LoadedExtensions, 'faults'>]: LoadedExtensions[Name] extends ReadonlyMap<
    string,
    infer D
  >
    ? Map<string, D>
    : never
}

const newMaps = (): PartMaps => ({
  scripts: new Map(),
  handlers: new Map(),
  reports: new Map(),
  jobs: new Map(),
  validations: new Map(),
  listeners: new Map(),
  services: new Map(),
})

/** The parts that a file has declared, or the fault that kept it from that. */
interface DeclaredFile {
  name: string
  parts: readonly ExtensionPart[] | ExtensionFault
}

/** Processes that declare their parts at the same time. */
const DESCRIBED_AT_ONCE = 2

/** Loads the extensions at the first request, and again at a reload. */
export class Extensions {
  /** The folder of the extensions: `extensions/` in the data folder. */
  readonly folder: string
  readonly settings: AppSettings
  readonly limits: RunLimits
  readonly checkMs: number
  /** Bounds the runs at a time; later ones wait. */
  readonly semaphore: Semaphore
  /** Bounds the checks of records at a time, apart from runs, which take longer. */
  readonly checks: Semaphore
  readonly queries: ExtensionQueries
  readonly #log: Log
  readonly #followers = new Set<(loaded: LoadedExtensions) => void>()
  readonly #stop = new AbortController()
  #loading: Promise<LoadedExtensions> | undefined
  #last: LoadedExtensions | undefined

  constructor(options: ExtensionsOptions) {
    const { folder, settings, store, log, limits, checkMs, runsMax, answerBytesMax } = options
    this.folder = join(folder, 'extensions')
    this.settings = settings
    this.limits = limits
    this.checkMs = checkMs
    this.semaphore = new Semaphore(runsMax)
    this.checks = new Semaphore(runsMax)
    this.queries = new ExtensionQueries(store, answerBytesMax)
    this.#log = log
  }

  /**
   * The extensions; resolves when each file has declared its parts.
   * @throws unavailable where the folder cannot be read: the next caller tries again
   */
  load(): Promise<LoadedExtensions> {
    return (this.#loading ??= this.#begin())
  }

  #begin(): Promise<LoadedExtensions> {
    const loading = this.#load()
    loading.catch(() => {
      if (this.#loading === loading) this.#loading = undefined
    })
    return loading
  }

  /**
   * The resources that extensions bring, for a deploy to know: roles may grant them.
   * @throws unavailable where the folder cannot be read
   */
  async listResources(): Promise<Set<string>> {
    const { scripts, handlers, reports, jobs } = await this.load()
    const maps = [scripts, handlers, reports, jobs]
    return listResources(maps.flatMap((map) => [...map.values()].map(({ part }) => part)))
  }

  /** Loads again, for files that have changed; until then those before it serve. */
  async reload(): Promise<LoadedExtensions> {
    await this.#loading?.catch(() => {})
    const loaded = await this.#load()
    this.#loading = Promise.resolve(loaded)
    return loaded
  }

  /** Calls `follower` each time that extensions have been loaded; the result ends it. */
  follow(follower: (loaded: LoadedExtensions) => void): () => void {
    this.#followers.add(follower)
    return () => void this.#followers.delete(follower)
  }

  /** The extensions that serve now; undefined before they have been loaded once. */
  get loaded(): LoadedExtensions | undefined {
    return this.#last
  }

  /** True when there may be extensions that are not loaded yet, also in a folder that came late. */
  get mayCome(): boolean {
    return this.#last === undefined && existsSync(this.folder)
  }

  /** Names of the files that were left out, according to the last load. */
  get faultyFiles(): string[] {
    return [...new Set(this.#last?.faults.map(({ File }) => File))]
  }

  /** Aborts when the server closes; runs end with it. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** Ends every run. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#loading?.catch(() => {})
    await this.queries.close()
  }

  async #load(): Promise<LoadedExtensions> {
    const names = await listExtensionFiles(this.folder)
    const files: DeclaredFile[] = []
    for (let at = 0; at < names.length; at += DESCRIBED_AT_ONCE) {
      const some = names.slice(at, at + DESCRIBED_AT_ONCE)
      const next = some.map(async (name) => ({ name, parts: await this.#describe(name) }))
      files.push(...(await Promise.all(next)))
    }
    if (this.#stop.signal.aborted) throw unavailable(say`The server is stopping`)
    this.#last = this.#join(files)
    for (const { File: file, Line: line, Message: reason } of this.#last.faults)
      this.#log.warn('an extension is left out', { file, line, reason })
    for (const follower of this.#followers) follower(this.#last)
    return this.#last
  }

  #describe(name: string): Promise<readonly ExtensionPart[] | ExtensionFault> {
    const { folder, settings, limits, signal } = this
    return describeFile(name, { folder, settings, limits, signal })
  }

  /** A file that takes a name that another one has is left out as a whole. */
  #join(files: readonly DeclaredFile[]): LoadedExtensions {
    const maps = newMaps()
    const faults: ExtensionFault[] = []
    for (const { name, parts } of files) {
      if ('File' in parts) {
        faults.push(parts.File === '' ? { ...parts, File: name } : parts)
        continue
      }
      const fault = findFault(parts, maps)
      if (fault !== undefined) faults.push(faultOf(name, fault))
      else for (const part of parts) addPart(maps, part, join(this.folder, name))
    }
    return { ...maps, faults }
  }
}

function addPart(maps: PartMaps, part: ExtensionPart, file: string): void {
  const key = part.Name.toLowerCase()
  if (part.Kind === 'script') maps.scripts.set(key, { part, file })
  else if (part.Kind === 'handler') maps.handlers.set(key, { part, file })
  else if (part.Kind === 'report') maps.reports.set(key, { part, file })
  else if (part.Kind === 'job') maps.jobs.set(key, { part, file })
  else if (part.Kind === 'validate') maps.validations.set(key, { part, file })
  else if (part.Kind === 'on') maps.listeners.set(key, { part, file })
  else maps.services.set(key, { part, file })
}

/** Names that come with the engine. */
const BUILT_IN_HANDLERS: ReadonlySet<string> = new Set(IMPORT_FORMATS)

/** Jobs and scripts share one space of names. */
function isTaken(kind: ExtensionPart['Kind'], key: string, maps: PartMaps): boolean {
  if (kind === 'script' || kind === 'job') return maps.scripts.has(key) || maps.jobs.has(key)
  if (kind === 'report') return maps.reports.has(key) || BUILT_IN_REPORT_KEYS.has(key)
  if (kind === 'handler') return maps.handlers.has(key) || BUILT_IN_HANDLERS.has(key)
  if (kind === 'validate') return maps.validations.has(key)
  return (kind === 'on' ? maps.listeners : maps.services).has(key)
}

function findFault(parts: readonly ExtensionPart[], known: PartMaps): string | undefined {
  for (const part of parts) {
    const { Kind, Name } = part
    if (isTaken(Kind, Name.toLowerCase(), known)) return `There is a ${Kind} ${Name} already`
    for (const parameter of 'Parameters' in part ? part.Parameters : []) {
      const fault = findDefaultFault(parameter)
      const of = `${Kind} ${Name}: the Default of parameter ${parameter.Name}`
      if (fault) return `${of}: ${fault.toString()}`
    }
  }
  return undefined
}
